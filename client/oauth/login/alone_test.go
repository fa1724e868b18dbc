package login_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// town is an authorization server and a Store in a bubble.
type town struct {
	*authServer
	kept store.Store
}

func newTown(t *testing.T) town {
	return town{&authServer{t: t, url: "http://127.0.0.1:1", codes: map[string][]string{}}, store.NewMemory()}
}

// runner returns one with a redirect.
func (w town) runner(redirect string) *login.Runner {
	w.t.Helper()
	r, err := login.New(oauth.Config{Redirect: redirect, Person: time.Minute}, w.url+"/mcp", login.Options{Detached: true, Store: w.kept, Transport: direct{w.authServer}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(r.Close)
	return r
}

// answer is answerOf in the bubble.
func (w town) answer(p oauth.Page) string {
	w.t.Helper()
	sent, err := direct{w.authServer}.RoundTrip(httptest.NewRequest(http.MethodGet, p.URL, nil))
	if err != nil {
		w.t.Fatal(err)
	}
	u, err := url.Parse(sent.Header.Get("Location"))
	if err != nil {
		w.t.Fatal(err)
	}
	return u.RawQuery
}

// record returns what the Store has.
func (w town) record() oauth.Record {
	w.t.Helper()
	rec, _, err := w.kept.Load(w.t.Context(), "\n"+w.url+"/mcp")
	if err != nil {
		w.t.Fatal(err)
	}
	return rec
}

// Two servers of a gateway have one url: each has a login, with a redirect of its own, and neither ends that of the other, however often
// requests want a token.
func TestLoginsBesideEachOther(t *testing.T) {
	for _, first := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			w := newTown(t)
			a, b := w.runner("https://h/a/callback"), w.runner("https://h/b/callback")
			pages := []oauth.Page{waits(t, w.authServer, a, ""), waits(t, w.authServer, b, "")}
			for range 10 {
				time.Sleep(2 * time.Second)
				for i, r := range []*login.Runner{a, b} {
					if p := waits(t, w.authServer, r, ""); p != pages[i] {
						t.Fatal(i, "another login:", p)
					}
				}
			}
			if first {
				if err := a.Returned(t.Context(), w.answer(pages[0])); err != nil {
					t.Error(err)
				}
			}
			if err := b.Returned(t.Context(), w.answer(pages[1])); err != nil {
				t.Error(err)
			}
			if !first {
				c := w.runner("https://h/a/callback") // another process
				if err := c.Returned(t.Context(), w.answer(pages[0])); err != nil {
					t.Error(err)
				}
			}
			if w.record().Token.Access == "" || w.record().Pending != "" {
				t.Error("what is left:", w.record())
			}
		})
	}
}

// A login that cannot be stored goes on at the process that began it, as a token that cannot is good there.
func TestLoginWithoutRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t)
		w.kept = &full{store.NewMemory(), true}
		a := w.runner("https://h/callback")
		page := waits(t, w.authServer, a, "")
		for range 10 {
			time.Sleep(2 * time.Second)
			if p := waits(t, w.authServer, a, ""); p != page {
				t.Fatal("another login:", p)
			}
		}
		if err := a.Returned(t.Context(), "code=x&state=y"); !errors.Is(err, login.ErrState) {
			t.Error(err)
		}
		answer := w.answer(page)
		if err := a.Returned(t.Context(), answer); err != nil {
			t.Error(err)
		}
		if tok, err := a.Authorize(t.Context(), oauth.Need{}); err != nil || tok.Access == "" {
			t.Error(err)
		}
		if err := a.Returned(t.Context(), answer); !errors.Is(err, login.ErrState) {
			t.Error(err)
		}
	})
}

// Nothing of a login is left in the Record that nobody came back from.
func TestNothingIsLeft(t *testing.T) {
	for name, end := range map[string]func(w town, a *login.Runner, p oauth.Page){
		"its time is over": func(town, *login.Runner, oauth.Page) { time.Sleep(2 * time.Minute) },
		"its process ended": func(w town, a *login.Runner, _ oauth.Page) {
			a.Close()
			time.Sleep(2 * time.Minute)
			waits(w.t, w.authServer, w.runner("https://h/other"), "")
		},
		"it is refused": func(w town, a *login.Runner, p oauth.Page) {
			_ = a.Returned(w.t.Context(), "error=access_denied&state="+p.State)
		},
		"there is a token": func(w town, a *login.Runner, p oauth.Page) { _ = a.Returned(w.t.Context(), w.answer(p)) },
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newTown(t)
			a := w.runner("https://h/callback")
			page := waits(t, w.authServer, a, "")
			pending := w.record().Pending
			end(w, a, page)
			if is := w.record().Pending; pending == "" || is == pending || is != "" && name != "its process ended" {
				t.Errorf("%s: %s", name, string(is))
			}
		})
	}
}

// lazy is a Store that takes a second to save.
type lazy struct{ store.Store }

func (s lazy) Save(ctx context.Context, key string, r oauth.Record, v store.Version) (store.Version, error) {
	time.Sleep(time.Second)
	return s.Store.Save(ctx, key, r, v)
}

// A login that is being stored is no login that another process has taken out.
func TestLoginIsStoredSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTown(t)
		w.kept = lazy{store.NewMemory()}
		a := w.runner("https://h/callback")
		pages := make(chan oauth.Page)
		for i := range 5 {
			go func() {
				time.Sleep(time.Duration(i) * time.Second / 4)
				pages <- waits(t, w.authServer, a, "")
			}()
		}
		first := <-pages
		for range 4 {
			if p := <-pages; p != first {
				t.Error("another login:", p)
			}
		}
		if err := a.Returned(t.Context(), w.answer(first)); err != nil {
			t.Error(err)
		}
	})
}
