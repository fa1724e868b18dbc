package login_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/login"
	"github.com/sansmcp/mcp/client/oauth/store"
	"github.com/sansmcp/mcp/lifecycle"
)

// busyStore has a Record that somebody else changes all the time.
type busyStore struct {
	store.Store
	saves int
}

// Save implements store.Store.
func (s *busyStore) Save(context.Context, string, oauth.Record, store.Version) (store.Version, error) {
	s.saves++
	return "", store.ErrChanged
}

// A Record that others change all the time is given up after five tries, and the token is good all the same.
func TestSaveIsGivenUp(t *testing.T) {
	s, kept := newAuthServer(t), &busyStore{Store: store.NewMemory()}
	r := newRunner(t, s, oauth.Config{}, login.Options{Store: kept, Open: browse})
	tok, err := r.Authorize(t.Context(), s.refused(""))
	if r.Close(); err != nil || tok.Access == "" || kept.saves != 2*5 { // when the person is asked, and at the end
		t.Errorf("%v, %v after %d tries", tok, err, kept.saves)
	}
}

// silent never answers, and notes how long it is waited for.
type silent struct{ waited []time.Duration }

// RoundTrip implements http.RoundTripper.
func (s *silent) RoundTrip(r *http.Request) (*http.Response, error) {
	began := time.Now()
	<-r.Context().Done()
	s.waited = append(s.waited, time.Since(began))
	return nil, r.Context().Err()
}

// A request that nobody answers is waited for for 30 seconds.
func TestRequestTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		through := &silent{}
		r, err := login.New(oauth.Config{Patience: time.Hour, Redirect: "https://h/back"}, "http://127.0.0.1:1/mcp", login.Options{Transport: through, Detached: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		if _, err := r.Authorize(t.Context(), oauth.Need{Status: http.StatusUnauthorized}); err == nil {
			t.Error("a token")
		}
		if len(through.waited) == 0 || through.waited[0] != 30*time.Second {
			t.Errorf("%v", through.waited)
		}
	})
}

// There are 10,000 Runners at most, and what is posted has 64 KiB at most.
//
// rows: SEC-101
// revisions: all 2026-07-28
func TestPagesAreBounded(t *testing.T) {
	as := newAuthServer(t)
	p, err := login.NewPages(login.PagesOptions{
		URL: "https://h/login", Who: func(*http.Request) (string, error) { return "0", nil },
		Open: func(_, _, redirect string) (*login.Runner, error) {
			return login.New(oauth.Config{Redirect: redirect}, as.url+"/mcp", login.Options{Detached: true, Transport: http.DefaultTransport})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i := range 10_001 {
		_, err := p.Visitor(strconv.Itoa(i), "notes").Authorize(t.Context(), oauth.Need{})
		if errors.Is(err, lifecycle.ErrLimit) != (i == 10_000) {
			t.Fatalf("%d: %v", i, err)
		}
	}
	for n, want := range map[int]int{64 << 10: http.StatusForbidden, 64<<10 + 1: http.StatusBadRequest} {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "https://h/login/notes", io.LimitReader(strings.NewReader(strings.Repeat("x", 1<<20)), int64(n))))
		if w.Code != want {
			t.Errorf("%d bytes: %d, want %d", n, w.Code, want)
		}
	}
}
