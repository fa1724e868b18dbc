package login_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/lifecycle"
)

// desk are Pages over HTTP, for users who say who they are by Basic authentication.
type desk struct {
	t    *testing.T
	as   *authServer
	url  string
	p    *login.Pages
	done atomic.Value // the last pair
}

func newDesk(t *testing.T) *desk { return newDeskOf(t, nil) }

// newDeskOf returns a desk that logs.
func newDeskOf(t *testing.T, log *slog.Logger) *desk {
	d := &desk{t: t, as: newAuthServer(t)}
	var h atomic.Pointer[login.Pages]
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.Load().ServeHTTP(w, r) }))
	t.Cleanup(srv.Close)
	d.url = srv.URL + "/login"
	p, err := login.NewPages(login.PagesOptions{
		URL: d.url + "/", Log: log,
		Who: func(r *http.Request) (string, error) {
			if name, _, ok := r.BasicAuth(); ok {
				return name, nil
			}
			return "", errors.New("nobody")
		},
		Open: func(principal, server, redirect string) (*login.Runner, error) {
			if server != "the notes" && server != "more" {
				return nil, nil
			}
			return login.New(oauth.Config{Name: "gateway", Redirect: redirect}, d.as.url+"/mcp", login.Options{Detached: true})
		},
		Done: func(principal, server string) { d.done.Store(principal + " at " + server) },
	})
	if err != nil {
		t.Fatal(err)
	}
	h.Store(p)
	d.p = p
	t.Cleanup(p.Close)
	return d
}

// browser is one of a user, with cookies of its own.
type browser struct {
	*desk
	user    string
	cookies map[string]string
}

func (d *desk) browser(user string) *browser { return &browser{d, user, map[string]string{}} }

// do makes a request, without following redirects, and returns the page.
func (b *browser) do(method, at string, form url.Values, change func(*http.Request)) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequest(method, at, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.user != "" && strings.HasPrefix(at, b.url) {
		req.SetBasicAuth(b.user, "")
		for name, v := range b.cookies {
			req.AddCookie(&http.Cookie{Name: name, Value: v})
		}
	}
	if change != nil {
		change(req)
	}
	hc := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := hc.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, _ := io.ReadAll(resp.Body)
	if strings.HasPrefix(at, b.url) {
		for _, c := range resp.Cookies() {
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
				b.t.Errorf("%+v", c)
			}
			if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
				delete(b.cookies, c.Name)
			}
		}
		h := resp.Header
		if !strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") || h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" {
			b.t.Errorf("%v", h)
		}
	}
	return resp, string(text)
}

var hidden = regexp.MustCompile(`name="value" value="([^"]*)"`)

// ask opens the page, and returns the value of its form, "" if it has none.
func (b *browser) ask() (value, text string) {
	b.t.Helper()
	_, text = b.do(http.MethodGet, b.url+"/the%20notes", nil, nil)
	if m := hidden.FindStringSubmatch(text); m != nil {
		value = m[1]
	}
	return value, text
}

// agree says yes, and returns where the browser is sent.
func (b *browser) agree(value string) (to string, status int) {
	b.t.Helper()
	resp, _ := b.do(http.MethodPost, b.url+"/the%20notes", url.Values{"value": {value}}, nil)
	return resp.Header.Get("Location"), resp.StatusCode
}

// visit is the visit at the authorization server, and returns where it sends the browser back to.
func (b *browser) visit(at string) string {
	b.t.Helper()
	resp, _ := b.do(http.MethodGet, at, nil, nil)
	return resp.Header.Get("Location")
}

// wanted is what a server says that wants a token.
func (d *desk) wanted(principal string) (oauth.Token, error) {
	return d.p.Visitor(principal, "the notes").Authorize(context.Background(), d.as.refused(""))
}

// A person is asked, goes to the authorization server and comes back; the token is that of the
// principal alone.
//
// rows: AUTH-050 SEC-107 SEC-108
// revisions: all 2026-07-28
func TestPages(t *testing.T) {
	d := newDesk(t)
	_, err := d.wanted("ann")
	var person *login.PersonError
	if !errors.As(err, &person) || !strings.Contains(err.Error(), d.url+"/the%20notes") {
		t.Fatal(err)
	}
	b := d.browser("ann")
	value, text := b.ask()
	for _, want := range []string{"ann", d.as.url + "/mcp", strings.TrimPrefix(d.as.url, "http://"), "c1", "<code>a</code>", d.url + "/the%20notes/callback"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	to, status := b.agree(value)
	if status != http.StatusSeeOther || to != person.Page.URL {
		t.Fatal(status, to)
	}
	resp, text := b.do(http.MethodGet, b.visit(to), nil, nil)
	if resp.StatusCode != http.StatusOK || d.done.Load() != "ann at the notes" {
		t.Fatal(resp.StatusCode, text, d.done.Load())
	}
	if tok, err := d.wanted("ann"); err != nil || tok.Access == "" {
		t.Error(err)
	}
	if tok, err := d.wanted("bob"); !errors.As(err, &person) || tok.Access != "" {
		t.Error("another principal has the token")
	}
	if value, text := b.ask(); value != "" || !strings.Contains(text, "You are logged in") {
		t.Error(text)
	}
}

// An answer counts once, after the consent, in its browser and for its principal.
//
// rows: SEC-107 SEC-108 AUTH-046
// revisions: all 2026-07-28
func TestPagesAnswer(t *testing.T) {
	for name, broken := range map[string]func(d *desk, b *browser, to string) (by *browser, back string){
		"another browser":   func(d *desk, b *browser, to string) (*browser, string) { return d.browser("ann"), b.visit(to) },
		"another principal": func(d *desk, b *browser, to string) (*browser, string) { b.user = "bob"; return b, b.visit(to) },
		"another state": func(d *desk, b *browser, to string) (*browser, string) {
			return b, strings.Replace(b.visit(to), "state=", "state=x", 1)
		},
		"nobody": func(d *desk, b *browser, to string) (*browser, string) { b.user = ""; return b, b.visit(to) },
		"a path of another server": func(d *desk, b *browser, to string) (*browser, string) {
			return b, strings.Replace(b.visit(to), "the%20notes", "other", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			b := d.browser("ann")
			value, _ := b.ask()
			to, _ := b.agree(value)
			by, back := broken(d, b, to)
			resp, text := by.do(http.MethodGet, back, nil, nil)
			if resp.StatusCode/100 != 4 || strings.Contains(text, "state=") {
				t.Error(resp.StatusCode, text)
			}
			if n := d.as.count("POST /token"); n != 0 {
				t.Errorf("%d requests for a token", n)
			}
		})
	}
	d := newDesk(t)
	b := d.browser("ann")
	value, _ := b.ask()
	var person *login.PersonError
	if _, err := d.wanted("ann"); !errors.As(err, &person) {
		t.Fatal(err)
	}
	if resp, _ := b.do(http.MethodGet, b.visit(person.Page.URL), nil, nil); resp.StatusCode != http.StatusBadRequest {
		t.Error("an answer counts before the consent:", resp.StatusCode)
	}
	to, _ := b.agree(value)
	back := b.visit(to)
	first, _ := b.do(http.MethodGet, back, nil, nil)
	second, _ := b.do(http.MethodGet, back, nil, nil)
	if bare, _ := b.do(http.MethodGet, b.url+"/the%20notes/callback", nil, nil); bare.StatusCode != http.StatusBadRequest {
		t.Error("an answer without a state:", bare.StatusCode)
	}
	if first.StatusCode != http.StatusOK || second.StatusCode != http.StatusBadRequest || d.as.count("POST /token") != 1 {
		t.Error(first.StatusCode, second.StatusCode, d.as.count("POST /token"))
	}
}

// A server whose definition has changed is another one.
func TestPagesForget(t *testing.T) {
	d := newDesk(t)
	b := d.browser("ann")
	value, _ := b.ask()
	to, _ := b.agree(value)
	back := b.visit(to)
	d.p.Forget("more")
	if resp, _ := b.do(http.MethodGet, back, nil, nil); resp.StatusCode != http.StatusOK {
		t.Error(resp.StatusCode)
	}
	d.p.Forget("the notes")
	var person *login.PersonError
	if _, err := d.wanted("ann"); !errors.As(err, &person) {
		t.Error("the token of the former server is used:", err)
	}
	value, _ = b.ask()
	to, _ = b.agree(value)
	back = b.visit(to)
	d.p.Forget("the notes")
	if resp, _ := b.do(http.MethodGet, back, nil, nil); resp.StatusCode != http.StatusBadRequest {
		t.Error("an answer to the former one counts:", resp.StatusCode)
	}
}

// Nobody can say yes in a person's place.
//
// rows: SEC-107
// revisions: all 2026-07-28
func TestPagesConsent(t *testing.T) {
	d := newDesk(t)
	ann, other, bob := d.browser("ann"), d.browser("ann"), d.browser("bob")
	mine, _ := ann.ask()
	if _, text := other.ask(); text == "" {
		t.Fatal()
	}
	his, _ := bob.ask()
	_, more := ann.do(http.MethodGet, d.url+"/more", nil, nil)
	for name, try := range map[string]func() int{
		"no value":                  func() int { _, s := ann.agree(""); return s },
		"the value of another user": func() int { _, s := ann.agree(his); return s },
		"the value of another page": func() int { _, s := ann.agree(hidden.FindStringSubmatch(more)[1]); return s },
		"another browser":           func() int { _, s := other.agree(mine); return s },
		"no cookie":                 func() int { _, s := d.browser("ann").agree(mine); return s },
		"value in the query": func() int {
			r, _ := ann.do(http.MethodPost, d.url+"/the%20notes?value="+mine, url.Values{}, nil)
			return r.StatusCode
		},
	} {
		if status := try(); status != http.StatusForbidden {
			t.Errorf("%s: %d", name, status)
		}
	}
	if _, status := ann.agree(mine); status != http.StatusSeeOther {
		t.Error(status)
	}
}

// What is no page is none.
func TestPagesElsewhere(t *testing.T) {
	d := newDesk(t)
	b := d.browser("ann")
	for path, want := range map[string]int{
		"/other": 404, "/": 404, "": 404, "/the%20notes/x": 404, "/the%20notes/callback/callback": 404, "/the%20notes/callback": 400, "x/the%20notes": 404, "/%2e%2e": 404,
	} {
		if resp, text := b.do(http.MethodGet, d.url+path, nil, nil); resp.StatusCode != want {
			t.Errorf("%s: %d, want %d: %s", path, resp.StatusCode, want, text)
		}
	}
	if resp, _ := b.do(http.MethodDelete, d.url+"/the%20notes", nil, nil); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Error(resp.StatusCode)
	}
	resp, _ := b.do(http.MethodPost, d.url+"/the%20notes/callback", url.Values{"state": {strings.Repeat("x", 1<<20)}}, nil)
	if resp.StatusCode != http.StatusBadRequest {
		t.Error(resp.StatusCode)
	}
	if resp, _ := d.browser("").do(http.MethodGet, d.url+"/the%20notes", nil, nil); resp.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Basic ") {
		t.Error(resp.StatusCode)
	}
	if resp, err := http.Get(d.as.url + "/mcp"); err != nil || resp.StatusCode != http.StatusNotFound {
		t.Error(err)
	}
}

// A gateway hears of what is wrong with its settings.
func TestNewPages(t *testing.T) {
	who := func(*http.Request) (string, error) { return "", nil }
	open := func(string, string, string) (*login.Runner, error) { return nil, nil }
	for _, o := range []login.PagesOptions{
		{}, {URL: "https://h/login", Who: who}, {URL: "https://h/login", Open: open}, {URL: "http://h/login", Who: who, Open: open}, {URL: "login", Who: who, Open: open},
		{URL: "https://h/login?x", Who: who, Open: open}, {URL: "https://u@h/login", Who: who, Open: open}, {URL: "https://h/#x", Who: who, Open: open}, {URL: "ftp://h/", Who: who, Open: open},
	} {
		if _, err := login.NewPages(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
	p, err := login.NewPages(login.PagesOptions{URL: "https://h", Who: who, Open: open})
	if err != nil || p.Page("a/b") != "https://h/a%2Fb" {
		t.Error(err)
	}
	if v := p.Visitor("ann", "a"); v != p.Visitor("ann", "a") || v == p.Visitor("bob", "a") {
		t.Error("Visitors of one principal and server are not equal")
	}
	var _ remote.Authorizer = p.Visitor("", "")
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "https://h/a", nil))
	if w.Code != http.StatusNotFound {
		t.Error(w.Code)
	}
	p.Close()
	if _, err := p.Visitor("ann", "a").Authorize(t.Context(), oauth.Need{}); !errors.Is(err, lifecycle.ErrClosed) {
		t.Error(err)
	}
}
