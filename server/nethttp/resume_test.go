package nethttp_test

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// A client whose connection breaks in the middle of a call comes back and gets what it has
// not seen, each message once; the call goes on meanwhile.
func TestResume(t *testing.T) {
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		k := newKit()
		_, s := start(t, k, nethttp.Options{StreamAfter: -1})
		p := open(t, s.URL, version)
		x := p.follow("POST", p.callText("steps", `{}`))
		k.free <- struct{}{}
		x.next(`"progress":1`)
		x.cut()
		k.free <- struct{}{} // nobody is connected
		time.Sleep(20 * time.Millisecond)
		y := p.resume(x.last)
		y.next(`"progress":2`)
		k.free <- struct{}{}
		y.next(`"progress":3`)
		last := y.last
		y.next(`stepped`)
		y.end()
		// Again, from each place that the client may have seen.
		z := p.resume(x.last)
		z.next(`"progress":2`)
		z.next(`"progress":3`)
		z.next(`stepped`)
		z.end()
		z = p.resume(last)
		z.next(`stepped`)
		z.end()
		p.resume(z.last).end()
		if len(k.ended) > 0 {
			t.Error("the call was cancelled:", <-k.ended)
		}
		quiet(t)
	}
}

// An answer that is finished while nobody is connected is kept for who comes back. A client
// that never saw an event of its call cannot, and gets nothing twice.
func TestAnswerWithoutConnection(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{StreamAfter: -1})
	p := open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("gate", `{}`))
	x.event() // it primes
	x.cut()
	eventually(t, "the connection is still there", func() bool { return h.Status().Connections == 0 })
	k.free <- struct{}{}
	eventually(t, "it still runs", func() bool { return h.Status().Running == 0 })
	y := p.resume(x.last)
	y.next("free")
	y.end()
	quiet(t)
}

// A client that vanishes before there is an answer of any form does not end its call.
func TestVanishBeforeAnswer(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{StreamAfter: time.Minute})
	p := open(t, s.URL, "2025-06-18")
	ctx, cancel := context.WithCancel(context.Background())
	r := p.request(ctx, "POST", p.callText("gate", `{}`))
	go func() {
		receive(t, k.begun)
		cancel()
	}()
	if _, err := p.try(r); err == nil {
		t.Fatal("an answer")
	}
	eventually(t, "the connection is still there", func() bool { return h.Status().Connections == 0 })
	if len(k.ended) > 0 {
		t.Error("the call was cancelled:", <-k.ended)
	}
	k.free <- struct{}{}
	eventually(t, "it still runs", func() bool { return h.Status().Running == 0 })
	p.call("echo", `{}`).want(200, "echo")
	quiet(t)
}

// A tool closes the connection, and the client polls.
func TestHangUp(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{})
	p := open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("poll", `{}`))
	retry := ""
	for {
		e, ok := x.event()
		if !ok {
			break
		}
		if e.data != "" {
			t.Errorf("%+v", e)
		}
		if e.retry != "" {
			retry = e.retry
		}
	}
	if retry != "10" || x.last == "" {
		t.Errorf("retry %q, last id %q", retry, x.last)
	}
	receive(t, k.begun)
	k.free <- struct{}{}
	y := p.resume(x.last)
	y.next("polled")
	y.end()
	old := open(t, s.URL, "2025-06-18")
	old.call("poll", `{}`).want(200, `"isError":true`)
	if err := nethttp.HangUp(context.Background(), 0); !errors.Is(err, nethttp.ErrContext) {
		t.Error(err)
	}
	_ = h
	quiet(t)
}

// Whoever resumes a stream takes it from a connection that may be half open, and the end of
// that one does no harm.
func TestTakeOver(t *testing.T) {
	k := newKit()
	_, s := start(t, k, nethttp.Options{StreamAfter: -1})
	p := open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("gate", `{}`))
	x.event()
	y := p.resume(x.last)
	x.end()
	k.free <- struct{}{}
	y.next("free")
	y.end()
	quiet(t)
}

// A GET stream that breaks is resumed too, with what came meanwhile.
func TestListenerResumes(t *testing.T) {
	h, s := start(t, newKit(), nethttp.Options{})
	p := open(t, s.URL, "2025-06-18")
	log := func(text string) {
		t.Helper()
		if err := h.Notify(context.Background(), p.session, protocol.LoggingMessageParams{Level: "info", Data: protocol.StringValue(text)}); err != nil {
			t.Fatal(err)
		}
	}
	x := p.listen()
	log("one")
	x.next("one")
	x.cut()
	eventually(t, "the connection is still there", func() bool { return h.Status().Connections == 0 })
	log("two")
	y := p.resume(x.last)
	y.next("two")
	log("three")
	y.next("three")
	y.cut()
	quiet(t)
}

// A reader that does not read costs what Options say, and its connection after WriteTimeout.
// Nobody else waits for it, and what it has not got it gets when it comes back, as far as
// that is kept.
func TestSlowReader(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{
		StreamAfter: -1, WriteTimeout: time.Second, Heartbeat: 20 * time.Millisecond,
		Streams: streams.Options{MaxBytes: 64 << 20},
	})
	p := open(t, s.URL, "2025-11-25")
	u, _ := url.Parse(s.URL)
	c := dial(t, u.Host)
	_ = c.Conn.(interface{ SetReadBuffer(int) error }).SetReadBuffer(1 << 10)
	for range 12 { // 12 MB in all
		p.ids++
		text := p.callText("big", `{}`)
		c.say("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", p.session, len(text), text)
	}
	eventually(t, "nothing is under way", func() bool { return h.Status().Connections > 0 })
	p.call("echo", `{}`).want(200, "echo")
	eventually(t, "the connection is still there", func() bool { return h.Status().Connections == 0 })
	eventually(t, "it still runs", func() bool { return h.Status().Running == 0 })
	p.call("echo", `{}`).want(200, "echo")
	// It comes back with the last event that it saw.
	head := make([]byte, 100_000)
	_ = c.SetReadDeadline(time.Now().Add(patience))
	n, _ := c.r.Read(head)
	for n < 50_000 {
		m, err := c.r.Read(head[n:])
		if err != nil {
			break
		}
		n += m
	}
	_, rest, ok := strings.Cut(string(head[:n]), "\nid: ")
	id, _, _ := strings.Cut(rest, "\n")
	if !ok {
		t.Fatalf("no event in %.1000s", head[:n])
	}
	y := p.resume(id)
	for {
		if e := y.next(); strings.Contains(e.data, `"big"`) {
			break
		}
	}
	y.end()
	quiet(t)
}

// A stream that is silent is kept alive by comments.
func TestHeartbeat(t *testing.T) {
	_, s := start(t, newKit(), nethttp.Options{Heartbeat: 10 * time.Millisecond})
	p := open(t, s.URL, "2025-06-18")
	x := p.listen()
	for beats := 0; beats < 3; {
		if e := receive(t, x.events); e.comment {
			beats++
		}
	}
	x.cut()
	quiet(t)
}
