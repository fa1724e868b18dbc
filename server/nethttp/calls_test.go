package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
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
	next.Tool(protocol.Tool{Name: "more", InputSchema: object}, next.ToolFunc("echo"))
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
