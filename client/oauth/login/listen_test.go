package login_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
)

// The listener takes one answer, for its own path, host and state, shows nothing that came, and is there no
// longer than it is needed.
//
// rows: SEC-110
// revisions: 2025-11-25 2026-07-28
func TestListener(t *testing.T) {
	s := newAuthServer(t)
	var bodies []string
	send := func(method, host, at string) int {
		req, err := http.NewRequest(method, at, nil)
		if err != nil {
			t.Error(err)
			return 0
		}
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0
		}
		defer func() { _ = resp.Body.Close() }()
		text, _ := io.ReadAll(resp.Body)
		bodies = append(bodies, string(text))
		kind := "text/plain; charset=utf-8"
		if resp.StatusCode == http.StatusOK {
			kind = "text/html; charset=utf-8"
		}
		if h := resp.Header; resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge && (h.Get("Cache-Control") != "no-store" || h.Get("Referrer-Policy") != "no-referrer" ||
			h.Get("Content-Security-Policy") != "default-src 'none'; frame-ancestors 'none'" || h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Content-Type") != kind || !resp.Close) {
			t.Error(resp.StatusCode, h)
		}
		return resp.StatusCode
	}
	var at *url.URL
	sent := make(chan struct{}) // all of it
	r := newRunner(t, s, oauth.Config{}, login.Options{Open: func(_ context.Context, p oauth.Page) error {
		defer close(sent)
		page, err := url.Parse(p.URL)
		if err != nil {
			return err
		}
		if at, err = url.Parse(page.Query().Get("redirect_uri")); err != nil {
			return err
		}
		good := at.String() + "?" + answerOf(t, p)
		for _, c := range []struct {
			name, method, host, url string
			want                    int
		}{
			{"another path", "GET", at.Host, strings.Replace(good, "/callback", "/favicon.ico", 1), 404},
			{"a longer path", "GET", at.Host, strings.Replace(good, "/callback", "/callback/x", 1), 404},
			{"another host", "GET", "evil.example", good, 404},
			{"no port", "GET", "127.0.0.1", good, 404},
			{"POST", "POST", at.Host, good, 405},
			{"HEAD", "HEAD", at.Host, good, 405},
			{"no query", "GET", at.Host, at.String(), 400},
			{"another state", "GET", at.Host, at.String() + "?code=marked-code&state=marked", 400},
			{"1 MiB", "GET", at.Host, good + "&x=" + strings.Repeat("y", 1<<20), 431},
			{"the answer", "GET", at.Host, good + "&x=marked", 200},
		} {
			if got := send(c.method, c.host, c.url); got != c.want && (got != 0 || c.want != 431) { // the connection may be closed first
				t.Errorf("%s: %d, want %d", c.name, got, c.want)
			}
		}
		return nil
	}})
	tok, err := r.Authorize(t.Context(), s.refused(""))
	wantToken(t, tok, err, "access-3")
	<-sent
	begin := time.Now()
	for {
		c, err := net.Dial("tcp", at.Host)
		if err != nil {
			break
		}
		_ = c.Close()
		if time.Since(begin) > time.Second {
			t.Fatal("the listener is still there")
		}
		time.Sleep(time.Millisecond)
	}
	if len(bodies) == 0 || !strings.Contains(bodies[len(bodies)-1], "close this window") {
		t.Errorf("%q", bodies)
	}
	for _, text := range bodies {
		if strings.Contains(text, "marked") || strings.Contains(text, "code") {
			t.Error(text)
		}
	}
}

// An address that somebody else has ends the run, and so does the time of the person.
func TestNobodyAnswers(t *testing.T) {
	s := newAuthServer(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	nothing := login.Options{Open: func(context.Context, oauth.Page) error { return nil }}
	r := newRunner(t, s, oauth.Config{Redirect: fmt.Sprintf("http://%s/x", l.Addr())}, nothing)
	var op *net.OpError
	if _, err := r.Authorize(t.Context(), s.refused("")); !errors.As(err, &op) {
		t.Error(err)
	}
	r = newRunner(t, s, oauth.Config{Person: time.Millisecond}, nothing)
	var f *oauth.Failure
	if _, err := r.Authorize(t.Context(), s.refused("")); !errors.As(err, &f) || f.Reason != oauth.Abandoned {
		t.Error(err)
	}
}

// A port that was free when the Runner began, and is not when a person is needed, is another one then, also at
// the authorization server.
func TestPortIsTaken(t *testing.T) {
	s := newAuthServer(t)
	r := newRunner(t, s, oauth.Config{}, login.Options{Open: browse})
	l, err := net.Listen("tcp", r.Redirect())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	tok, err := r.Authorize(t.Context(), s.refused(""))
	if err != nil || tok.Access == "" || s.logins != 1 || s.count("POST /register") != 2 || r.Redirect() == l.Addr().String() {
		t.Error(err, s.logins, s.calls)
	}
}
