package nethttp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// A call for which there is no room is answered so, alone, in a batch and on the stream of
// HTTP+SSE; the others go on.
func TestTooBusy(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{LegacySSE: true, Work: host.WorkOptions{MaxRunning: 1, MaxWaiting: 1, NoShares: true}})
	p := open(t, s.URL, "2025-03-26")
	x := p.follow("POST", p.callText("gate", `{}`))
	receive(t, k.begun)
	y := p.follow("POST", p.callText("gate", `{}`)) // waits
	p.call("gate", `{}`).want(200, "-32603", "too busy")
	a := p.post("["+p.callText("echo", `{}`)+","+p.callText("echo", `{}`)+"]").want(200, "[", "too busy")
	if strings.Count(a.body, "too busy") != 2 {
		t.Error(a.body)
	}
	q, z := legacyPeer(t, s.URL)
	q.call("echo", `{}`).want(202)
	z.next("too busy")
	k.free <- struct{}{}
	k.free <- struct{}{}
	x.next("free")
	y.next("free")
	eventually(t, "it still runs", func() bool { return h.Status().Running == 0 })
	p.call("echo", `{}`).want(200, "echo")
	q.call("echo", `{}`).want(202)
	z.next("echo")
	z.cut()
	quiet(t)
}

// A function sees its session, and the zero State after it.
func TestCallerState(t *testing.T) {
	k := newKit()
	h := k.handlers()
	states := make(chan server.State, 2)
	h.Tool(protocol.Tool{Name: "state", InputSchema: object}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		states <- c.State()
		<-ctx.Done()
		states <- c.State()
		return nil, context.Cause(ctx)
	})
	n, err := nethttp.NewHandler(serverConfig, h, nethttp.Options{StreamAfter: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	s := newTLS(t, n)
	p := newPeer(t, s.URL)
	p.client = s.Client()
	p.open("2025-06-18")
	x := p.follow("POST", p.callText("state", `{}`))
	if got := receive(t, states); got.Peer().Name != "c" || got.Phase() != lifecycle.Ready {
		t.Error(got.Phase(), got.Peer())
	}
	if err := n.End(context.Background(), p.session); err != nil {
		t.Error(err)
	}
	if got := receive(t, states); got.Phase() == lifecycle.Ready {
		t.Error(got.Phase())
	}
	x.end()
	if err := n.End(context.Background(), p.session); err != nil {
		t.Error(err)
	}
	quiet(t)
}

// A session that its State ends, here because the client answers no ping, is over: what is
// connected ends, what comes is 404.
func TestPeerSilent(t *testing.T) {
	k := newKit()
	cfg := serverConfig
	cfg.Keepalive = lifecycle.Keepalive{Interval: time.Second, Misses: 1} // by then both streams are there
	cfg.Timeouts = lifecycle.Timeouts{Ping: 500 * time.Millisecond}
	h, s := startConfig(t, cfg, k, nethttp.Options{StreamAfter: -1, IdleTimeout: 3 * time.Second})
	p := open(t, s.URL, "2025-06-18")
	x := p.listen()
	y := p.follow("POST", p.callText("gate", `{}`))
	x.next(`"method":"ping"`)
	x.next("notifications/cancelled") // of the ping
	x.end()
	y.end()
	receive(t, k.ended)
	p.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(404)
	p.do(p.request(context.Background(), "GET", "")).want(404)
	p.do(p.request(context.Background(), "DELETE", "")).want(404)
	eventually(t, "the record is still there", func() bool { return h.Status().Sessions == 0 })
	quiet(t)
}

// An answer that a turn of another process makes, as that to a call that took too long,
// is JSON as well.
func TestAnswerOfAnotherProcess(t *testing.T) {
	k := newKit()
	tab := newTable()
	cfg := serverConfig
	cfg.HashKey = [16]byte{1}
	cfg.Timeouts = lifecycle.Timeouts{Inbound: 400 * time.Millisecond}
	var urls []string
	for range 2 {
		_, s := startConfig(t, cfg, k, nethttp.Options{Store: nethttp.NewShared(tab), StreamAfter: time.Minute})
		urls = append(urls, s.URL)
	}
	p := open(t, urls[0], "2025-06-18")
	for i := range 6 {
		q := p.at(urls[i%2])
		q.ids += i * 10
		other := p.at(urls[(i+1)%2])
		other.post(`{"jsonrpc":"2.0","id":"p","method":"ping"}`).want(200) // so that both have it in mind
		q.call("gate", `{}`).want(200, "-32603")
		receive(t, k.ended)
	}
	quiet(t)
}

// While it ends, a Handler takes no request in a batch either, and no new session.
func TestDraining(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{LegacySSE: true})
	p := open(t, s.URL, "2025-03-26")
	q, z := legacyPeer(t, s.URL)
	x := p.follow("POST", p.callText("gate", `{}`))
	done := make(chan error, 1)
	go func() { done <- h.Shutdown(context.Background()) }()
	eventually(t, "it takes calls", func() bool {
		a, err := p.try(p.request(context.Background(), "POST", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`))
		return err == nil && a.status == 503
	})
	p.post(`[{"jsonrpc":"2.0","method":"notifications/x"}]`).want(202)
	q.call("echo", `{}`).want(503)
	n := newPeer(t, s.URL)
	n.post(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`).want(503)
	n.do(n.request(context.Background(), "GET", "")).want(503)
	k.free <- struct{}{}
	x.next("free")
	x.end()
	if err := receive(t, done); err != nil {
		t.Error(err)
	}
	z.end()
	quiet(t)
}

// A GET that finds no streams is 405, and one more than there may be takes the place of the
// oldest.
func TestListeners(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{Streams: streams.Options{MaxListeners: -1}})
	p := open(t, s.URL, "2025-06-18")
	if a := p.do(p.request(context.Background(), "GET", "")).want(405); a.head.Get("Allow") != "POST, DELETE" {
		t.Error(a.head)
	}
	_, s = start(t, newKit(), nethttp.Options{Streams: streams.Options{MaxListeners: 2}})
	p = open(t, s.URL, "2025-06-18")
	x, y := p.listen(), p.listen()
	z := p.listen()
	x.end()
	y.cut()
	z.cut()
	quiet(t)
}

// What is no longer kept is 410, which is no 404: the session goes on.
func TestDropped(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{StreamAfter: -1, Streams: streams.Options{Keep: 500 * time.Millisecond}})
	p := open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("echo", `{}`))
	x.next("echo")
	x.end()
	eventually(t, "it is kept still", func() bool {
		time.Sleep(time.Second) // Keep begins when the connection has ended, and again with each that is there
		return p.do(p.request(context.Background(), "GET", "", lastEvent(x.last))).status == 410
	})
	p.call("echo", `{}`).want(200)
	_ = h
	quiet(t)
}

// A stream that cannot be flushed is none.
func TestNoFlush(t *testing.T) {
	h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	id := session(t, h)
	r, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://localhost/", nil)
	r.Header.Set("Mcp-Session-Id", id)
	h.ServeHTTP(struct{ http.ResponseWriter }{&sink{head: http.Header{}}}, r) // it returns, and has no Flush
	post(t, h, id, call)
	quiet(t)
}

// The errors of hooks say what happened, to those who read the log.
func TestAuthError(t *testing.T) {
	cause := errors.New("cause")
	e := &nethttp.AuthError{Code: "invalid_token", Description: "expired", Err: cause}
	if got := e.Error(); !strings.Contains(got, "invalid_token: expired: cause") || !errors.Is(e, cause) {
		t.Error(got)
	}
	if got := (&nethttp.AuthError{}).Error(); got != "nethttp: not authorized" {
		t.Error(got)
	}
	if _, ok := nethttp.SessionFrom(context.Background()); ok {
		t.Error("a session from nowhere")
	}
}

// Replace refuses what cannot be served, and a kind of list that was not declared; Broadcast
// stops with its context.
func TestReplaceFails(t *testing.T) {
	h, s := start(t, newKit(), nethttp.Options{})
	p := open(t, s.URL, "2025-06-18")
	twice := newKit().handlers()
	twice.Tool(protocol.Tool{Name: "echo", InputSchema: object}, nil)
	if err := h.Replace(context.Background(), twice); err == nil {
		t.Error("two tools of one name")
	}
	bare := newKit().handlers()
	bare.Tool(protocol.Tool{Name: "bare", InputSchema: object}, nil)
	if err := h.Replace(context.Background(), bare); !errors.Is(err, lifecycle.ErrConfig) {
		t.Error("a tool without a function:", err)
	}
	more := newKit().handlers()
	more.Prompt(protocol.Prompt{Name: "p"}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
		return nil, errors.New("no")
	})
	if err := h.Replace(context.Background(), more); !errors.Is(err, lifecycle.ErrCapability) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	n := protocol.LoggingMessageParams{Level: "info", Data: `""`}
	if err := h.Broadcast(ctx, n); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// What State.Notify has an error for is left out.
	if err := h.Broadcast(context.Background(), protocol.LoggingMessageParams{Level: "x"}); err != nil {
		t.Error(err)
	}
	// What is left out for its level is no error.
	p.post(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}`).want(200)
	if err := h.Notify(context.Background(), p.session, n); err != nil {
		t.Error(err)
	}
}
