package login_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// row are the Pages of some processes that have a Store in common, at one url.
type row struct {
	*desk
	all  []*login.Pages
	next atomic.Int64 // who gets the next request, if not at
	at   atomic.Int64
}

// newRow returns n of them; each request comes to the next one.
func newRow(t *testing.T, n int, kept store.Store) *row {
	r := &row{desk: &desk{t: t, as: newAuthServer(t)}}
	r.at.Store(-1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		i := r.at.Load()
		if i < 0 {
			i = r.next.Add(1) % int64(n)
		}
		r.all[i].ServeHTTP(w, q)
	}))
	t.Cleanup(srv.Close)
	r.url = srv.URL + "/login"
	for range n {
		p, err := login.NewPages(login.PagesOptions{
			URL: r.url, Key: [32]byte{1},
			Who: func(q *http.Request) (string, error) {
				name, _, _ := q.BasicAuth()
				return name, nil
			},
			Open: func(principal, _, redirect string) (*login.Runner, error) {
				return login.New(oauth.Config{Name: "gateway", Redirect: redirect}, r.as.url+"/mcp", login.Options{Detached: true, Store: kept, Principal: principal})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		r.all = append(r.all, p)
	}
	return r
}

// token asks a process for a token, as a request of a principal does that was refused.
func (r *row) token(i int, principal string) (oauth.Token, error) {
	return r.all[i].Visitor(principal, "the notes").Authorize(context.Background(), r.as.refused(""))
}

// redirected has a person say yes, and returns where the authorization server sends her.
func (b *browser) redirected() string {
	b.t.Helper()
	value, text := b.ask()
	if value == "" {
		b.t.Fatal(text)
	}
	to, status := b.agree(value)
	if status != http.StatusSeeOther {
		b.t.Fatal(status)
	}
	return b.visit(to)
}

// back comes back, and returns the status.
func (b *browser) back(to string) int {
	b.t.Helper()
	resp, _ := b.do(http.MethodGet, to, nil, nil)
	return resp.StatusCode
}

// A person is sent by one process, says yes at another and comes back to a third; all of them have the token then, and
// nobody else.
//
// rows: AUTH-046 SEC-107 SEC-108
// revisions: all 2026-07-28
func TestLoginOfProcesses(t *testing.T) {
	r := newRow(t, 3, store.NewMemory())
	var pages []string
	for i := range r.all { // each is asked before anybody logs in
		_, err := r.token(i, "ann")
		var person *login.PersonError
		if !errors.As(err, &person) {
			t.Fatal(err)
		}
		pages = append(pages, person.Page.URL)
	}
	if pages[0] != pages[1] || pages[0] != pages[2] {
		t.Error("each process has a login of its own:", pages)
	}
	b := r.browser("ann")
	to := b.redirected()
	if status := r.browser("ann").back(to); status != http.StatusBadRequest {
		t.Error("another browser:", status)
	}
	eve := r.browser("eve")
	eve.cookies = b.cookies
	if status := eve.back(to); status != http.StatusBadRequest {
		t.Error("another principal:", status)
	}
	if status := b.back(to); status != http.StatusOK {
		t.Fatal(status)
	}
	time.Sleep(time.Second) // they look again
	for i := range r.all {
		if tok, err := r.token(i, "ann"); err != nil || tok.Access == "" {
			t.Error(i, err)
		}
		if status := b.back(to); status != http.StatusBadRequest {
			t.Error("once more:", status)
		}
	}
	if tok, err := r.token(1, "eve"); err == nil {
		t.Error("another principal has", tok)
	}
	if n := r.as.count("POST /token"); n != 1 {
		t.Errorf("%d requests for a token", n)
	}
}

// Of two processes that get one answer at a time one goes on with it.
func TestLoginIsTakenOnce(t *testing.T) {
	kept := store.NewMemory()
	for range 5 {
		r := newRow(t, 2, kept)
		b := r.browser("ann")
		to := b.redirected()
		var wg sync.WaitGroup
		status := make([]int, 6)
		for i := range status {
			wg.Go(func() {
				req, err := http.NewRequest(http.MethodGet, to, nil)
				if err != nil {
					t.Error(err)
					return
				}
				req.SetBasicAuth("ann", "")
				for name, v := range b.cookies {
					req.AddCookie(&http.Cookie{Name: name, Value: v})
				}
				w := httptest.NewRecorder()
				r.all[i%2].ServeHTTP(w, req)
				status[i] = w.Code
			})
		}
		wg.Wait()
		ok := 0
		for _, s := range status {
			if s == http.StatusOK {
				ok++
			} else if s != http.StatusBadRequest {
				t.Error(status)
			}
		}
		if n := r.as.count("POST /token"); ok != 1 || n != 1 {
			t.Errorf("%d are told that they are logged in, %d requests for a token: %v", ok, n, status)
		}
	}
}

// A process that ends while a person is away takes nothing with it; one that ends with her answer takes the answer, and
// she logs in again.
func TestLoginOutlivesProcesses(t *testing.T) {
	r := newRow(t, 2, store.NewMemory())
	b := r.browser("ann")
	r.at.Store(0)
	to := b.redirected()
	r.all[0].Close()
	r.at.Store(1)
	if status := b.back(to); status != http.StatusOK {
		t.Error("the one that sent her is gone:", status)
	}

	r = newRow(t, 2, store.NewMemory())
	b = r.browser("ann")
	to = b.redirected()
	asked, goOn := make(chan struct{}), make(chan struct{})
	r.as.mu.Lock()
	r.as.answer = func(w http.ResponseWriter, q *http.Request) bool {
		if q.URL.Path != "/token" {
			return false
		}
		close(asked)
		<-goOn
		panic(http.ErrAbortHandler)
	}
	r.as.mu.Unlock()
	r.at.Store(0)
	done := make(chan int)
	go func() { done <- b.back(to) }()
	<-asked
	r.as.mu.Lock()
	r.as.answer = nil
	r.as.mu.Unlock()
	close(goOn)
	if status := <-done; status == http.StatusOK {
		t.Error("a token out of nowhere")
	}
	r.all[0].Close()
	r.at.Store(1)
	if status := b.back(to); status != http.StatusBadRequest {
		t.Error("an answer that was taken:", status)
	}
	if status := b.back(b.redirected()); status != http.StatusOK {
		t.Error("another login:", status)
	}
}

// A login whose time is over is nowhere to be found.
func TestLoginExpiresForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		as, kept := &authServer{t: t, url: "http://127.0.0.1:1", codes: map[string][]string{}}, store.NewMemory()
		runner := func() *login.Runner {
			r, err := login.New(oauth.Config{Name: "x", Redirect: "https://h/callback", Person: time.Minute}, as.url+"/mcp",
				login.Options{Detached: true, Store: kept, Transport: direct{as}})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		for after, want := range map[time.Duration]error{time.Minute - 1: nil, time.Minute: login.ErrState} {
			a, b := runner(), runner()
			_, err := a.Authorize(t.Context(), as.refused("access-3"))
			var person *login.PersonError
			if !errors.As(err, &person) {
				t.Fatal(err)
			}
			sent, err := direct{as}.RoundTrip(httptest.NewRequest(http.MethodGet, person.Page.URL, nil))
			if err != nil {
				t.Fatal(err)
			}
			u, err := url.Parse(sent.Header.Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(after)
			if err := b.Returned(t.Context(), u.RawQuery); !errors.Is(err, want) {
				t.Errorf("after %v: %v, want %v", after, err, want)
			}
			a.Close()
			b.Close()
			kept = store.NewMemory()
		}
	})
}

// hooked is a Store that calls a function once when a key is unlocked.
type hooked struct {
	store.Store
	then func()
	lies bool // the next Save is stored, and fails
}

func (h *hooked) Save(ctx context.Context, key string, r oauth.Record, v store.Version) (store.Version, error) {
	v, err := h.Store.Save(ctx, key, r, v)
	if h.lies {
		h.lies = false
		return "", errBroken
	}
	return v, err
}

func (h *hooked) Lock(ctx context.Context, key string) (func(), error) {
	unlock, err := h.Store.Lock(ctx, key)
	return func() {
		unlock()
		if f := h.then; f != nil {
			h.then = nil
			f()
		}
	}, err
}

// An answer to another login changes nothing, and what another process has taken out meanwhile stays out.
func TestLoginIsNotLeftAgain(t *testing.T) {
	for _, lies := range []bool{false, true} {
		notLeftAgain(t, lies)
	}
}

// notLeftAgain is TestLoginIsNotLeftAgain, also where nobody knows whether the login was stored.
func notLeftAgain(t *testing.T, lies bool) {
	t.Helper()
	s := newAuthServer(t)
	kept := &hooked{Store: store.NewMemory(), lies: lies}
	runner := func() *login.Runner {
		return newRunner(t, s, oauth.Config{Redirect: "https://h/callback"}, login.Options{Detached: true, Store: kept})
	}
	a, b, c := runner(), runner(), runner()
	_, err := a.Authorize(t.Context(), s.refused(""))
	var person *login.PersonError
	if !errors.As(err, &person) {
		t.Fatal(err)
	}
	hc := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := hc.Get(person.Page.URL)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	u, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	const key = "\n"
	rec, v, err := kept.Load(t.Context(), key+s.url+"/mcp") // as another process that has learned something
	if err != nil || rec.Pending == "" {
		t.Fatal(rec.Asked, err)
	}
	rec.Asked = append(rec.Asked, "more")
	if _, err := kept.Save(t.Context(), key+s.url+"/mcp", rec, v); err != nil {
		t.Fatal(err)
	}
	kept.then = func() {
		if err := b.Returned(t.Context(), u.RawQuery); err != nil {
			t.Error(err)
		}
	}
	if err := a.Returned(t.Context(), "code=x&state=another"); !errors.Is(err, login.ErrState) {
		t.Error(err)
	}
	if tok, err := b.Authorize(t.Context(), oauth.Need{}); err != nil || tok.Access == "" {
		t.Error(err)
	}
	if err := a.Returned(t.Context(), u.RawQuery); !errors.Is(err, login.ErrState) {
		t.Error(err)
	}
	if rec, _, err := kept.Load(t.Context(), key+s.url+"/mcp"); err != nil || rec.Token.Access == "" || rec.Pending != "" {
		t.Error("the token is not kept:", err)
	}
	if err := c.Returned(t.Context(), u.RawQuery); !errors.Is(err, login.ErrState) || s.count("POST /token") != 1 {
		t.Error(err, s.count("POST /token"))
	}
}
