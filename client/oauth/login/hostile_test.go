package login_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// A person is asked for more scopes while the token is still good for the rest.
func TestPagesStepUp(t *testing.T) {
	d := newDesk(t)
	if _, err := d.wanted("ann"); err == nil {
		t.Fatal("nobody is asked")
	}
	b := d.browser("ann")
	value, _ := b.ask()
	to, _ := b.agree(value)
	_, _ = b.do(http.MethodGet, b.visit(to), nil, nil)
	tok, err := d.wanted("ann")
	if err != nil {
		t.Fatal(err)
	}
	visitor := d.p.Visitor("ann", "the notes")
	need := oauth.Need{Status: 403, Used: tok.Access, Challenge: headers.Challenge{Error: "insufficient_scope", Scope: "write"}}
	if _, err = visitor.Authorize(t.Context(), need); err == nil {
		t.Fatal("nobody is asked for more scopes")
	}
	if good, err := visitor.Authorize(t.Context(), oauth.Need{}); err != nil || good.Access != tok.Access {
		t.Errorf("%+v, %v", good, err)
	}
	value, text := b.ask()
	if value == "" || !strings.Contains(text, "<code>write</code>") {
		t.Fatal(text)
	}
	to, _ = b.agree(value)
	if resp, text := b.do(http.MethodGet, b.visit(to), nil, nil); resp.StatusCode != http.StatusOK {
		t.Fatal(text)
	}
	if more, err := visitor.Authorize(t.Context(), need); err != nil || more.Access == tok.Access {
		t.Errorf("%+v, %v", more, err)
	}
}

// A login that ends because its Runner is closed is none.
func TestReturnedAtClose(t *testing.T) {
	s := newAuthServer(t)
	asked, end := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(end) })
	s.set(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/token" {
			close(asked)
			<-end
		}
		return false
	})
	r, err := login.New(oauth.Config{Redirect: "http://127.0.0.1:1/callback"}, s.url+"/mcp", login.Options{Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Authorize(t.Context(), s.refused(""))
	var person *login.PersonError
	if !errors.As(err, &person) {
		t.Fatal(err)
	}
	back := make(chan error, 1)
	query := answerOf(t, person.Page)
	go func() { back <- r.Returned(context.Background(), query) }()
	<-asked
	r.Close()
	if err := <-back; !errors.Is(err, lifecycle.ErrClosed) {
		t.Errorf("%v", err)
	}
	if err := r.Returned(context.Background(), query); err == nil {
		t.Error("an answer is taken behind the end")
	}
}

// slow answers each request with 404 after 29 seconds.
type slow struct{ *authServer }

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(29 * time.Second)
	return direct(s).RoundTrip(r)
}

// Patience is what a run takes, however slowly an authorization server answers, and however often it is asked.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		as := &authServer{t: t, url: "http://127.0.0.1:1", codes: map[string][]string{}}
		as.set(func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
				http.NotFound(w, r)
				return true
			}
			_, _ = w.Write([]byte(`{"resource":"http://127.0.0.1:1/mcp","authorization_servers":["http://127.0.0.1:2/a","http://127.0.0.1:3/a","http://127.0.0.1:4/a","http://127.0.0.1:5/a"]}`))
			return true
		})
		r, err := login.New(oauth.Config{}, as.url+"/mcp", login.Options{Transport: slow{as}, Store: store.NewMemory()})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		began := time.Now()
		_, err = r.Authorize(t.Context(), as.refused(""))
		var f *oauth.Failure
		if took := time.Since(began); took > oauth.DefaultPatience+29*time.Second || !errors.As(err, &f) || f.Reason != oauth.TooMuch {
			t.Errorf("%v: %v", took, err)
		}
	})
}

// A name of somebody else that leads to this machine is no way to Pages that are for this machine: who made it
// could read them.
func TestPagesRebound(t *testing.T) {
	d := newDesk(t)
	b := d.browser("ann")
	for host, want := range map[string]int{"evil.example": 403, "evil.example:80": 403, "": 200, "localhost:8080": 200, "[::1]:8080": 200} {
		resp, text := b.do(http.MethodGet, b.url+"/the%20notes", nil, func(r *http.Request) {
			if host != "" {
				r.Host = host
			}
		})
		if resp.StatusCode != want || want == 403 && strings.Contains(text, "c1") {
			t.Errorf("%q: %d %s", host, resp.StatusCode, text)
		}
	}
}

// Who sends a form and never ends it costs a connection for a short while, nobody's login, and no more than that.
func TestPagesSlowForm(t *testing.T) {
	d := newDesk(t)
	d.p.SetFormTime(50 * time.Millisecond)
	for _, user := range []string{"ann", ""} {
		for _, path := range []string{"/the%20notes", "/the%20notes/callback"} {
			at, err := url.Parse(d.url + path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := net.Dial("tcp", at.Host)
			if err != nil {
				t.Fatal(err)
			}
			auth := ""
			if user != "" {
				auth = "Authorization: Basic YW5uOg==\r\n"
			}
			_, _ = io.WriteString(c, "POST "+at.EscapedPath()+" HTTP/1.1\r\nHost: "+at.Host+"\r\n"+auth+"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nvalue=")
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
			text, err := io.ReadAll(c)
			if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 4") {
				t.Errorf("%q %s: %v: %.80s", user, path, err, text)
			}
			_ = c.Close()
		}
	}
}

// An authorization server that has people log in at another one, and takes the code itself, is named.
func TestPagesNameTheIssuer(t *testing.T) {
	d := newDesk(t)
	d.as.set(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/.well-known/oauth-authorization-server" {
			return false
		}
		_, _ = io.WriteString(w, `{"issuer":"`+d.as.url+`","authorization_endpoint":"https://honest.example/authorize","token_endpoint":"`+d.as.url+`/token",
			"registration_endpoint":"`+d.as.url+`/register","code_challenge_methods_supported":["S256"]}`)
		return true
	})
	_, text := d.browser("ann").ask()
	for _, want := range []string{"<strong>honest.example</strong>", "<strong>" + d.as.url + "</strong>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s:\n%s", want, text)
		}
	}
}

// What signs, or has the token of the grant, has as long as the run, and then the key of the store is free.
func TestGiveEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		as := &authServer{t: t, url: "http://127.0.0.1:1", codes: map[string][]string{}}
		r, err := login.New(oauth.Config{Grant: oauth.Assertion}, as.url+"/mcp", login.Options{
			Detached: true, Transport: direct{as}, Store: store.NewMemory(),
			Give: func(ctx context.Context, _ oauth.Ask) ([]byte, error) {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		ctx, end := context.WithTimeout(t.Context(), time.Hour)
		defer end()
		began := time.Now()
		_, err = r.Authorize(ctx, as.refused(""))
		if took := time.Since(began); err == nil || took > oauth.DefaultPatience {
			t.Errorf("%v: %v", took, err)
		}
	})
}
