package streams_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// What is sent within a call whose stream is over goes the way of what belongs to none.
func TestAfterTheAnswer(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	req := d.elicit(call)
	d.respond(call, "x")
	d.expect(c, 0, "1-2:create 1-3:answer1 ended")
	get := d.listen()
	d.does(d.s.Cancel(d.now, req, "why"))
	d.expect(get, 0, "2-1:prime 2-2:cancelled open")
	d.expect(c, 3, "ended")
}

// Of several GET streams the newest connection gets the messages; without any they wait.
func TestListeners(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{MaxListeners: 2})
	d.log("a")
	d.log("b")
	one := d.listen()
	d.expect(one, 0, "1-1:prime 1-2:a 1-3:b open")
	two := d.listen()
	d.log("c")
	d.expect(two, 0, "2-1:prime 2-2:c open")
	d.expect(one, 3, "open")
	d.wrote(one, 3)
	three := d.listen()
	d.expect(one, 3, "replaced")
	d.detach(three)
	d.log("d")
	d.expect(two, 2, "2-3:d open")
	// The one that came back is the newest.
	one, n, err := d.resume("1-3")
	if err != nil {
		t.Fatal(err)
	}
	d.log("e")
	d.expect(one, n, "1-4:e open")
	d.detach(one)
	d.detach(two)
	d.log("f")
	if d.eff.Touched != nil {
		t.Errorf("touched %v", d.eff.Touched)
	}
	d.pass(2*time.Minute - 1)
	// Nobody came back for c, d and e; f waits since it was sent.
	d.pass(1)
	if d.eff.Lost != 1 {
		t.Errorf("%d lost", d.eff.Lost)
	}
	four := d.listen()
	d.expect(four, 0, "4-1:prime 4-2:e 4-3:c 4-4:d open")
	for _, opt := range []streams.Options{{MaxListeners: -1}} {
		d := open(t, "2025-11-25", opt)
		if _, _, _, _, err := d.x.Listen(d.s, d.now); !errors.Is(err, streams.ErrListeners) {
			t.Error(err)
		}
	}
}

// What was written and did not arrive counts as not written once the client says so.
func TestWrittenAndLost(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	get := d.listen()
	d.log("a")
	d.log("b")
	d.wrote(get, 3)
	d.detach(get)
	get, n, err := d.resume("1-2")
	if err != nil {
		t.Fatal(err)
	}
	d.expect(get, n, "1-3:b open")
	d.detach(get)
	d.pass(2 * time.Minute)
	next := d.listen()
	d.expect(next, 0, "2-1:prime 2-2:b open")
}

// A hang-up leaves the stream for the client to come back.
func TestHangUp(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{Retry: 3 * time.Second})
	call, c := d.call(1, "wait")
	hang := func(call server.Call, retry time.Duration) error {
		x, s, eff, err := d.x.HangUp(d.s, d.now, call, retry)
		d.x, d.s = x, s
		d.took(eff)
		return err
	}
	if err := hang(call, 0); err != nil {
		t.Fatal(err)
	}
	d.expect(c, 0, "1-1:prime retry=3s hung up")
	d.progress(call, 1)
	d.expect(c, 1, "1-2:progress1 retry=3s hung up")
	d.detach(c)
	d.expect(c, 0, "replaced")
	if err := hang(call, 0); err != nil { // nobody is there
		t.Fatal(err)
	}
	d.pass(2 * time.Minute) // it may be as late as that, beside what it was told to wait
	c, n, err := d.resume("1-1")
	if err != nil {
		t.Fatal(err)
	}
	d.expect(c, n, "1-2:progress1 open")
	if err := hang(call, -1); err != nil {
		t.Fatal(err)
	}
	d.expect(c, 2, "hung up")
	d.respond(call, "x")
	d.expect(c, 2, "1-3:answer1 ended")
	if err := hang(call, 0); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
	old := open(t, "2025-06-18", streams.Options{})
	call, _ = old.call(1, "wait")
	if _, _, _, err := old.x.HangUp(old.s, old.now, call, 0); !errors.Is(err, lifecycle.ErrRevision) {
		t.Error(err)
	}
}

// A GET stream on which nothing comes is hung up, or ends where the client has no id.
func TestIdle(t *testing.T) {
	for revision, want := range map[string]string{"2025-11-25": "retry=1s hung up", "2025-06-18": "ended"} {
		d := open(t, revision, streams.Options{Idle: time.Minute})
		c := d.listen()
		d.pass(time.Minute - 1)
		d.expect(c, 1, "open")
		d.pass(1)
		d.expect(c, 1, want)
		if !slices.Equal(d.eff.Touched, []streams.ID{1}) {
			t.Errorf("touched %v", d.eff.Touched)
		}
		d.pass(2 * time.Minute)
		d.expect(c, 1, "dropped")
	}
}

// A POST whose connection is gone before its client has an id can be resumed by nobody.
func TestGoneBeforeBegin(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	d.progress(call, 1)
	req := d.elicit(call)
	d.detach(c)
	failed := slices.ContainsFunc(d.eff.Output.Events, func(e server.Event) bool {
		return e.Kind == lifecycle.RequestFailed && e.Req == req && e.Cause.Kind == lifecycle.CauseNotSent && errors.Is(e.Cause.Err, streams.ErrDropped)
	})
	if !failed || d.eff.Lost != 2 || d.x.Bytes() != 0 {
		t.Errorf("%+v", d.eff)
	}
	if len(d.calls()) != 1 {
		t.Error("the call was cancelled (HTTP-020)")
	}
	d.does(d.s.Notify(d.now, logMessage("x"), call))
	d.respond(call, "x")
	if d.eff.Lost != 1 || d.x.Bytes() != 0 {
		t.Errorf("%d bytes, %+v", d.x.Bytes(), d.eff)
	}
}

// When the session ends, all streams end after what is on them.
func TestSessionEnds(t *testing.T) {
	for name, end := range map[string]func(d *session) (server.State, server.Output){
		"disconnected": func(d *session) (server.State, server.Output) { return d.s.Disconnected(d.now, nil) },
		"shut down":    func(d *session) (server.State, server.Output) { return d.s.Shutdown(d.now, 0) },
		"aborted":      func(d *session) (server.State, server.Output) { return d.s.Abort(d.now, nil) },
	} {
		d := open(t, "2025-11-25", streams.Options{})
		call, c := d.call(1, "wait")
		d.begin(c)
		d.progress(call, 1)
		_, gone := d.call(2, "wait")
		d.detach(gone)
		d.log("x")
		get := d.listen()
		cut := d.listen()
		d.detach(cut)
		s, out := end(d)
		d.does(s, out, nil)
		if got := d.read(c, 1); !strings.HasPrefix(got, "1-2:progress1 ") || !strings.HasSuffix(got, "ended") {
			t.Errorf("%s: %s", name, got)
		}
		if got := d.read(get, 1); !strings.HasPrefix(got, "3-2:x ") || !strings.HasSuffix(got, "ended") {
			t.Errorf("%s: %s", name, got)
		}
		if _, _, _, _, err := d.x.Listen(d.s, d.now); !errors.Is(err, lifecycle.ErrPhase) {
			t.Errorf("%s: %v", name, err)
		}
		d.pass(2 * time.Minute)
		if d.x.Bytes() != 0 {
			t.Errorf("%s: %d bytes", name, d.x.Bytes())
		}
		if s, err := d.s.Reset(d.now); err == nil {
			next := *d
			next.s = s
			next.listen()
			d.s = s
			d.initialize("2025-11-25")
			d.call(1, "wait")
			d.listen()
		}
	}
}

// In single mode one stream takes everything.
func TestSingle(t *testing.T) {
	d := openIn(t, "2024-11-05", streams.NewSingle(streams.Options{}))
	get := d.listen()
	d.expect(get, 0, "1-2:answer0 open")
	if r := d.post(callText(1, "talk")); r.Status != 202 {
		t.Errorf("%+v", r)
	}
	d.expect(get, 2, "1-3:progress1 1-4:answer1 open")
	if r := d.post(callText(2, "wait")); r.Status != 202 {
		t.Errorf("%+v", r)
	}
	if _, _, _, err := d.x.HangUp(d.s, d.now, d.calls()[0], 0); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
	d.respond(d.calls()[0], "x")
	if r := d.post(`{`); r.Status != 202 {
		t.Errorf("%+v", r)
	}
	next := d.listen()
	d.expect(get, 4, "replaced")
	d.log("x")
	d.expect(next, 0, "2-2:x open")
	s, out := d.s.Disconnected(d.now, nil)
	d.does(s, out, nil)
	d.expect(next, 2, "ended")
}

// What waits for a single stream goes when its time has come, each message for itself.
func TestSingleWaits(t *testing.T) {
	d := openIn(t, "2024-11-05", streams.NewSingle(streams.Options{Keep: time.Minute}))
	d.pass(30 * time.Second)
	d.log("a")
	d.pass(30 * time.Second)
	if d.eff.Lost != 1 {
		t.Errorf("%d lost", d.eff.Lost)
	}
	get := d.listen()
	d.expect(get, 0, "1-2:a open")
}

// A response that did not come by Post has no stream, and goes out on no other.
func TestResponseWithoutPost(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	get := d.listen()
	s, out := d.h.Receive(d.s, d.now, jsonrpc.Decode([]byte(callText(1, "now"))))
	d.does(s, out, nil)
	d.expect(get, 1, "open")
	if d.eff.Lost != 1 {
		t.Errorf("%d lost", d.eff.Lost)
	}
}

// Handles that are of no use do nothing.
func TestMisuse(t *testing.T) {
	var zero streams.Streams
	s := open(t, "2025-11-25", streams.Options{}).s
	for _, x := range []streams.Streams{zero, streams.New(streams.Options{})} {
		before := x
		c := streams.Conn{Stream: 1, Gen: 1}
		x, _, _ = x.Detach(s, t0, c)
		x, _, _ = x.Begin(s, t0, c)
		x, _, _ = x.Answered(s, t0, c)
		x, _, _ = x.DetachAll(s, t0)
		x, _, _ = x.Tick(s, time.Time{})
		x = x.Wrote(t0, c, 9)
		x, _, _, _, _, err := x.Resume(s, t0, "1-1")
		if events, end := x.Read(c, 0); x != before || !errors.Is(err, streams.ErrEvent) || events != nil || end != streams.Dropped {
			t.Errorf("%v %v", err, end)
		}
	}
	if x, _, c, _, err := zero.Listen(s, time.Time{}); err != nil || c.Stream != 1 || x.Check() != nil {
		t.Error(err)
	} else if x, _, _ = x.Detach(s, time.Time{}, c); x.Check() != nil {
		t.Error(x.Check())
	} else if _, ok := x.NextDeadline(); ok {
		t.Error("a time that nobody has told")
	} else if x, _, _ = x.Tick(s, t0); x.Check() != nil || !x.Has(c) {
		t.Error("time began, and something was due")
	}
	if got := streams.End(99).String(); got != "end(?)" {
		t.Error(got)
	}
}

// Times that jump far do no harm.
func TestFarFuture(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	c := d.listen()
	d.now = d.now.Add(1 << 62).Add(1 << 62)
	d.detach(c)
	d.pass(time.Hour)
	d.listen()
	d.now = t0
	d.log("x")
	d.pass(time.Hour)
}
