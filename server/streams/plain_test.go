package streams_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// The answers as a whole: none before the end, all of a batch after it, and what else stands on the
// stream is left out.
func TestWhole(t *testing.T) {
	d := open(t, "2025-03-26", streams.Options{})
	wants := func(c streams.Conn, end streams.End, parts ...string) {
		t.Helper()
		body, got := d.x.Whole(c)
		if got != end || (body != nil) != (len(parts) > 0) {
			t.Fatalf("got %s, %v, want %v", body, got, end)
		}
		for _, part := range parts {
			if strings.Count(string(body), part) != 1 {
				t.Errorf("%q is not once in %s", part, body)
			}
		}
		if strings.Contains(string(body), "progress") {
			t.Errorf("more than answers: %s", body)
		}
	}
	wants(streams.Conn{Stream: 99, Gen: 1}, streams.Dropped)

	call, c := d.call(1, "wait")
	wants(c, streams.Open)
	wants(streams.Conn{Stream: c.Stream, Gen: c.Gen + 1}, streams.Replaced)
	d.progress(call, 1)
	wants(c, streams.Open)
	d.respond(call, "x")
	wants(c, streams.Ended, `{"jsonrpc":"2.0","id":1,`)

	c = d.post("[" + callText(2, "wait") + "," + callText(3, "talk") + "]").Conn
	wants(c, streams.Open)
	d.respond(d.calls()[0], "x")
	wants(c, streams.Ended, `[{"jsonrpc":"2.0","id":`, `"id":2,`, `"id":3,`)

	_, c = d.call(4, "wait")
	d.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	wants(c, streams.Ended)

	_, c = d.call(5, "wait")
	d.detach(c)
	wants(c, streams.Replaced)
}

// A POST that is hung up has no whole answer: its client comes back for it. However long it was told to
// wait, it is not given up before.
func TestWholeOfHungUp(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	x, s, eff, err := d.x.HangUp(d.s, d.now, call, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	d.x, d.s = x, s
	d.took(eff)
	if body, end := d.x.Whole(c); body != nil || end != streams.HungUp {
		t.Errorf("%s %v", body, end)
	}
	d.detach(c)
	d.pass(1000 * time.Hour)
	if d.s.Status().Inbound != 1 {
		t.Error("it was given up")
	}
	if _, ok := d.x.Unheard(server.Call{}); ok {
		t.Error("no call is unheard")
	}
}

// Shrink takes answers that nobody has read when nothing else is left to take.
func TestShrinkAnswers(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	d.respond(call, "x")
	waits, other := d.call(2, "wait")
	d.progress(waits, 1)
	all := d.x.Bytes()
	x, s, eff := d.x.Shrink(d.s, d.now, all-1) // the progress is enough
	if err := x.Check(); err != nil {
		t.Fatal(err)
	}
	if _, end := x.Whole(c); end != streams.Ended || eff.Lost != 1 {
		t.Errorf("the answer is %v, %d lost", end, eff.Lost)
	}
	x, s, eff = x.Shrink(s, d.now, 0)
	if err := x.Check(); err != nil {
		t.Fatal(err)
	}
	if _, end := x.Whole(c); end != streams.Dropped || eff.Lost != 1 || x.Bytes() != 0 {
		t.Errorf("the answer is %v, %d lost, %d bytes", end, eff.Lost, x.Bytes())
	}
	if _, end := x.Whole(other); end != streams.Open || s.Status().Inbound != 1 {
		t.Errorf("the call that runs is %v", end)
	}
}

// A call that did not come by Post has no stream, so it is not given up with those that nobody hears.
func TestCallWithoutPostStays(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	s, out := d.h.Receive(d.s, d.now, decode(callText(1, "wait")))
	d.does(s, out, nil)
	_, c := d.call(2, "wait")
	d.detach(c) // before its client has an id
	d.pass(3 * time.Second)
	if calls := d.calls(); lost(d.eff) != 1 || len(calls) != 1 || calls[0] != out.Opened {
		t.Errorf("%d are lost, and %v are left", lost(d.eff), calls)
	}
}

// Of the answers that are kept for who comes back, and of others, Shrink takes all at last.
func TestShrinkUnread(t *testing.T) {
	d := open(t, "2025-03-26", streams.Options{})
	call, c := d.call(1, "wait")
	d.respond(call, "x")
	before := d.x
	x, _, eff := d.x.Shrink(d.s, d.now, 0)
	if x.Check() != nil || x.Bytes() != 0 || eff.Lost != 1 {
		t.Errorf("%v, %d bytes, %d lost", x.Check(), x.Bytes(), eff.Lost)
	}
	if _, end := before.Whole(c); end != streams.Ended {
		t.Errorf("an old value has changed: %v", end)
	}
	// Less than nothing is nothing.
	if x, _, _ := before.Shrink(d.s, d.now, -1); x.Check() != nil || x.Bytes() != 0 {
		t.Errorf("%v, %d bytes", x.Check(), x.Bytes())
	}
}
