package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// events is the number of events that the server of these tests streams.
const events = 3

// eventually is how long something may take.
const eventually = 20 * time.Second

// TestProxy checks what passes for each fate of an exchange.
func TestProxy(t *testing.T) {
	var served, tail atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || len(body) != 1000 {
			return
		}
		served.Add(1)
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range events {
			time.Sleep(20 * time.Millisecond)
			fmt.Fprintf(w, "id: %d\ndata: %s\n\n", i, strings.Repeat("x", 100))
			_ = http.NewResponseController(w).Flush()
		}
		select { // longer than the pause before a cut, however slow this machine is
		case <-r.Context().Done():
		case <-time.After(time.Duration(tail.Load())):
		}
	}))
	defer server.Close()
	for f := range fates {
		for range 2 {
			served.Store(0)
			tail.Store(int64(5 * time.Second))
			if f == whole || f == late {
				tail.Store(int64(200 * time.Millisecond))
			}
			c := chaos{cuts: 1, only: f, delay: 0.5, slow: 0.5}
			if f == whole {
				c.cuts = 0
			}
			p, err := newCutter(server.Listener.Addr().String(), uint64(time.Now().UnixNano()), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			status, body, err := post(p)
			p.Close()
			n := strings.Count(body, "\n\n")
			t.Logf("%v: status %d, %d events, %v", f, status, n, err)
			got := fmt.Sprintf("served %d, status %d, whole %t", served.Load(), status, err == nil && n == events)
			want := map[fate]string{
				whole: "served 1, status 200, whole true", unsent: "served 0, status 0, whole false", partly: "served 0, status 0, whole false",
				unanswered: "served 1, status 0, whole false", headless: "served 1, status 0, whole false", afterHead: "served 1, status 200, whole false",
				afterEvent: "served 1, status 200, whole false", stalled: "served 1, status 200, whole false",
			}[f]
			if want != "" && got != want {
				t.Errorf("%v: %s, want %s (%v)", f, got, want, err)
			}
			if (f == afterEvent || f == stalled) && n == 0 {
				t.Errorf("%v: no event came through", f)
			}
			if f != whole && f != late && p.cut[f].Load() != 1 {
				t.Errorf("%v: %d cuts are counted", f, p.cut[f].Load())
			}
		}
	}
}

// post posts a body through the proxy.
func post(p *cutter) (status int, body string, err error) {
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: eventually}
	r, err := c.Post("http://"+p.Addr(), "text/plain", strings.NewReader(strings.Repeat("y", 1000)))
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	return r.StatusCode, string(b), err
}

// TestProxyKeepsAlive checks that exchanges on one connection are independent: with half of
// them cut, the others pass, and none is cut instead of another.
func TestProxyKeepsAlive(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	p, err := newCutter(server.Listener.Addr().String(), 1, chaos{cuts: 0.3, only: unanswered}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c := &http.Client{Timeout: eventually}
	defer c.CloseIdleConnections()
	lost := int64(0)
	const turns = 100
	for i := range turns {
		r, err := c.Post("http://"+p.Addr(), "text/plain", strings.NewReader(fmt.Sprint(i)))
		if err != nil {
			lost++
			continue
		}
		b, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || string(b) != fmt.Sprint(i) {
			t.Errorf("turn %d: %q, %v", i, b, err)
		}
	}
	if lost == 0 || lost == turns || lost != p.cuts() || int64(p.Connections()) < lost || int64(p.Connections()) > lost+1 {
		t.Errorf("%d of %d were lost, %d cut, on %d connections", lost, turns, p.cuts(), p.Connections())
	}
}

// TestProxyEnds checks that Close ends what is under way.
func TestProxyEnds(t *testing.T) {
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer server.Close()
	defer close(release)
	p, err := newCutter(server.Listener.Addr().String(), 1, chaos{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		_, _, err := post(p)
		done <- err
	}()
	for p.exchanges.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	p.Close()
	if err := <-done; err == nil || strings.Contains(err.Error(), "Timeout") {
		t.Errorf("the exchange ended with %v", err)
	}
}
