package remote

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
)

func token(s string) func(context.Context, headers.Challenge) (string, error) {
	return func(context.Context, headers.Challenge) (string, error) { return s, nil }
}

// A token is asked for at the beginning, again when it is not good enough any more, once for
// all who need it, and goes with every request.
//
// rows: AUTH-014 AUTH-025 AUTH-026 AUTH-027
func TestToken(t *testing.T) {
	m := newMock(t)
	var valid atomic.Value
	valid.Store("one")
	guard := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") == "Bearer "+valid.Load().(string) {
			return true
		}
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://example.com/meta", scope="all"`)
		w.WriteHeader(http.StatusUnauthorized)
		return false
	}
	m.post = func(w http.ResponseWriter, r *http.Request, _ jsonrpc.Message) bool { return !guard(w, r) }
	m.get = func(w http.ResponseWriter, r *http.Request) {
		if guard(w, r) {
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}
	var asked []headers.Challenge
	opt := Options{Token: func(_ context.Context, c headers.Challenge) (string, error) {
		if asked = append(asked, c); c.Scope == "" {
			return "", nil // there is none yet
		}
		time.Sleep(20 * time.Millisecond)
		return valid.Load().(string), nil
	}}
	c := m.connect(opt, session.Options{})
	wantErr(t, read(c), nil)
	if len(asked) != 2 || asked[1].ResourceMetadata != "https://example.com/meta" || asked[1].Scope != "all" {
		t.Error(asked)
	}
	valid.Store("two")
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if err := read(c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(asked) != 3 {
		t.Error(len(asked), "questions")
	}
	wantErr(t, c.Close(context.Background()), nil)
	if last := m.heads[len(m.heads)-1]; last.Method != http.MethodDelete || last.Header.Get("Authorization") != "Bearer two" {
		t.Error(last.Method, last.Header)
	}
	for i, r := range m.heads {
		if url := r.URL.String(); url != "/mcp" || strings.Contains(string(m.messages[i].Body), "one") {
			t.Error(url, m.messages[i])
		}
	}
}

// A server that wants a token without saying so is told from the first question.
func TestTokenWithoutChallenge(t *testing.T) {
	m := newMock(t)
	m.post = func(w http.ResponseWriter, r *http.Request, _ jsonrpc.Message) bool {
		if r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	}
	c := m.connect(Options{Token: func(_ context.Context, c headers.Challenge) (string, error) {
		if c == (headers.Challenge{}) {
			return "", nil
		}
		return "t-" + c.Error, nil
	}}, session.Options{})
	wantErr(t, read(c), nil)
	if got := m.heads[len(m.heads)-1].Header.Get("Authorization"); got != "Bearer t-invalid_token" {
		t.Error(got)
	}
}

// A server that is never content is asked so often and no more; who has no other token says
// so.
func TestTokenRefused(t *testing.T) {
	m := newMock(t)
	m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
		if msg.Method == "resources/read" {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="more"`)
			w.WriteHeader(http.StatusForbidden)
			return true
		}
		return false
	}
	no := errors.New("the user said no")
	var asked atomic.Int32
	var refuse atomic.Bool
	c := m.connect(Options{Token: func(_ context.Context, c headers.Challenge) (string, error) {
		if c.Error == "insufficient_scope" {
			asked.Add(1)
		}
		if refuse.Load() {
			return "", no
		}
		return "t", nil
	}}, session.Options{})
	err := read(c)
	var e *lostError
	if !errors.As(err, &e) || e.Failure.Reason != exchange.Unauthorized || e.Failure.Challenge.Scope != "more" || asked.Load() != defaultLogins {
		t.Error(err, asked.Load())
	}
	refuse.Store(true)
	wantErr(t, read(c), no)

	c = m.connect(Options{}, session.Options{})
	wantText(t, read(c), "unauthorized, status 403")
}

// The first token may be refused as well, and no token goes out in clear text.
func TestFirstToken(t *testing.T) {
	no := errors.New("no token")
	for _, tt := range []struct {
		url  string
		opt  Options
		want error
	}{
		{"http://127.0.0.1:1/", Options{Token: func(context.Context, headers.Challenge) (string, error) { return "", no }}, no},
		{"http://192.0.2.1/", Options{Token: token("t")}, ErrInsecure},
		{"http://127.0.0.1:1/", Options{Token: token("Bearer t")}, errToken},
		{"http://127.0.0.1:1/", Options{Token: token("t\n")}, errToken},
	} {
		tr, err := New(tt.url, tt.opt)
		wantErr(t, err, nil)
		_, err = session.Connect(context.Background(), config(), tr, session.Options{})
		wantErr(t, err, tt.want)
	}
	for url, safe := range map[string]bool{"http://localhost/": true, "http://[::1]:8080/": true, "https://example.com": true, "http://example.com": false} {
		tr, err := New(url, Options{})
		wantErr(t, err, nil)
		if got := tr.(*transport).safe; got != safe {
			t.Error(url, got)
		}
		wantErr(t, tr.Close(context.Background()), nil)
	}
	m := newMock(t) // a context that ends while somebody else is asked
	block := make(chan struct{})
	m.post = func(w http.ResponseWriter, _ *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer scope="x"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	}
	c := m.connect(Options{NoListen: true, Token: func(_ context.Context, c headers.Challenge) (string, error) {
		if c.Scope != "" {
			<-block
		}
		return "t", nil
	}}, session.Options{})
	ctx, end := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer end()
	go func() { _ = readIn(ctx, c, time.Minute) }()
	wantErr(t, readIn(ctx, c, time.Minute), context.DeadlineExceeded)
	close(block)
}
