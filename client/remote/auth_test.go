package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
)

// fakeAuth has a token for each kind of need.
type fakeAuth struct {
	mu     sync.Mutex
	token  oauth.Token
	needs  []oauth.Need
	proofs []oauth.Proof
	want   func(need oauth.Need) (oauth.Token, error) // what 401 and 403 give
}

func (a *fakeAuth) Authorize(_ context.Context, need oauth.Need) (oauth.Token, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if need.Status != 0 {
		a.needs = append(a.needs, need)
	}
	if need.Status/100 == 4 {
		var err error
		if a.token, err = a.want(need); err != nil {
			return oauth.Token{}, err
		}
	}
	return a.token, nil
}

func (a *fakeAuth) Prove(_ context.Context, p oauth.Proof) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.proofs = append(a.proofs, p)
	return fmt.Sprint("proof-", len(a.proofs)), nil
}

// An Authorizer hears how a request was refused and with which token, and once of each token that is taken.
//
// rows: AUTH-005 AUTH-014 AUTH-025 AUTH-026
// revisions: 2025-03-26.. 2026-07-28
func TestAuthorizer(t *testing.T) {
	m := newMock(t)
	valid := "Bearer one"
	guard := func(w http.ResponseWriter, r *http.Request, status int, challenge string) bool {
		if r.Header.Get("Authorization") == valid {
			return false
		}
		w.Header().Set("WWW-Authenticate", challenge)
		w.WriteHeader(status)
		return true
	}
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Method == "resources/read" {
			valid = "Key two" // of a scheme of its own
			return guard(w, r, 403, `Bearer scope="more"`)
		}
		return guard(w, r, 401, `Bearer scope="some"`)
	}
	a := &fakeAuth{want: func(need oauth.Need) (oauth.Token, error) {
		if need.Status == 403 {
			return oauth.Token{Access: "two", Type: "Key", Resource: m.url}, nil
		}
		return oauth.Token{Access: "one", Type: "Bearer", Resource: m.url}, nil
	}}
	c := m.connect(Options{Auth: a, NoListen: true}, session.Options{})
	wantErr(t, read(c), nil)
	wantErr(t, read(c), nil)
	wantErr(t, c.Close(context.Background()), nil)
	want := []oauth.Need{
		{Status: 401, Challenge: headers.Challenge{Scope: "some"}}, {Status: 200, Used: "one"},
		{Status: 403, Challenge: headers.Challenge{Scope: "more"}, Used: "one"}, {Status: 200, Used: "two"},
	}
	if fmt.Sprintf("%#v", a.needs) != fmt.Sprintf("%#v", want) || len(a.needs) != len(want) {
		t.Fatal(a.needs)
	}
	for i, n := range a.needs {
		if n != want[i] {
			t.Error(i, n.Status, n.Challenge, string(n.Used))
		}
	}
	if last := m.heads[len(m.heads)-1]; last.Method != http.MethodDelete || last.Header.Get("Authorization") != "Key two" {
		t.Error(last.Method, last.Header)
	}
}

// What no token changes is no question, and what the Authorizer returns is looked at before it goes out.
//
// rows: AUTH-032
// revisions: 2025-03-26.. 2026-07-28
func TestAuthorizerLimits(t *testing.T) {
	no := errors.New("nobody is there")
	for name, c := range map[string]struct {
		status    int
		challenge string
		token     oauth.Token
		err       error
		want      error
		asked     bool
	}{
		"forbidden":      {status: 403, challenge: `Bearer error="invalid_request"`},
		"another origin": {status: 401, token: oauth.Token{Access: "a", Type: "Bearer", Resource: "https://other.example/mcp"}, want: errOrigin, asked: true},
		"another path":   {status: 401, token: oauth.Token{Access: "a", Type: "Bearer", Resource: "/other"}, want: errOrigin, asked: true},
		"no token":       {status: 401, token: oauth.Token{Access: "a\r\nX: y", Type: "Bearer"}, want: errToken, asked: true},
		"no scheme":      {status: 401, token: oauth.Token{Access: "a", Type: "Bearer x"}, want: errToken, asked: true},
		"an error":       {status: 403, challenge: `Bearer error="insufficient_scope"`, err: no, want: no, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMock(t)
			m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
				if msg.Method != "resources/read" {
					return false
				}
				if r.Header.Get("Authorization") != "" {
					t.Error(r.Header)
				}
				w.Header().Set("WWW-Authenticate", c.challenge)
				w.WriteHeader(c.status)
				return true
			}
			if strings.HasPrefix(c.token.Resource, "/") { // below the server
				c.token.Resource = m.url + c.token.Resource
			}
			a := &fakeAuth{want: func(oauth.Need) (oauth.Token, error) { return c.token, c.err }}
			conn := m.connect(Options{Auth: a, NoListen: true}, session.Options{})
			err := read(conn)
			var e *lostError
			if !errors.As(err, &e) || c.want != nil && !errors.Is(err, c.want) || (len(a.needs) > 0) != c.asked {
				t.Error(err, a.needs)
			}
		})
	}
	if _, err := New("https://example.com", Options{Auth: &fakeAuth{}, Token: token("t")}); err == nil {
		t.Error("Auth and Token")
	}
}

// A request with a token that is bound to a key has a proof of its own, with the last nonce of the server;
// it is made again once for a nonce.
//
// rows: AUTH-026
// revisions: 2025-03-26.. 2026-07-28
func TestProof(t *testing.T) {
	m := newMock(t)
	nonce := "n1"
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		w.Header().Set("DPoP-Nonce", nonce)
		if msg.Method == "resources/read" && nonce == "n1" || nonce == "never" {
			w.Header().Set("WWW-Authenticate", `Bearer realm="x", DPoP error="use_dpop_nonce"`)
			w.WriteHeader(http.StatusUnauthorized)
			if nonce == "n1" {
				nonce = "n2"
			}
			return true
		}
		return false
	}
	no := errors.New("no")
	a := &fakeAuth{token: oauth.Token{Access: "t", Type: "DPoP"}, want: func(oauth.Need) (oauth.Token, error) { return oauth.Token{}, no }}
	c := m.connect(Options{Auth: a, NoListen: true}, session.Options{})
	wantErr(t, read(c), nil)
	if len(a.proofs) != len(m.heads) || len(a.needs) != 1 {
		t.Fatal(len(a.proofs), len(m.heads), a.needs)
	}
	seen := map[string]bool{}
	for i, r := range m.heads {
		p := a.proofs[i]
		if p.Method != r.Method || p.URL != m.url || p.Token != "t" || r.Header.Get("Authorization") != "DPoP t" || seen[r.Header.Get("DPoP")] {
			t.Error(i, p, r.Header)
		}
		seen[r.Header.Get("DPoP")] = true
	}
	if n := len(a.proofs); a.proofs[0].Nonce != "" || a.proofs[n-2].Nonce != "n1" || a.proofs[n-1].Nonce != "n1" && a.proofs[n-1].Nonce != "n2" {
		t.Error(a.proofs)
	}
	nonce = "never"
	before := len(m.heads)
	wantErr(t, read(c), no)
	if len(m.heads) != before+2 {
		t.Error(len(m.heads)-before, "requests")
	}
}

// Who waits for the answer of Options.Token waits no longer than the own context; the question ends with
// the last one, and whoever comes then asks again.
func TestWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var questions, given int
		k := &tokens{ctx: t.Context(), start: func(f func()) { go f() }}
		k.ask = func(ctx context.Context, _ headers.Challenge) (string, error) {
			questions++
			select {
			case <-time.After(time.Minute):
				return "t", nil
			case <-ctx.Done():
				given++
				time.Sleep(time.Second)
				return "", context.Cause(ctx)
			}
		}
		results := make(chan error, 9)
		wait := func(d time.Duration) {
			go func() {
				ctx, end := context.WithTimeout(context.Background(), d)
				defer end()
				got, err := k.Authorize(ctx, oauth.Need{Status: 401})
				if err == nil && got.Access != "t" {
					err = errors.New("another token")
				}
				results <- err
			}()
			synctest.Wait()
		}
		wait(time.Second)
		wait(2 * time.Second)
		wantErr(t, <-results, context.DeadlineExceeded)
		wantErr(t, <-results, context.DeadlineExceeded)
		synctest.Wait()
		if questions != 1 || given != 1 {
			t.Error(questions, given)
		}
		wait(time.Hour) // the first question is about to end
		wait(3 * time.Second)
		wait(time.Hour)
		wantErr(t, <-results, context.DeadlineExceeded)
		wantErr(t, <-results, nil)
		wantErr(t, <-results, nil)
		if questions != 2 || given != 1 {
			t.Error(questions, given)
		}
	})
}

// No redirect carries the token to another origin, whatever the method is, and one within the origin does.
//
// rows: AUTH-062
// revisions: 2025-03-26.. 2026-07-28
func TestRedirectsHaveNoToken(t *testing.T) {
	other := newMock(t)
	for _, status := range []int{301, 302, 303, 307, 308} {
		m := newMock(t)
		m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
			if msg.Method != "resources/read" {
				return false
			}
			http.Redirect(w, r, other.url, status)
			return true
		}
		m.get = func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.url, status) }
		a := &fakeAuth{token: oauth.Token{Access: "secret", Type: "Bearer"}}
		c := m.connect(Options{Auth: a}, session.Options{})
		if err := read(c); err == nil || strings.Contains(err.Error(), "secret") {
			t.Error(status, err)
		}
	}
	if len(other.heads) != 0 {
		t.Error(other.heads[0].Method, other.heads[0].Header)
	}
}

// Every request of a session has the token: messages, the stream of the server, one that is gone on with, the
// question whether anybody listens, and the end.
//
// rows: AUTH-026
// revisions: 2025-03-26.. 2026-07-28
func TestEveryRequestHasTheToken(t *testing.T) {
	m := newMock(t)
	m.get = func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") != "" {
			reply := jsonrpc.Append(nil, jsonrpc.Message{Kind: jsonrpc.KindResult, ID: m.messages[slices.IndexFunc(m.messages, func(msg jsonrpc.Message) bool { return msg.Method == "resources/read" })].ID, Body: `{"contents":[]}`})
			events(w)("data: " + string(reply))
			return
		}
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
	m.post = func(w http.ResponseWriter, r *http.Request, msg jsonrpc.Message) bool {
		if msg.Method != "resources/read" {
			return r.Method == http.MethodOptions
		}
		events(w)("id: 1", "data:")
		cut()
		return true
	}
	wait := exchange.Options{Wait: 50 * time.Millisecond, MinWait: 50 * time.Millisecond}
	c := m.connect(Options{Auth: &fakeAuth{token: oauth.Token{Access: "t", Type: "Bearer"}}, RefusedEnds: true, Exchange: wait}, session.Options{})
	wantErr(t, read(c), nil)
	wantErr(t, c.Close(context.Background()), nil)
	kinds := map[string]bool{}
	for _, r := range m.heads {
		kinds[r.Method+" "+r.Header.Get("Last-Event-ID")] = true
		if r.Header.Get("Authorization") != "Bearer t" {
			t.Error(r.Method, r.Header)
		}
	}
	for _, kind := range []string{"POST ", "GET ", "GET 1", "OPTIONS ", "DELETE "} {
		if !kinds[kind] {
			t.Error("no", kind, m.heard())
		}
	}
}
