package login_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
)

// direct makes the requests of a Runner without a network.
type direct struct{ *authServer }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	d.ServeHTTP(w, r)
	return w.Result(), nil
}

// The answer is waited for ten minutes from the consent on, however long the authorization server would take it.
//
// rows: SEC-108
// revisions: all 2026-07-28
func TestPagesExpire(t *testing.T) {
	for after, want := range map[time.Duration]int{10*time.Minute - 1: http.StatusOK, 10 * time.Minute: http.StatusBadRequest} {
		synctest.Test(t, func(t *testing.T) {
			as := &authServer{t: t, url: "http://127.0.0.1:1", codes: map[string][]string{}}
			p, err := login.NewPages(login.PagesOptions{
				URL: "https://h/login", Who: func(*http.Request) (string, error) { return "ann", nil },
				Open: func(_, _, redirect string) (*login.Runner, error) {
					return login.New(oauth.Config{Name: "x", Redirect: redirect, Person: time.Hour}, as.url+"/mcp", login.Options{Detached: true, Transport: direct{as}})
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			do := func(method, at string, cookies []*http.Cookie, body string) *http.Response {
				r, w := httptest.NewRequest(method, at, strings.NewReader(body)), httptest.NewRecorder()
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				for _, c := range cookies {
					r.AddCookie(c)
				}
				p.ServeHTTP(w, r)
				return w.Result()
			}
			shown := do(http.MethodGet, "https://h/login/notes", nil, "")
			text, _ := io.ReadAll(shown.Body)
			cookies := shown.Cookies()
			if len(cookies) != 1 || !cookies[0].Secure || !strings.HasPrefix(cookies[0].Name, "__Host-") || cookies[0].Path != "/" || cookies[0].Domain != "" {
				t.Fatalf("%v\n%s", cookies, text)
			}
			to := do(http.MethodPost, "https://h/login/notes", cookies, url.Values{"value": {hidden.FindStringSubmatch(string(text))[1]}}.Encode())
			cookies = append(cookies, to.Cookies()...)
			sent, err := direct{as}.RoundTrip(httptest.NewRequest(http.MethodGet, to.Header.Get("Location"), nil))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(after)
			if got := do(http.MethodGet, sent.Header.Get("Location"), cookies, ""); got.StatusCode != want {
				t.Errorf("after %v: %d, want %d", after, got.StatusCode, want)
			}
		})
	}
}

// A person who says no is told so, and nothing that came with the answer.
func TestPagesRefused(t *testing.T) {
	d := newDesk(t)
	b := d.browser("ann")
	value, _ := b.ask()
	to, _ := b.agree(value)
	back, _ := url.Parse(b.visit(to))
	q := back.Query()
	q.Del("code")
	q.Set("error", "access_denied")
	q.Set("error_description", "a text of theirs")
	back.RawQuery = q.Encode()
	if resp, text := b.do(http.MethodGet, back.String(), nil, nil); resp.StatusCode != http.StatusBadGateway || !strings.Contains(text, "You refused it") || strings.Contains(text, "theirs") {
		t.Error(resp.StatusCode, text)
	}
}

// Whoever opens a Runner, which may read a store, holds up nobody else; and what was opened for a server that has
// changed meanwhile is opened again.
func TestPagesOpenAtOnce(t *testing.T) {
	as := newAuthServer(t)
	begun, goOn := make(chan string, 10), make(chan struct{})
	p, err := login.NewPages(login.PagesOptions{
		URL: "https://h/login", Who: func(*http.Request) (string, error) { return "ann", nil },
		Open: func(principal, _, redirect string) (*login.Runner, error) {
			begun <- principal
			if principal == "ann" {
				<-goOn
			}
			return login.New(oauth.Config{Redirect: redirect}, as.url+"/mcp", login.Options{Detached: true})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ask := func(principal string) chan error {
		done := make(chan error, 1)
		go func() {
			_, err := p.Visitor(principal, "notes").Authorize(t.Context(), oauth.Need{})
			done <- err
		}()
		return done
	}
	first, second := ask("ann"), ask("ann")
	<-begun
	<-begun
	if err := <-ask("bob"); err != nil {
		t.Fatal(err)
	}
	p.Forget("notes")
	close(goOn)
	if err := errors.Join(<-first, <-second); err != nil {
		t.Error(err)
	}
	if err := <-ask("ann"); err != nil { // has one
		t.Error(err)
	}
	close(begun)
	times := 0
	for who := range begun {
		if who == "ann" {
			times++
		}
	}
	if times < 1 || times > 2 { // again, by one of the two or by both
		t.Errorf("opened %d times after the server was forgotten", times)
	}
}
