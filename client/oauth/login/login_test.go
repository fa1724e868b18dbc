package login_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/lifecycle"
)

var _ remote.Authorizer = (*login.Runner)(nil)

func newRunner(t *testing.T, s *authServer, c oauth.Config, opt login.Options) *login.Runner {
	t.Helper()
	before := runtime.NumGoroutine()
	r, err := login.New(c, s.url+"/mcp", opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		http.DefaultClient.CloseIdleConnections()
		for end := time.Now().Add(patience); runtime.NumGoroutine() > before+8; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(runtime.NumGoroutine(), "goroutines, before", before)
			}
		}
	})
	return r
}

// wantToken fails the test unless there is a token.
func wantToken(t *testing.T, tok oauth.Token, err error, want string) {
	t.Helper()
	if err != nil || string(tok.Access) != want || want != "" && tok.Type != "Bearer" || tok.Refresh != "" {
		t.Fatalf("%q, %v, want %q", string(tok.Access), err, want)
	}
}

// Nothing is asked before the server refuses a request; then one person logs in, whatever number of requests
// waits, and all have the token.
//
// rows: AUTH-001
// revisions: 2025-03-26.. 2026-07-28
func TestOneLogin(t *testing.T) {
	s := newAuthServer(t)
	var opened atomic.Int32
	r := newRunner(t, s, oauth.Config{}, login.Options{Open: func(ctx context.Context, p oauth.Page) error {
		opened.Add(1)
		return browse(ctx, p)
	}})
	tok, err := r.Authorize(t.Context(), oauth.Need{})
	wantToken(t, tok, err, "")
	if len(s.calls) != 0 {
		t.Error(s.calls)
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			tok, err := r.Authorize(t.Context(), s.refused(""))
			if err != nil || tok.Access != "access-3" {
				t.Error(string(tok.Access), err)
			}
		})
	}
	wg.Wait()
	if opened.Load() != 1 || s.logins != 1 {
		t.Error(opened.Load(), "pages,", s.logins, "logins")
	}
	tok, err = r.Authorize(t.Context(), oauth.Need{})
	wantToken(t, tok, err, "access-3")
	tok, err = r.Authorize(t.Context(), oauth.Need{Status: 200, Used: "access-3"})
	wantToken(t, tok, err, "")
	tok, err = r.Authorize(t.Context(), s.refused("access-3")) // renewed, without a person
	wantToken(t, tok, err, "access-5")
	tok, err = r.Authorize(t.Context(), s.refused("access-3")) // somebody was faster
	wantToken(t, tok, err, "access-5")
	if opened.Load() != 1 || s.renewals != 1 {
		t.Error(opened.Load(), "pages,", s.renewals, "renewals")
	}
}

// A request that does not wait any longer leaves the others, and the last one ends the run: the page is of
// no more use then.
func TestLeaving(t *testing.T) {
	s := newAuthServer(t)
	pages, ended := make(chan oauth.Page, 9), make(chan struct{}, 9)
	r := newRunner(t, s, oauth.Config{}, login.Options{Open: func(ctx context.Context, p oauth.Page) error {
		pages <- p
		<-ctx.Done()
		ended <- struct{}{}
		return nil
	}})
	results := make(chan error, 9)
	ask := func() context.CancelFunc {
		ctx, leave := context.WithCancel(context.Background())
		go func() {
			_, err := r.Authorize(ctx, s.refused(""))
			results <- err
		}()
		return leave
	}
	first := ask()
	<-pages
	second := ask()
	for r.Waiting() < 2 {
		time.Sleep(time.Millisecond)
	}
	first()
	if err := <-results; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	select {
	case <-ended:
		t.Error("the run has ended")
	case <-time.After(50 * time.Millisecond):
	}
	second()
	<-results
	<-ended
	third := ask() // begins anew
	p := <-pages
	if err := r.Returned(t.Context(), "code=x&state=other"); !errors.Is(err, login.ErrState) {
		t.Error(err)
	}
	if err := r.Returned(t.Context(), answerOf(t, p)); err != nil {
		t.Error(err)
	}
	if err := <-results; err != nil {
		t.Error(err)
	}
	if err := r.Returned(t.Context(), answerOf(t, p)); !errors.Is(err, login.ErrState) {
		t.Error(err)
	}
	third()
}

// A Runner that is Detached says at once that a person is needed, and goes on when the answer comes, though
// no request waits.
func TestDetached(t *testing.T) {
	s := newAuthServer(t)
	r := newRunner(t, s, oauth.Config{Redirect: "https://gateway.example/callback"}, login.Options{Detached: true})
	var need *login.PersonError
	for _, n := range []oauth.Need{s.refused(""), {}, s.refused("")} {
		if _, err := r.Authorize(t.Context(), n); !errors.As(err, &need) || need.Page.URL == "" || strings.Contains(err.Error(), need.Page.State) {
			t.Fatal(err)
		}
	}
	answer := answerOf(t, need.Page)
	for _, bad := range []string{"", "code=x", "code=x&state=y", answer + "&state=y"} {
		if err := r.Returned(t.Context(), bad); !errors.Is(err, login.ErrState) {
			t.Error(bad, err)
		}
	}
	if err := r.Returned(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	if err := r.Returned(t.Context(), answer); !errors.Is(err, login.ErrState) {
		t.Error(err)
	}
	tok, err := r.Authorize(t.Context(), oauth.Need{})
	wantToken(t, tok, err, "access-3")

	s.refresh = "" // the token is revoked, and a person says no
	if _, err = r.Authorize(t.Context(), s.refused("access-3")); !errors.As(err, &need) {
		t.Fatal(err)
	}
	var f *oauth.Failure
	if err = r.Returned(t.Context(), "error=access_denied&state="+need.Page.State); !errors.As(err, &f) || f.Reason != oauth.Refused || f.Code != "access_denied" {
		t.Error(err)
	}
}

// What the application has to do it is asked for, and its errors end the run.
func TestApplication(t *testing.T) {
	s := newAuthServer(t)
	no := errors.New("no browser")
	r := newRunner(t, s, oauth.Config{}, login.Options{Open: func(context.Context, oauth.Page) error { return no }})
	if _, err := r.Authorize(t.Context(), s.refused("")); !errors.Is(err, no) {
		t.Error(err)
	}
	var asked []oauth.Ask
	r = newRunner(t, s, oauth.Config{Grant: oauth.Assertion}, login.Options{Give: func(_ context.Context, a oauth.Ask) ([]byte, error) {
		if asked = append(asked, a); len(asked) == 1 {
			return nil, no
		}
		return []byte("assertion"), nil
	}})
	if _, err := r.Authorize(t.Context(), s.refused("")); !errors.Is(err, no) {
		t.Error(err)
	}
	var f *oauth.Failure
	if _, err := r.Authorize(t.Context(), s.refused("")); !errors.As(err, &f) || f.Code != "invalid_grant" || len(asked) != 2 || asked[1].Kind != oauth.Subject {
		t.Error(err, asked)
	}
	for name, c := range map[string]oauth.Config{
		"Give":     {Grant: oauth.Exchange},
		"Proof":    {Proof: true},
		"Redirect": {Redirect: "ftp://x"},
	} {
		if _, err := login.New(c, s.url, login.Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Error(name, err)
		}
	}
	if _, err := login.New(oauth.Config{}, "http://example.com", login.Options{}); !errors.As(err, &f) || f.Reason != oauth.OutOfReach {
		t.Error(err)
	}
	r.Close()
	if _, err := r.Authorize(t.Context(), s.refused("")); !errors.Is(err, lifecycle.ErrClosed) {
		t.Error(err)
	}
}

// A function of the application that panics ends the run with an error, and the next one begins anew.
func TestApplicationPanics(t *testing.T) {
	s := newAuthServer(t)
	calm := false
	oh := func() {
		if !calm {
			panic("oh")
		}
	}
	open := func(ctx context.Context, p oauth.Page) error { oh(); return browse(ctx, p) }
	give := func(context.Context, oauth.Ask) ([]byte, error) { oh(); return []byte("assertion"), nil }
	prove := func(context.Context, oauth.Proof) (string, error) { oh(); return "p", nil }
	for name, tt := range map[string]struct {
		c   oauth.Config
		opt login.Options
	}{
		"Open":  {oauth.Config{}, login.Options{Open: open}},
		"Give":  {oauth.Config{Grant: oauth.Assertion}, login.Options{Give: give}},
		"Proof": {oauth.Config{Proof: true}, login.Options{Open: browse, Proof: prove}},
	} {
		r := newRunner(t, s, tt.c, tt.opt)
		calm = false
		if _, err := r.Authorize(t.Context(), s.refused("")); err == nil || !strings.Contains(err.Error(), name+" panicked: oh") {
			t.Error(name, err)
		}
		calm = true
		if _, err := r.Authorize(t.Context(), s.refused("")); name == "Open" && err != nil {
			t.Error(name, err)
		}
	}
	p, err := login.NewPages(login.PagesOptions{URL: "http://localhost/login", Who: func(*http.Request) (string, error) { return "ada", nil }, Open: func(string, string, string) (*login.Runner, error) { panic("oh") }})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := p.Visitor("ada", "s").Authorize(t.Context(), oauth.Need{}); err == nil || !strings.Contains(err.Error(), "Open panicked: oh") {
			t.Error(err)
		}
	}
	p.Close()
}

// A request to a token endpoint has a proof where the token is bound to a key, and what a request of the
// client needs comes from the same function.
func TestProof(t *testing.T) {
	s := newAuthServer(t)
	var proofs []oauth.Proof
	r := newRunner(t, s, oauth.Config{Proof: true}, login.Options{Open: browse, Proof: func(_ context.Context, p oauth.Proof) (string, error) {
		proofs = append(proofs, p)
		return "p", nil
	}})
	s.set(func(w http.ResponseWriter, req *http.Request) bool {
		if req.URL.Path != "/token" {
			return false
		}
		w.Header().Set("DPoP-Nonce", "n")
		if len(proofs) == 1 {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte(`{"error":"use_dpop_nonce"}`))
			return true
		}
		_, _ = w.Write([]byte(`{"access_token":"` + req.Header.Get("DPoP") + `","token_type":"DPoP"}`))
		return true
	})
	tok, err := r.Authorize(t.Context(), s.refused(""))
	want := []oauth.Proof{{Method: "POST", URL: s.url + "/token"}, {Method: "POST", URL: s.url + "/token", Nonce: "n"}}
	if err != nil || tok.Type != "DPoP" || tok.Access != "p" || len(proofs) != 2 || proofs[0] != want[0] || proofs[1] != want[1] {
		t.Error(err, tok, proofs)
	}
	if proof, err := r.Prove(t.Context(), oauth.Proof{Token: "t"}); err != nil || proof != "p" || proofs[2].Token != "t" {
		t.Error(proof, err)
	}
}
