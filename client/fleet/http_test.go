//go:build unix

package fleet_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/server/nethttp"
)

func handler(t *testing.T) *nethttp.Handler {
	t.Helper()
	h, err := nethttp.NewHandler(about(), handlers(), nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// A server over HTTP that is started anew knows no sessions: the connection is another one, with
// a session of its own.
func TestSessionGone(t *testing.T) {
	var h atomic.Pointer[nethttp.Handler]
	h.Store(handler(t))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.Load().ServeHTTP(w, r) }))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	f := start(t, settings(), fleet.Options{})
	connect(t, f, "a", manager.Options{Endpoint: dial.URL{URL: s.URL}, Supervise: true})
	mustCall(t, f, "a", "echo")
	first, _ := f.Caller().Manager().Link("a")
	h.Store(handler(t))
	s.CloseClientConnections()
	began := time.Now()
	if _, err := call(t.Context(), f, "a", "echo"); err == nil {
		t.Error("no error")
	}
	for {
		if link, _ := f.Caller().Manager().Link("a"); link != first {
			break
		}
		if time.Since(began) > 10*time.Second {
			t.Fatal("the old session goes on")
		}
		time.Sleep(time.Millisecond)
	}
	if err := ready(t.Context(), f, "a"); err != nil {
		t.Fatal(err)
	}
	mustCall(t, f, "a", "echo")
}

// The death of a server over HTTP fails its calls at once, and nobody else's.
func TestDeathOverHTTP(t *testing.T) {
	s := httptest.NewServer(handler(t))
	other, _, _ := overHTTP(t)
	f := start(t, settings(), fleet.Options{})
	connect(t, f, "a", opts(dial.URL{URL: s.URL}))
	connect(t, f, "b", opts(other))
	failed := make(chan error, 1)
	go func() {
		_, err := call(t.Context(), f, "a", "sleep")
		failed <- err
	}()
	for st, _ := f.Caller().Manager().Status("a"); st.Pending == 0; st, _ = f.Caller().Manager().Status("a") {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond) // it is on its way
	began := time.Now()
	_ = s.Listener.Close()
	s.CloseClientConnections()
	select {
	case err := <-failed:
		if err == nil {
			t.Error("no error")
		}
		t.Logf("told after %v: %v", time.Since(began), err)
	case <-time.After(10 * time.Second):
		t.Fatal("nobody is told")
	}
	mustCall(t, f, "b", "echo")
	ctx, end := context.WithTimeout(t.Context(), 20*time.Second)
	defer end()
	if err := join(ctx, f, "c", opts(dial.URL{URL: s.URL})); err == nil {
		t.Error("no error")
	}
	if ctx.Err() != nil {
		t.Error("a server that refuses connections is waited for")
	}
}

// A server over HTTP that never answers holds up nobody, and is gone by the deadline.
func TestMuteOverHTTP(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(release) })
	f := start(t, settings(), fleet.Options{})
	began := time.Now()
	err := join(t.Context(), f, "a", manager.Options{Endpoint: dial.URL{URL: s.URL}, Timeouts: manager.Timeouts{Connect: 300 * time.Millisecond, Close: 300 * time.Millisecond}})
	wantErr(t, err, class(manager.ClassTimeout))
	if err := leave(t.Context(), f, "a"); err != nil {
		t.Error(err)
	}
	if err := f.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("took %v", took)
	}
}
