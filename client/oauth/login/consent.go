package login

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/protocol/headers"
)

// agreedTime is how long the answer to a page is waited for once a person has said yes.
const agreedTime = 10 * time.Minute

// maxForm bounds what a person or an authorization server posts, in bytes.
const maxForm = 64 << 10

// ServeHTTP serves URL/NAME, the consent page, and URL/NAME/callback.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	// No form-action: a browser would hold the redirects of authorization servers against it.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
	if r.Method == http.MethodPost {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(p.forms))
	}
	if !p.secure && !headers.Loopback((&url.URL{Host: r.Host}).Hostname()) { // a name that its owner made lead here
		p.show(w, http.StatusForbidden, view{Title: "No such page"})
		return
	}
	principal, err := p.opt.Who(r)
	if err != nil {
		h.Set("WWW-Authenticate", `Basic realm="login", charset="UTF-8"`)
		p.show(w, http.StatusUnauthorized, view{Title: "Who are you?", Text: "This page is for users of the gateway."})
		return
	}
	name, callback, ok := p.route(r.URL)
	if !ok {
		p.show(w, http.StatusNotFound, view{Title: "No such page"})
		return
	}
	at := pair{principal, name}
	switch {
	case callback && (r.Method == http.MethodGet || r.Method == http.MethodPost):
		p.back(w, r, at)
	case !callback && r.Method == http.MethodGet:
		p.ask(w, r, at)
	case !callback && r.Method == http.MethodPost:
		p.agree(w, r, at)
	default:
		p.show(w, http.StatusMethodNotAllowed, view{Title: "No such page"})
	}
}

// route returns the server that a path names, and whether it is the callback.
func (p *Pages) route(u *url.URL) (name string, callback, ok bool) {
	rest, ok := strings.CutPrefix(u.EscapedPath(), (&url.URL{Path: p.path}).EscapedPath()+"/")
	rest, callback = strings.CutSuffix(rest, "/callback")
	if !ok || rest == "" || strings.Contains(rest, "/") {
		return "", false, false
	}
	name, err := url.PathUnescape(rest)
	return name, callback, err == nil
}

// ask shows the page that says what a person is about to do.
func (p *Pages) ask(w http.ResponseWriter, r *http.Request, at pair) {
	run, page, ok := p.page(w, r, at)
	if !ok {
		return
	}
	browser := p.browser(r)
	if browser == "" {
		browser = rand.Text()
		p.set(w, p.cookie, browser, 0)
	}
	u, _ := url.Parse(page.URL)
	q := u.Query()
	p.show(w, http.StatusOK, view{
		Title: "Log in at " + at.server + "?", Principal: at.principal, Server: run.server(), Host: u.Host, Issuer: page.Issuer, Client: q.Get("client_id"),
		Scopes: strings.Fields(q.Get("scope")), Back: q.Get("redirect_uri"), Value: p.value(browser, page),
	})
}

// agree sends a person who said yes to the authorization server.
func (p *Pages) agree(w http.ResponseWriter, r *http.Request, at pair) {
	body, ok := p.form(w, r)
	if !ok {
		return
	}
	sent, _ := url.ParseQuery(body)
	_, page, ok := p.page(w, r, at)
	if !ok {
		return
	}
	browser := p.browser(r)
	if browser == "" || !hmac.Equal([]byte(sent.Get("value")), []byte(p.value(browser, page))) {
		p.show(w, http.StatusForbidden, view{Title: "That did not come from this page", Text: "Open it again, in a browser that keeps cookies."})
		return
	}
	until := strconv.FormatInt(time.Now().Add(agreedTime).UnixNano(), 10)
	p.set(w, p.agreed(at), until+"."+p.sum("agreed", at.principal, at.server, browser, page.State, until), agreedTime)
	http.Redirect(w, r, page.URL, http.StatusSeeOther)
}

// back takes the answer of an authorization server.
func (p *Pages) back(w http.ResponseWriter, r *http.Request, at pair) {
	query := r.URL.RawQuery
	if r.Method == http.MethodPost { // response_mode=form_post
		body, ok := p.form(w, r)
		if !ok {
			return
		}
		query = body
	}
	err := errState
	if sent, bad := url.ParseQuery(query); bad == nil && p.saidYes(r, at, sent.Get("state")) {
		if run, bad := p.runner(at); bad == nil && run != nil {
			err = run.Returned(r.Context(), query) // once
		}
	}
	if errors.Is(err, errState) {
		p.show(w, http.StatusBadRequest, view{Title: "Nobody waits for that", Text: "The login was not begun in this browser, is over, or took too long.", Again: p.link(at.server)})
		return
	}
	f := (*oauth.Failure)(nil)
	if failed := errors.As(err, &f); failed || err == nil { // what she said yes to is over
		p.set(w, p.agreed(at), "", -time.Second)
	}
	if err != nil {
		p.opt.Log.Warn("login: failed", "principal", at.principal, "server", at.server, "err", err)
		text := "The log of the gateway says why."
		if f != nil && f.Code == "access_denied" {
			text = "You refused it, or the server that you logged in at."
		}
		p.show(w, http.StatusBadGateway, view{Title: "The login failed", Text: text, Again: p.link(at.server)})
		return
	}
	p.opt.Log.Info("login: done", "principal", at.principal, "server", at.server)
	if p.opt.Done != nil {
		p.opt.Done(at.principal, at.server)
	}
	p.show(w, http.StatusOK, view{Title: "You are logged in", Text: "This window can be closed."})
}

// form returns what was posted. It answers the request itself if that is too long, or takes too long.
func (p *Pages) form(w http.ResponseWriter, r *http.Request) (text string, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if err != nil {
		p.show(w, http.StatusBadRequest, view{Title: "That is too much"})
		return "", false
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // what follows may take longer
	return string(body), true
}

// page returns the page that a Runner waits for, and begins the login if it has no token. It answers
// the request itself if there is none.
func (p *Pages) page(w http.ResponseWriter, r *http.Request, at pair) (*Runner, oauth.Page, bool) {
	run, err := p.runner(at)
	switch {
	case err != nil:
		p.opt.Log.Warn("login: no login", "principal", at.principal, "server", at.server, "err", err)
		p.show(w, http.StatusInternalServerError, view{Title: "That did not work", Text: "The log of the gateway says why."})
		return nil, oauth.Page{}, false
	case run == nil:
		p.show(w, http.StatusNotFound, view{Title: "No such page"})
		return nil, oauth.Page{}, false
	}
	if page := run.look(r.Context()); page.URL != "" { // such as one for more scopes, beside a token that is good
		return run, page, true
	}
	var person *PersonError
	_, err = run.Authorize(r.Context(), oauth.Need{Status: http.StatusUnauthorized})
	switch {
	case errors.As(err, &person):
		return run, person.Page, true
	case err != nil:
		p.opt.Log.Warn("login: no page", "principal", at.principal, "server", at.server, "err", err)
		p.show(w, http.StatusBadGateway, view{Title: "The server cannot be logged in at", Text: "The log of the gateway says why."})
	default:
		p.show(w, http.StatusOK, view{Title: "You are logged in", Text: "There is nothing to do."})
	}
	return nil, oauth.Page{}, false
}

// server returns what the Runner logs in at.
func (r *Runner) server() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.f.Resource()
}

// browser returns the cookie of a browser, "" if it has none.
func (p *Pages) browser(r *http.Request) string {
	c, err := r.Cookie(p.cookie)
	if err != nil || len(c.Value) != len(rand.Text()) {
		return ""
	}
	return c.Value
}

// value is what the form of a page has, which no other site can know. It belongs to the browser and the
// login, whose state no other login has.
func (p *Pages) value(browser string, page oauth.Page) string {
	return p.sum("form", browser, page.State)
}

// sum returns what only the Pages with the key can have written of some texts.
func (p *Pages) sum(texts ...string) string {
	h := hmac.New(sha256.New, p.key[:])
	for _, text := range texts {
		_, _ = io.WriteString(h, strconv.Itoa(len(text))+" "+text) // so that no others are the same
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// set sets a cookie for a time, or takes it away if that is negative; 0 is for as long as the browser runs. All that there are come with each
// request to the host.
func (p *Pages) set(w http.ResponseWriter, name, value string, keep time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: int(keep / time.Second), Secure: p.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// agreed returns the name of the cookie by which a browser shows that its person has said yes to a login at a server.
func (p *Pages) agreed(at pair) string { return p.cookie + "-" + p.sum("cookie", at.server)[:8] }

// saidYes reports whether the person in this browser has said yes to the login of a state, not long ago.
func (p *Pages) saidYes(r *http.Request, at pair, state string) bool {
	c, err := r.Cookie(p.agreed(at))
	browser := p.browser(r)
	if err != nil || browser == "" || state == "" {
		return false
	}
	until, sum, _ := strings.Cut(c.Value, ".")
	end, err := strconv.ParseInt(until, 10, 64)
	return err == nil && time.Now().Before(time.Unix(0, end)) && hmac.Equal([]byte(sum), []byte(p.sum("agreed", at.principal, at.server, browser, state, until)))
}

// view is what a page shows. Nothing of it came with the request but the path.
type view struct {
	Title, Text, Again string

	Principal, Server, Host, Issuer, Client, Back, Value string
	Scopes                                               []string
}

func (p *Pages) show(w http.ResponseWriter, status int, v view) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = pageTemplate.Execute(w, v)
}

var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:4em auto;padding:0 1em}dt{color:#555}dd{margin:0 0 .7em;overflow-wrap:anywhere}button{font:inherit;padding:.5em 1.5em}</style>
</head><body><h1>{{.Title}}</h1>
{{with .Text}}<p>{{.}}</p>{{end}}
{{if .Value}}<dl>
<dt>You are</dt><dd>{{or .Principal "whoever uses this machine"}}</dd>
<dt>The server</dt><dd>{{.Server}}</dd>
<dt>You log in at</dt><dd><strong>{{.Host}}</strong></dd>
<dt>The answer is read, and the token issued, by</dt><dd><strong>{{.Issuer}}</strong></dd>
<dt>This gateway is known there as</dt><dd>{{.Client}}</dd>
<dt>It will be able to</dt><dd>{{range .Scopes}}<code>{{.}}</code> {{else}}do what {{$.Host}} decides{{end}}</dd>
<dt>The answer goes to</dt><dd>{{.Back}}</dd>
</dl>
<p>What uses the gateway in your name can then use this server as you. Go on only if you wanted to log in just now.</p>
<form method="post"><input type="hidden" name="value" value="{{.Value}}"><button>Go on to {{.Host}}</button></form>{{end}}
{{with .Again}}<p><a href="{{.}}">Try again</a></p>{{end}}
</body></html>
`))
