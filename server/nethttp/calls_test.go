package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// An answer that comes alone and soon is the body, with its length; one that takes longer, or
// that something comes before, is a stream.
func TestForms(t *testing.T) {
	k := newKit()
	_, s := start(t, k, nethttp.Options{StreamAfter: patience})
	p := open(t, s.URL, "2025-11-25")
	a := p.call("echo", `{"a":1}`).want(200, `echo {\"a\":1}`)
	if a.head.Get("Content-Type") != "application/json" || a.head.Get("Content-Length") != fmt.Sprint(len(a.body)) {
		t.Error(a.head)
	}
	k.free <- struct{}{}
	if a := p.call("gate", `{}`).want(200, "free"); a.head.Get("Content-Type") != "application/json" {
		t.Error(a.head)
	}
	_, s = start(t, k, nethttp.Options{StreamAfter: 50 * time.Millisecond})
	p = open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("gate", `{}`))
	for name, want := range map[string]string{"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"} {
		if x.resp.Header.Get(name) != want {
			t.Errorf("%s: %q", name, x.resp.Header.Get(name))
		}
	}
	if e, ok := x.event(); !ok || e.data != "" || e.id == "" {
		t.Errorf("the stream begins with %+v", e)
	}
	k.free <- struct{}{}
	x.next("free")
	x.end()
	k.free <- struct{}{}
	x = p.follow("POST", p.callText("steps", `{}`)) // at once
	x.next("notifications/progress", `"progress":1`)
	k.free <- struct{}{}
	k.free <- struct{}{}
	x.next(`"progress":2`)
	x.next(`"progress":3`)
	x.next("stepped")
	x.end()
}

// StreamAfter below zero makes every answer of a function a stream; what the machine answers
// by itself is the body all the same.
func TestStreamAtOnce(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{StreamAfter: -1})
	p := open(t, s.URL, "2025-06-18")
	x := p.follow("POST", p.callText("echo", `{}`))
	if e, ok := x.event(); !ok || !strings.Contains(e.data, "echo") || e.id == "" {
		t.Errorf("the stream begins with %+v: before 2025-11-25 nothing primes it", e)
	}
	x.end()
	p.post(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`).want(200, `"echo"`)
}

// A cancellation ends the POST that waits, whatever form its answer has by then.
func TestCancel(t *testing.T) {
	k := newKit()
	_, s := start(t, k, nethttp.Options{StreamAfter: 300 * time.Millisecond})
	p := open(t, s.URL, "2025-06-18")
	cancel := func() {
		p.post(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"enough"}}`, p.ids)).want(202)
		if cause := receive(t, k.ended); !errors.Is(cause, &lifecycle.Cause{Kind: lifecycle.CauseCancelled}) {
			t.Error("the cause is", cause)
		}
	}
	answers := make(chan answer, 1)
	text := p.callText("gate", `{}`)
	go func() {
		a, _ := p.try(p.request(context.Background(), "POST", text))
		answers <- a
	}()
	receive(t, k.begun)
	cancel()
	if a := receive(t, answers); a.status != 200 || a.body != "" || a.head.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%+v", a)
	}
	x := p.follow("POST", p.callText("gate", `{}`))
	receive(t, k.begun)
	cancel()
	x.end()
	quiet(t)
}

// What a function asks within its call goes out on the stream of the call, and its answer
// comes by another POST.
func TestSampling(t *testing.T) {
	k := newKit()
	_, s := start(t, k, nethttp.Options{})
	p := open(t, s.URL, "2025-06-18")
	x := p.follow("POST", p.callText("ask", `{}`))
	id := requestID(t, x.next("sampling/createMessage").data)
	p.post(`{"jsonrpc":"2.0","id":` + id + `,"result":{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"}}`).want(202)
	x.next("model says", "hello")
	x.end()
	quiet(t)
}

func requestID(t testing.TB, data string) string {
	t.Helper()
	_, rest, ok := strings.Cut(data, `"id":`)
	id, _, ok2 := strings.Cut(rest, `,`)
	if !ok || !ok2 {
		t.Fatalf("no id in %s", data)
	}
	return strings.Trim(id, "}")
}

// Twenty calls at once, in JSON and in streams, each with its own answer.
func TestManyAtOnce(t *testing.T) {
	k := newKit()
	_, s := start(t, k, nethttp.Options{StreamAfter: 20 * time.Millisecond})
	p := open(t, s.URL, "2025-11-25")
	done := make(chan error, 20)
	for i := range 20 {
		tool := []string{"echo", "gate"}[i%2]
		text := p.callText(tool, fmt.Sprintf(`{"i":%d}`, i))
		go func() {
			a, err := p.try(p.request(context.Background(), "POST", text))
			if want := fmt.Sprintf(`{\"i\":%d}`, i); err == nil && (a.status != 200 || !strings.Contains(a.body, want)) {
				err = fmt.Errorf("%d %s, want %s", a.status, a.body, want)
			}
			done <- err
		}()
	}
	for range 10 {
		receive(t, k.begun)
	}
	time.Sleep(30 * time.Millisecond)
	for range 10 {
		k.free <- struct{}{}
	}
	for range 20 {
		if err := receive(t, done); err != nil {
			t.Error(err)
		}
	}
	quiet(t)
}

// A batch of 2025-03-26 has one response, an array if it is JSON.
func TestBatch(t *testing.T) {
	k := newKit()
	_, s := start(t, k, nethttp.Options{StreamAfter: patience})
	p := open(t, s.URL, "2025-03-26")
	batch := func(tool string) string {
		return "[" + p.callText("echo", `{"n":1}`) + `,{"jsonrpc":"2.0","method":"notifications/x"},` + p.callText(tool, `{"n":2}`) + "]"
	}
	a := p.post(batch("echo")).want(200, `{\"n\":1}`, `{\"n\":2}`)
	if !strings.HasPrefix(a.body, "[{") || a.head.Get("Content-Type") != "application/json" {
		t.Error(a.body)
	}
	if a := p.post(`[{"jsonrpc":"2.0","id":"a","method":"ping"}]`).want(200); a.body != `[{"jsonrpc":"2.0","id":"a","result":{}}]` {
		t.Error(a.body)
	}
	p.post(`[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":5,"result":{}}]`).want(202)
	_, s = start(t, k, nethttp.Options{StreamAfter: 50 * time.Millisecond})
	p = open(t, s.URL, "2025-03-26")
	x := p.follow("POST", batch("gate"))
	x.next(`{\"n\":1}`)
	k.free <- struct{}{}
	x.next(`{\"n\":2}`)
	x.end()
}

// What is sent outside of any call goes to one stream that listens, or waits for one.
func TestNotifications(t *testing.T) {
	h, s := start(t, newKit(), nethttp.Options{})
	p := open(t, s.URL, "2025-06-18")
	log := func(text string) {
		t.Helper()
		n := protocol.LoggingMessageParams{Level: "info", Data: protocol.StringValue(text)}
		if err := h.Notify(context.Background(), p.session, n); err != nil {
			t.Fatal(err)
		}
	}
	log("before")
	x, y := p.listen(), p.listen()
	x.next("before")
	if err := h.Broadcast(context.Background(), protocol.LoggingMessageParams{Level: "info", Data: protocol.StringValue("all")}); err != nil {
		t.Fatal(err)
	}
	// One of the two has it, and the other has not.
	one := func(among ...*stream) {
		t.Helper()
		found := 0
		eventually(t, "nothing came", func() bool {
			for _, x := range among {
				found += len(x.events)
			}
			return found > 0
		})
		time.Sleep(20 * time.Millisecond)
		found = 0
		for _, x := range among {
			found += len(x.events)
		}
		if found != 1 {
			t.Errorf("%d streams have it", found)
		}
	}
	one(x, y)
	y.next("all")
	x.cut()
	y.cut()
	k := newKit()
	next := k.handlers()
	next.Tool(protocol.Tool{Name: "more", InputSchema: object}, nil)
	z := p.listen()
	if err := h.Replace(context.Background(), next); err != nil {
		t.Fatal(err)
	}
	z.next("notifications/tools/list_changed")
	p.post(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`).want(200, `"more"`)
	if err := h.Notify(context.Background(), "nobody", protocol.LoggingMessageParams{Level: "info", Data: `""`}); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
}

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
