package nethttp_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// The end of a session ends its streams, the POSTs that wait and the functions that run.
func TestDelete(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{StreamAfter: time.Minute})
	p := open(t, s.URL, "2025-06-18")
	x := p.listen()
	answers := make(chan answer, 1)
	text := p.callText("gate", `{}`)
	go func() {
		a, _ := p.try(p.request(context.Background(), "POST", text))
		answers <- a
	}()
	receive(t, k.begun)
	p.do(p.request(context.Background(), "DELETE", "")).want(204)
	x.end()
	// Not 404, by which a client knows that its call did not begin.
	if a := receive(t, answers); a.status != 200 || a.body != "" || a.head.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%+v", a)
	}
	receive(t, k.ended)
	if got := h.Status(); got.Sessions != 0 {
		t.Errorf("%+v", got)
	}
	quiet(t)
}

// A session that nobody uses ends; one with a connection or a call does not.
func TestIdle(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{IdleTimeout: time.Second})
	idle, listens, calls := open(t, s.URL, "2025-06-18"), open(t, s.URL, "2025-06-18"), open(t, s.URL, "2025-06-18")
	x := listens.listen()
	y := calls.follow("POST", calls.callText("gate", `{}`))
	y.cut()
	eventually(t, "the idle session does not end", func() bool { return h.Status().Sessions == 2 })
	idle.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(404)
	time.Sleep(1500 * time.Millisecond)
	listens.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(200)
	calls.post(`{"jsonrpc":"2.0","id":100,"method":"ping"}`).want(200)
	x.cut()
	k.free <- struct{}{}
	eventually(t, "sessions are left", func() bool { return h.Status().Sessions == 0 })
	quiet(t)
}

// Shutdown lets functions finish, takes nothing new, and then closes what is open.
func TestShutdown(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{})
	p := open(t, s.URL, "2025-06-18")
	x := p.follow("POST", p.callText("ask", `{}`))
	id := requestID(t, x.next("sampling/createMessage").data)
	listens := p.listen()
	done := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		done <- h.Shutdown(ctx)
	}()
	eventually(t, "it takes new calls", func() bool {
		a, err := p.try(p.request(context.Background(), "POST", `{"jsonrpc":"2.0","id":"p","method":"ping"}`))
		return err == nil && a.status == 503
	})
	p.post(`{"jsonrpc":"2.0","id":` + id + `,"result":{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"}}`).want(202)
	x.next("hello")
	x.end()
	listens.end()
	if err := receive(t, done); err != nil {
		t.Error(err)
	}
	p.post(`{"jsonrpc":"2.0","id":"p","method":"ping"}`).want(503)
	quiet(t)
}

// Shutdown gives up on functions when its context ends, and tells them.
func TestShutdownGivesUp(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{StreamAfter: -1})
	p := open(t, s.URL, "2025-06-18")
	x := p.follow("POST", p.callText("gate", `{}`))
	receive(t, k.begun)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	receive(t, k.ended)
	x.cut()
	quiet(t)
	h.Close()
}

// A function that panics costs its call and no more, if that is wanted.
func TestRecover(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{Recover: true})
	p := open(t, s.URL, "2025-06-18")
	p.call("panic", `{}`).want(200, "-32603")
	p.call("echo", `{}`).want(200, "echo {}")
	quiet(t)
}

// The application hears what happens, in order.
func TestEvents(t *testing.T) {
	events := make(chan server.Event, 100)
	cfg := serverConfig
	cfg.ServeUnknown = true
	_, s := startConfig(t, cfg, newKit(), nethttp.Options{Event: func(session string, ev server.Event) {
		if session == "" {
			t.Error("an event without session")
		}
		events <- ev
	}})
	p := open(t, s.URL, "2025-06-18")
	p.post(`{"jsonrpc":"2.0","method":"notifications/mine","params":{"a":1}}`).want(202)
	p.post(`{"jsonrpc":"2.0","id":77,"result":{}}`).want(202)
	p.do(p.request(context.Background(), "DELETE", "")).want(204)
	for _, want := range []server.Event{
		{Kind: lifecycle.PhaseChanged, To: lifecycle.Initializing}, {Kind: lifecycle.PhaseChanged, To: lifecycle.Ready},
		{Kind: lifecycle.NotificationReceived, Method: "notifications/mine"}, {Kind: lifecycle.Violation}, {Kind: lifecycle.PhaseChanged, To: lifecycle.Disconnected},
	} {
		got := receive(t, events)
		if got.Kind != want.Kind || want.Method != "" && got.Method != want.Method || want.To != 0 && got.To != want.To {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

// The time limits of an http.Server are for requests: they do not end streams.
func TestServerTimeouts(t *testing.T) {
	h, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	s := httptest.NewUnstartedServer(h)
	s.Config.ReadTimeout, s.Config.WriteTimeout = time.Second, time.Second
	s.Start()
	defer s.Close()
	p := open(t, s.URL, "2025-06-18")
	x := p.listen()
	time.Sleep(1200 * time.Millisecond)
	if err := h.Notify(context.Background(), p.session, protocol.LoggingMessageParams{Level: "info", Data: `"late"`}); err != nil {
		t.Fatal(err)
	}
	x.next("late")
	x.cut()
	p.call("echo", `{}`).want(200)
	quiet(t)
}

// A server that is over HTTP/2 is the same.
func TestHTTP2(t *testing.T) {
	k := newKit()
	h, err := nethttp.NewHandler(serverConfig, k.handlers(), nethttp.Options{StreamAfter: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	s := newTLS(t, h)
	p := newPeer(t, s.URL)
	p.client = s.Client()
	p.open("2025-11-25")
	p.call("echo", `{}`).want(200, "echo {}")
	x := p.follow("POST", p.callText("gate", `{}`))
	if x.resp.ProtoMajor != 2 {
		t.Fatal(x.resp.Proto)
	}
	receive(t, k.begun)
	x.event()
	x.cut()
	k.free <- struct{}{}
	y := p.resume(x.last)
	y.next("free")
	y.end()
	quiet(t)
}
