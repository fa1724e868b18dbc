package streams_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// room is about how much n progress notifications count.
func room(n int) int { return n * (128 + 96) }

// A connection that does not read fast enough sees Dropped. Its client comes back, is told
// that something is missing, and gets the rest, which ends with the answer.
func TestDropped(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{MaxBytes: room(3)})
	call, c := d.call(1, "wait")
	d.begin(c)
	for n := range 5 {
		d.progress(call, n+1)
	}
	if d.eff.Lost != 1 || !slices.Equal(d.eff.Touched, []streams.ID{1}) {
		t.Errorf("%+v", d.eff)
	}
	d.expect(c, 0, "1-1:prime dropped")
	d.expect(c, 1, "dropped")
	d.detach(c)
	d.respond(call, "x")
	back, n, err := d.resume("1-1")
	if !errors.Is(err, streams.ErrDropped) || back.Gen != 2 || n != 5 {
		t.Fatalf("%+v %d %v", back, n, err)
	}
	d.expect(back, n, "1-6:progress5 1-7:answer1 ended") // a stream that has ended counts too
	if _, n, err := d.resume("1-5"); err != nil || n != 5 {
		t.Error(n, err)
	}
	for _, id := range []string{"1-0", "1-8", "2-1", "2-2", "0-1", "1", "1-", "-1", "01-1", "1-01", "", strings.Repeat("1", 99) + "-1"} {
		if _, _, err := d.resume(id); !errors.Is(err, streams.ErrEvent) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// What was written goes before what waits, and a request that is lost fails.
func TestDroppedInOrder(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{MaxBytes: room(4) + 256})
	d.log("waits")
	call, c := d.call(1, "wait")
	d.progress(call, 1)
	d.progress(call, 2)
	d.wrote(c, 3)
	d.progress(call, 3)
	d.expect(c, 1, "1-2:progress1 1-3:progress2 1-4:progress3 open")
	d.progress(call, 4)
	d.progress(call, 5)
	if d.eff.Lost != 0 {
		t.Errorf("%d lost", d.eff.Lost)
	}
	d.expect(c, 2, "dropped")
	d.expect(c, 3, "1-4:progress3 1-5:progress4 1-6:progress5 open")
	d.progress(call, 6)
	if d.eff.Lost != 1 { // what waits for a GET stream
		t.Errorf("%d lost", d.eff.Lost)
	}
	d.expect(c, 3, "1-4:progress3 1-5:progress4 1-6:progress5 1-7:progress6 open")
	req := d.elicit(server.Call{})
	if d.failed(req) {
		t.Error("the newest message is lost")
	}
	d.progress(call, 7)
	if !d.failed(req) {
		t.Error("the request is lost and has not failed")
	}
}

// failed reports whether a request of ours failed in the last step because it was lost.
func (d *session) failed(req server.Req) bool {
	return slices.ContainsFunc(d.eff.Output.Events, func(e server.Event) bool {
		return e.Kind == lifecycle.RequestFailed && e.Req == req && e.Cause.Kind == lifecycle.CauseNotSent && errors.Is(e.Cause.Err, streams.ErrDropped)
	})
}

// Answers that wait have room of their own, the newest one in any case.
func TestMaxAnswers(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{MaxBytes: room(4), MaxAnswers: 4000})
	other, o := d.call(1, "wait")
	d.progress(other, 1)
	one, a := d.call(2, "wait")
	two, b := d.call(3, "wait")
	d.respond(one, strings.Repeat("x", 10_000))
	d.expect(a, 0, "2-2:answer2 ended")
	d.expect(o, 0, "1-2:progress1 open")
	d.respond(two, strings.Repeat("x", 3000))
	d.expect(a, 0, "dropped")
	d.expect(b, 0, "3-2:answer3 ended")
	d.expect(o, 0, "1-2:progress1 open")
	if d.eff.Lost != 1 {
		t.Errorf("%d lost", d.eff.Lost)
	}
	// After progress too.
	d = open(t, "2025-11-25", streams.Options{MaxAnswers: 4000})
	one, a = d.call(1, "wait")
	d.progress(one, 1)
	d.respond(one, strings.Repeat("x", 10_000))
	d.expect(a, 0, "1-2:progress1 1-3:answer1 ended")
	// Of those that wait, the ones without a connection go first.
	d = open(t, "2025-11-25", streams.Options{MaxAnswers: 4100})
	one, a = d.call(1, "wait")
	two, b = d.call(2, "wait")
	three, c := d.call(3, "wait")
	d.begin(b)
	d.detach(b)
	for _, call := range []server.Call{two, one, three} {
		d.respond(call, strings.Repeat("x", 1800))
	}
	d.expect(a, 0, "1-2:answer1 ended")
	d.expect(c, 0, "3-2:answer3 ended")
	if _, _, err := d.resume("2-1"); !errors.Is(err, streams.ErrDropped) {
		t.Error(err)
	}
	// Once it is written it counts under MaxBytes.
	d = open(t, "2025-11-25", streams.Options{MaxBytes: room(4)})
	one, a = d.call(1, "wait")
	d.respond(one, strings.Repeat("x", 10_000))
	d.begin(a)
	d.wrote(a, 2)
	if d.x.Bytes() > room(4) {
		t.Errorf("%d bytes", d.x.Bytes())
	}
	// On a stream that is open, too.
	d = open(t, "2025-03-26", streams.Options{MaxBytes: room(4)})
	r := d.post("[" + callText(1, "wait") + "," + callText(2, "wait") + "]")
	d.respond(d.calls()[0], strings.Repeat("x", 10_000))
	d.begin(r.Conn)
	d.wrote(r.Conn, 2)
	if d.x.Bytes() > room(4) {
		t.Errorf("%d bytes", d.x.Bytes())
	}
}

// Wrote gives up nothing that waits.
func TestWroteLosesNothing(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{MaxBytes: room(3)})
	one, a := d.call(1, "wait")
	get := d.listen()
	d.log("y")
	d.does(d.s.Notify(d.now, logMessage(strings.Repeat("x", 2*room(3))), one)) // the newest stays
	d.wrote(get, 2)
	if got := d.read(a, 0); !strings.HasPrefix(got, "1-2:x") || !strings.HasSuffix(got, "open") {
		t.Errorf("%.40s", got)
	}
}

// A number of a stream is not used again, whatever became of it.
func TestNumbersOfStreams(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{})
	seen := map[streams.ID]bool{}
	note := func(c streams.Conn) {
		if seen[c.Stream] {
			t.Errorf("stream %d comes again", c.Stream)
		}
		seen[c.Stream] = true
	}
	for i := range 3 {
		call, c := d.call(i+1, "wait")
		note(c)
		d.respond(call, "x")
		d.answered(c)
		get := d.listen()
		note(get)
		d.detach(get)
		d.pass(time.Hour)
	}
}
