package nethttp_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/memory"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

var heap = memory.Live

// An idle session is a record: its id, its entries in the tables, its State. It has no
// goroutine and no timer.
func TestIdleSessionIsSmall(t *testing.T) {
	const n, most = 5000, 1200
	h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{MaxSessions: 2 * n})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	session(t, h)
	goroutines, before := runtime.NumGoroutine(), heap()
	for range n {
		session(t, h)
	}
	each := (heap() - before) / n
	t.Logf("%d bytes an idle session", each)
	if each > most && !raceEnabled {
		t.Errorf("an idle session takes %d bytes, at most %d", each, most)
	}
	// The runtime may be at what earlier tests have left to be finalized.
	eventually(t, "there are more goroutines than before", func() bool { return runtime.NumGoroutine() <= goroutines })
	if got := h.Status().Sessions; got != n+1 {
		t.Errorf("%d sessions", got)
	}
	// Sessions that have had calls are as small afterwards.
	ids := h.Sessions()
	before = heap()
	for _, id := range ids {
		post(t, h, id, call)
	}
	if grown := (heap() - before) / n; grown > 100 {
		t.Errorf("a session is %d bytes larger after a call", grown)
	}
	for _, id := range ids {
		if err := h.End(context.Background(), id); err != nil {
			t.Fatal(err)
		}
	}
	quiet(t)
	if got := h.Status(); got.Sessions != 0 {
		t.Errorf("%+v", got)
	}
}

// What the handler allocates for a small message, its function and the turns included.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	followed := func(server.Peer) server.Companion { return registryOf(t, newKit()).View().Companion() }
	for _, tt := range []struct {
		name, body string
		opt        nethttp.Options
		most       float64
		edit       []func(*http.Request)
	}{
		{"ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, nethttp.Options{}, 4, nil},
		{"tools/call", call, nethttp.Options{}, 11, nil},
		{"tools/call, without a session", modernCall, nethttp.Options{}, 15, modernHead},
		{"tools/call, a registry beside", call, nethttp.Options{Companion: followed}, 14, nil},
		{"tools/call, as a stream", call, nethttp.Options{StreamAfter: -1}, 34, nil},
	} {
		cfg := serverConfig
		cfg.Revisions = protocol.AllRevisions()
		h, err := nethttp.NewHandler(cfg, newKit().handlers(), tt.opt)
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		id := ""
		if tt.edit == nil {
			id = session(t, h)
		}
		send := sender(h, id, tt.body, tt.edit...)
		if id == "" {
			for range 2000 { // the ids of single requests spread over all maps, which make room once
				send()
			}
		}
		if got := testing.AllocsPerRun(200, func() {
			if status := send(); status != http.StatusOK {
				t.Fatal(status)
			}
		}); got > tt.most {
			t.Errorf("%s: %v allocations, at most %v", tt.name, got, tt.most)
		} else {
			t.Logf("%s: %v allocations", tt.name, got)
		}
	}
}

// A flood of sessions, of calls, of connections and of half requests costs what Options say,
// and afterwards nothing.
func TestFlood(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{
		MaxSessions: 50, MaxSessionsPerPrincipal: 50, MaxConnections: 100, StreamAfter: -1, IdleTimeout: 5 * time.Second,
		ReadTimeout: time.Second, WriteTimeout: time.Second, Heartbeat: 50 * time.Millisecond,
	})
	before := heap()
	statuses := map[int]int{}
	const initialize = `{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
	p := newPeer(t, s.URL)
	for range 200 {
		statuses[p.post(initialize).status]++
	}
	if got := h.Status().Sessions; statuses[200] != 200 || got != 50 { // later ones take the place of the first
		t.Errorf("%v, %d sessions", statuses, got)
	}
	// Connections that send half a body, that never read, that vanish.
	listens := h.Sessions()[0]
	addr := strings.TrimPrefix(s.URL, "http://")
	for i := range 150 {
		c := dial(t, addr)
		switch i % 3 {
		case 0:
			fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
		case 1:
			fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: %s\r\n\r\n", listens)
		default:
			fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", h.Sessions()[0], len(call), call)
			c.Close()
		}
		eventually(t, "there are too many connections", func() bool { return h.Status().Connections <= 110 }) // some are being refused
	}
	end := time.Now().Add(patience)
	for q := h.Status(); q.Running > 0 || q.Connections > 8; q = h.Status() { // GET streams of one session
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%+v\n%s", q, buf[:runtime.Stack(buf, true)])
		}
		time.Sleep(time.Millisecond)
	}
	if h.Status().Sessions > 1 {
		eventually(t, "idle sessions are left", func() bool { return h.Status().Sessions <= 1 })
	}
	eventually(t, "more than 4 MB are left", func() bool { return heap()-before <= 4<<20 })
}

// A body that is too long is not kept, whatever its head says.
func TestBodiesAreBounded(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{MaxBody: 1 << 20, BodyBytes: 1 << 20})
	p := open(t, s.URL, "2025-06-18")
	before := heap()
	done := make(chan int, 20)
	for range 20 {
		r := p.request(context.Background(), "POST", "")
		r.ContentLength = -1
		r.Header.Set("Content-Type", "application/json")
		r.Body = io.NopCloser(io.LimitReader(zeros{}, 64<<20))
		go func() {
			resp, err := http.DefaultTransport.RoundTrip(r)
			if err != nil { // the server did not wait for the rest
				done <- 0
				return
			}
			resp.Body.Close()
			done <- resp.StatusCode
		}()
	}
	for range 20 {
		if status := receive(t, done); status != 0 && status != 413 && status != 503 {
			t.Error(status)
		}
	}
	eventually(t, "more than 8 MB are left", func() bool { return heap()-before <= 8<<20 })
	p.call("echo", `{}`).want(200)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}
