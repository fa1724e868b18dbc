package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/nethttp"
)

// The response to a GET or DELETE does not wait for a body that never comes, with which no
// limit would hold and no Close would end it.
func TestBodyOfGet(t *testing.T) {
	h, s := start(t, newKit(), nethttp.Options{Heartbeat: 10 * time.Millisecond})
	p := open(t, s.URL, "2025-11-25")
	for range 20 {
		c := send(t, s.Listener.Addr().String(), "GET", "Accept: text/event-stream", "Mcp-Session-Id: "+p.session, "Content-Length: 5")
		begins(t, c, "HTTP/1.1 200")
	}
	eventually(t, "listeners have taken each other's place", func() bool { return h.Status().Connections <= 8 })
	begins(t, send(t, s.Listener.Addr().String(), "GET", "Accept: text/html", "Transfer-Encoding: chunked"), "HTTP/1.1 406")
	begins(t, send(t, s.Listener.Addr().String(), "DELETE", "Mcp-Session-Id: "+p.session, "Content-Length: 5"), "HTTP/1.1 204")
	eventually(t, "nothing is left", func() bool { return h.Status() == nethttp.Status{} })
}

// send sends the head of a request.
func send(t *testing.T, addr, method string, head ...string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	fmt.Fprintf(c, "%s / HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n", method, strings.Join(head, "\r\n"))
	return c
}

// begins wants the beginning of a response.
func begins(t *testing.T, c net.Conn, want string) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(patience))
	got := make([]byte, len(want))
	if _, err := io.ReadFull(c, got); err != nil || string(got) != want {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
}

// An Event that panics costs a request its answer, and no more: the function runs, and the
// session ends when it is idle. With Options.Recover it costs nothing.
func TestEventPanics(t *testing.T) {
	for _, mended := range []bool{false, true} {
		var fails atomic.Bool
		k := newKit()
		h, s := start(t, k, nethttp.Options{IdleTimeout: time.Second, Recover: mended, Event: func(string, server.Event) {
			if fails.Load() {
				panic("oh")
			}
		}})
		s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
		p := open(t, s.URL, "2025-11-25")
		fails.Store(true)
		k.free <- struct{}{}
		a, err := p.try(p.request(context.Background(), "POST", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"gate"}}`))
		fails.Store(false)
		if (err == nil) != mended || mended && a.status != 200 {
			t.Error(mended, a.status, err)
		}
		<-k.begun
		eventually(t, "the session has ended", func() bool { return h.Status() == nethttp.Status{} })
	}
}

// Handlers are not optional.
func TestNoHandlers(t *testing.T) {
	if h, err := nethttp.NewHandler(serverConfig, nil, nethttp.Options{}); h != nil || !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(h, err)
	}
	h, s := start(t, newKit(), nethttp.Options{})
	p := open(t, s.URL, "2025-11-25")
	if err := h.Replace(context.Background(), nil); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error(err)
	}
	p.post(call).want(200, "echo")
}

// eager is a Store whose Wait never waits, as its contract allows.
type eager struct {
	nethttp.Store
	gets atomic.Int64
}

func (e *eager) Get(ctx context.Context, id string) (nethttp.Record, error) {
	e.gets.Add(1)
	return e.Store.Get(ctx, id)
}

func (e *eager) Wait(context.Context, string, uint64) error { return nil }

// A Wait that returns early is not asked again and again.
func TestEagerWait(t *testing.T) {
	store := &eager{Store: nethttp.NewMemory()}
	_, s := start(t, newKit(), nethttp.Options{Store: store})
	p := open(t, s.URL, "2025-11-25")
	c := send(t, s.Listener.Addr().String(), "GET", "Accept: text/event-stream", "Mcp-Session-Id: "+p.session)
	begins(t, c, "HTTP/1.1 200")
	before, began := store.gets.Load(), time.Now()
	time.Sleep(300 * time.Millisecond)
	n, took := store.gets.Load()-before, time.Since(began)
	if n > took.Milliseconds() {
		t.Errorf("%d reads in %v", n, took)
	}
}

// Nothing that names this machine in part, or beside another name, opens the door to a page of
// another site.
func TestNamesOfThisMachine(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{})
	for _, c := range []struct {
		target, head string
		status       int
	}{
		{"/", "Host: localhost", 400}, // no session: it came through
		{"/", "Host: LOCALHOST:1\r\nOrigin: http://[::1]:3000", 400},
		{"http://localhost/", "Host: evil.example", 400}, // RFC 9112: the target counts
		{"http://evil.example/", "Host: localhost", 403},
		{"/", "Host: localhost.", 400},
		{"/", "Host: [::1%25lo]", 403},
		{"/", "Host: 0.0.0.0", 403},
		{"/", "Host: localhost.evil.example", 403},
		{"/", "Host: evil.example\r\nX-Forwarded-Host: localhost\r\nForwarded: host=localhost", 403},
		{"/", "Host: localhost\r\nOrigin: null", 403},
		{"/", "Host: localhost\r\nOrigin:", 403},
		{"/", "Host: localhost\r\nOrigin: http://localhost@evil.example", 403},
		{"/", "Host: localhost\r\nOrigin: http://localhost http://evil.example", 403},
		{"/", "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: http://evil.example", 403},
		{"/", "Host: localhost\r\nOrigin: chrome-extension://localhost", 403},
	} {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\n%s\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", c.target, c.head, len(ping), ping)
		begins(t, conn, fmt.Sprint("HTTP/1.1 ", c.status, " ", http.StatusText(c.status)))
		_ = conn.Close()
	}
}

// A Store is asked for no id that a client made up: it may be a path where sessions are files.
func TestMadeUpIDs(t *testing.T) {
	store := &eager{Store: nethttp.NewMemory()}
	_, s := start(t, newKit(), nethttp.Options{Store: store, LegacySSE: true})
	p := open(t, s.URL, "2025-11-25")
	good := p.session
	before := store.gets.Load()
	for _, id := range []string{"../../etc/passwd", "*", "'; DROP TABLE sessions; --", good + "A", good[1:], strings.ToLower(good), good[1:] + "/", strings.Repeat("A", 4000)} {
		p.session = id
		p.post(call).want(404)
		p.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`).want(404)
		p.do(p.request(context.Background(), "GET", "")).want(404)
		p.do(p.request(context.Background(), "GET", "", set("Last-Event-ID", "1-1"))).want(404)
		p.do(p.request(context.Background(), "DELETE", "")).want(404)
		p.session = ""
		p.post(call, func(r *http.Request) { r.URL.RawQuery = "sessionId=" + url.QueryEscape(id) }).want(404)
	}
	if n := store.gets.Load() - before; n != 0 {
		t.Errorf("%d reads", n)
	}
}

// A Store that fails for a moment, while a function returns and its client waits, costs time
// and no answer; nor does a connection stay in the record that went meanwhile.
func TestStoreHiccup(t *testing.T) {
	for _, after := range []time.Duration{-1, time.Minute} {
		k, tab := newKit(), newTable()
		h, _, url, _ := two(t, k, tab, nethttp.Options{StreamAfter: after, Heartbeat: 10 * time.Millisecond})
		broken := func(err error) {
			tab.mu.Lock()
			defer tab.mu.Unlock()
			tab.fail = err
		}
		p := open(t, url, "2025-06-18")
		got := make(chan answer, 1)
		go func() { got <- p.call("gate", `{}`) }()
		<-k.begun
		listener := send(t, strings.TrimPrefix(url, "http://"), "GET", "Accept: text/event-stream", "Mcp-Session-Id: "+p.session)
		begins(t, listener, "HTTP/1.1 200")
		broken(errors.New("broken"))
		k.free <- struct{}{}
		_ = listener.Close()
		time.Sleep(200 * time.Millisecond)
		broken(nil)
		(<-got).want(200, "free {}")
		eventually(t, "the connections are gone", func() bool { return h.Status().Connections == 0 })
		listener = send(t, strings.TrimPrefix(url, "http://"), "GET", "Accept: text/event-stream", "Mcp-Session-Id: "+p.session)
		text := ""
		for b := make([]byte, 1000); !strings.Contains(text, "news"); {
			// Until its end is stored, the first listener gets them.
			if err := h.Notify(context.Background(), p.session, protocol.LoggingMessageParams{Level: "error", Data: `"news"`}); err != nil {
				t.Error(err)
			}
			_ = listener.SetReadDeadline(time.Now().Add(patience))
			n, err := listener.Read(b) // a heartbeat, if nothing else
			if text += string(b[:n]); err != nil {
				t.Fatalf("%v after %q", err, text)
			}
		}
		_ = listener.Close()
		quiet(t)
	}
}

// Functions that wait for clients who never answer do not keep those of others from running.
func TestNobodyAnswers(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{Work: host.WorkOptions{MaxRunning: 4, MaxWaiting: 12, NoShares: true}})
	p := open(t, s.URL, "2025-11-25")
	for i := range 15 {
		ask := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"ask"}}`, i)
		c := send(t, s.Listener.Addr().String(), "POST", "Accept: */*", "Content-Type: application/json", "Mcp-Session-Id: "+p.session, fmt.Sprint("Content-Length: ", len(ask)))
		fmt.Fprint(c, ask)
		<-k.begun
		begins(t, c, "HTTP/1.1 200") // it can be resumed, so its question stands
		_ = c.Close()
	}
	q := open(t, s.URL, "2025-11-25")
	q.post(call).want(200, "echo")
	if got := h.Status().Running; got != 15 {
		t.Errorf("%d functions have not returned", got)
	}
	go func() {
		_, _ = q.try(q.request(context.Background(), "POST", strings.ReplaceAll(call, "echo", "gate")))
	}()
	<-k.begun
	p.post(strings.ReplaceAll(call, `"id":1,`, `"id":99,`)).want(200, "-32603") // 16 are too many
	k.free <- struct{}{}
}
