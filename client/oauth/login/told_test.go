package login_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/lifecycle"
)

var _ remote.Authorizer = login.Visitor{}

// told returns the Log of a gateway, and what was written to it, without the times.
func told() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}})), &b
}

// Where no login can begin, the person has a page that says so, the log says why, and who asked for a token has the
// error.
func TestPagesTell(t *testing.T) {
	as := newAuthServer(t)
	as.set(func(w http.ResponseWriter, r *http.Request) bool { http.NotFound(w, r); return true })
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		open  func(redirect string) (*login.Runner, error)
		title string
		code  int
		log   string
		err   func(error) bool
	}{
		"no Runner": {
			func(string) (*login.Runner, error) { return nil, broken }, "That did not work", http.StatusInternalServerError,
			`level=WARN msg="login: no login" principal=ann server="the notes" err=broken`, func(err error) bool { return errors.Is(err, broken) },
		},
		"no page": {
			func(redirect string) (*login.Runner, error) {
				return login.New(oauth.Config{Redirect: redirect}, as.url+"/mcp", login.Options{Detached: true})
			},
			"The server cannot be logged in at", http.StatusBadGateway,
			`level=WARN msg="login: no page" principal=ann server="the notes" err="oauth: registration refused, `, func(err error) bool {
				var f *oauth.Failure
				return errors.As(err, &f)
			},
		},
		"no server": {
			func(string) (*login.Runner, error) { return nil, nil }, "No such page", http.StatusNotFound, "", func(err error) bool { return err == nil },
		},
	} {
		log, b := told()
		p, err := login.NewPages(login.PagesOptions{
			URL: "https://gw.example/login", Log: log, Who: func(*http.Request) (string, error) { return "ann", nil },
			Open: func(_, _, redirect string) (*login.Runner, error) { return c.open(redirect) },
		})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/login/the%20notes", nil))
		if text := w.Body.String(); w.Code != c.code || !strings.Contains(text, c.title) || strings.Contains(text, "The log of the gateway says why.") != (c.log != "") {
			t.Errorf("%s: %d %s", name, w.Code, text)
		}
		if line := b.String(); !strings.HasPrefix(line, c.log) || strings.Count(line, "\n") > 1 || (line == "") != (c.log == "") {
			t.Errorf("%s: logged %s", name, line)
		}
		v := p.Visitor("ann", "the notes")
		if tok, err := v.Authorize(context.Background(), as.refused("")); !c.err(err) || tok.Access != "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := v.Prove(context.Background(), oauth.Proof{}); name == "no Runner" && !errors.Is(err, broken) || name == "no server" && err != nil {
			t.Errorf("%s: proof, %v", name, err)
		}
		p.Close()
	}
}

// What a login came to is logged: whose it was, and where. A person who said no reads that, and others that it
// failed; an answer that is posted is one, too.
func TestPagesLog(t *testing.T) {
	for name, c := range map[string]struct {
		change func(q url.Values)
		code   int
		text   string
		log    string
	}{
		"done": {func(url.Values) {}, http.StatusOK, "You are logged in", `level=INFO msg="login: done" principal=ann server="the notes"`},
		"said no": {
			func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") }, http.StatusBadGateway, "You refused it",
			`level=WARN msg="login: failed" principal=ann server="the notes" err="oauth: refused, `,
		},
		"failed": {
			func(q url.Values) { q.Del("code"); q.Set("error", "server_error") }, http.StatusBadGateway, "The log of the gateway says why.",
			`level=WARN msg="login: failed" principal=ann server="the notes" err="oauth: refused, `,
		},
	} {
		log, b := told()
		d := newDeskOf(t, log)
		by := d.browser("ann")
		value, _ := by.ask()
		to, _ := by.agree(value)
		back, err := url.Parse(by.visit(to))
		if err != nil {
			t.Fatal(err)
		}
		q := back.Query()
		c.change(q)
		back.RawQuery = ""
		resp, text := by.do(http.MethodPost, back.String(), q, nil)
		if resp.StatusCode != c.code || !strings.Contains(text, c.text) {
			t.Errorf("%s: %d %s", name, resp.StatusCode, text)
		}
		if line := b.String(); !strings.HasPrefix(line, c.log) || strings.Count(line, "\n") != 1 {
			t.Errorf("%s: logged %s", name, line)
		}
	}
}

// The error of a request that needs a person says at which page, in a form that a relay hands on.
func TestVisitorPage(t *testing.T) {
	d := newDesk(t)
	_, err := d.wanted("ann")
	var page interface{ LoginPage() string }
	if !errors.As(err, &page) || page.LoginPage() != d.url+"/the%20notes" {
		t.Error(err)
	}
}

// A client that has to be registered anew has a new page, and who came back hears of it; a request that no token
// helps has the reason.
func TestRegisteredAnew(t *testing.T) {
	s := newAuthServer(t)
	r := newRunner(t, s, oauth.Config{Redirect: "https://app.example/back"}, login.Options{Detached: true})
	var person *login.PersonError
	if _, err := r.Authorize(t.Context(), s.refused("")); !errors.As(err, &person) {
		t.Fatal(err)
	}
	unknown := true
	s.set(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/token" || !unknown {
			return false
		}
		unknown = false
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"invalid_client"}`)
		return true
	})
	first := person.Page
	person = nil
	if err := r.Returned(t.Context(), answerOf(t, first)); !errors.As(err, &person) || person.Page.URL == first.URL || person.Page.URL == "" {
		t.Fatal(err)
	}
	if err := r.Returned(t.Context(), answerOf(t, person.Page)); err != nil {
		t.Fatal(err)
	}
	tok, err := r.Authorize(t.Context(), oauth.Need{})
	wantToken(t, tok, err, "access-4")
	var f *oauth.Failure
	if tok, err := r.Authorize(t.Context(), oauth.Need{Status: 403, Used: tok.Access}); !errors.As(err, &f) || f.Reason != oauth.Forbidden || tok.Access != "" {
		t.Error(tok, err)
	}
}

// New hands on what is wrong with its arguments.
func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		cfg    oauth.Config
		server string
		want   error
	}{
		"a Config": {oauth.Config{Person: -1}, "https://h.example", lifecycle.ErrConfig},
		"a url":    {oauth.Config{}, "https://", nil},
	} {
		if r, err := login.New(c.cfg, c.server, login.Options{}); err == nil || r != nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := errors.New("broken")
	if r, err := login.New(oauth.Config{}, "https://h.example", login.Options{Store: unreadable{store.NewMemory(), broken}}); !errors.Is(err, broken) || r != nil {
		t.Error(err)
	}
}

// unreadable is a store that cannot be read.
type unreadable struct {
	store.Store
	err error
}

func (u unreadable) Load(context.Context, string) (oauth.Record, store.Version, error) {
	return oauth.Record{}, "", u.err
}
