package streams_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// A session in which nothing is open keeps the value alone.
func TestIdleSize(t *testing.T) {
	if n := unsafe.Sizeof(streams.Streams{}); n > 64 {
		t.Errorf("Streams has %d bytes", n)
	}
	d := open(t, "2025-11-25", streams.Options{})
	call, c := d.call(1, "wait")
	d.respond(call, "x")
	d.begin(c)
	d.wrote(c, 2)
	d.detach(c)
	d.pass(time.Hour)
	if d.x != openIn(t, "2025-11-25", d.x).x {
		t.Error("a session that is over its calls keeps more than a new one")
	}
	if _, ok := d.x.NextDeadline(); ok {
		t.Error("something is still due")
	}
	beginning := streams.New(streams.Options{MaxBytes: 1})
	if got := testing.AllocsPerRun(100, func() { kept = beginning }); got > 0 {
		t.Errorf("a further session takes %v allocations", got)
	}
}

var kept streams.Streams

// spent returns what do allocates: bytes and allocations, the least of some runs.
func spent(do func()) (bytes, count uint64) {
	bytes, count = 1<<62, 1<<62
	var before, after runtime.MemStats
	for range 5 {
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		bytes = min(bytes, after.TotalAlloc-before.TotalAlloc)
		count = min(count, after.Mallocs-before.Mallocs)
	}
	return bytes, count
}

// wide are options under which everything stays.
var wide = streams.Options{MaxBytes: 1 << 40, MaxAnswers: 1 << 40, MaxListeners: 1 << 20}

// crowd returns a session with n open calls and n events on the stream of the first.
func crowd(t *testing.T, calls, events int) (d *session, call server.Call, c streams.Conn) {
	cfg, h := config()
	cfg.Limits = lifecycle.Limits{Inbound: 1 << 20}
	d = openIn(t, "2025-11-25", streams.New(wide))
	d.cfg, d.h = cfg, h
	var err error
	if d.s, err = server.Restore(cfg, d.s.Snapshot(), t0); err != nil {
		t.Fatal(err)
	}
	call, c = d.fastCall(1)
	for i := 2; i <= calls; i++ {
		d.fastCall(i)
	}
	d.x, d.s, _ = d.x.Begin(d.s, d.now, c)
	for i := range events {
		d.fastProgress(call, i+1)
	}
	return d, call, c
}

// fastCall is call without Check, which looks at everything; so is fastProgress.
func (d *session) fastCall(id int) (server.Call, streams.Conn) {
	m := decode(callText(id, "wait"))
	s, out := d.h.Receive(d.s, d.now, m)
	x, s, r, _ := d.x.Post(s, d.now, m, out)
	d.x, d.s = x, s
	return out.Opened, r.Conn
}

func (d *session) fastProgress(call server.Call, n int) {
	s, out, err := d.s.Progress(d.now, call, progress(n))
	if err != nil {
		d.t.Fatal(err)
	}
	d.x, d.s, _ = d.x.Handle(s, d.now, out)
}

// Nothing costs more than a few levels of a table more for the calls that are open and the
// events that are kept: one that is linear in 100,000 of them would take millions of bytes.
func TestCostOfOneAmongMany(t *testing.T) {
	if testing.Short() || race {
		t.Skip("it fills a session with 100,000 calls")
	}
	type costs map[string][2]uint64
	measure := func(calls, events int) costs {
		d, call, c := crowd(t, calls, events)
		got := costs{}
		note := func(name string, do func()) {
			bytes, count := spent(do)
			got[name] = [2]uint64{bytes, count}
		}
		m := decode(callText(1<<30, "wait"))
		s, posted := d.h.Receive(d.s, d.now, m)
		note("post", func() { d.x.Post(s, d.now, m, posted) })
		sp, progressed, err := d.s.Progress(d.now, call, progress(1<<30))
		if err != nil {
			t.Fatal(err)
		}
		note("progress", func() { d.x.Handle(sp, d.now, progressed) })
		sr, responded, err := d.s.Respond(d.now, call, text("x"))
		if err != nil {
			t.Fatal(err)
		}
		note("respond", func() { d.x.Handle(sr, d.now, responded) })
		after, _, _ := d.x.Handle(sr, d.now, responded)
		note("tick", func() { after.Tick(sr, d.now.Add(time.Hour)) })
		note("wrote", func() { d.x.Wrote(d.now, c, events+1) })
		note("detach", func() { d.x.Detach(d.s, d.now, c) })
		note("hang up", func() { d.x.HangUp(d.s, d.now, call, 0) })
		note("resume", func() { d.x.Resume(d.s, d.now, fmt.Sprintf("1-%d", events+1)) })
		note("listen", func() { d.x.Listen(d.s, d.now) })
		note("read the last", func() { d.x.Read(c, events) })
		note("next deadline", func() { d.x.NextDeadline() })
		return got
	}
	one := measure(1, 1)
	for _, n := range []struct{ calls, events int }{{1000, 1}, {1, 100_000}, {100_000, 1}} {
		many := measure(n.calls, n.events)
		for name, c := range many {
			extra, extraAllocs := int64(c[0])-int64(one[name][0]), int64(c[1])-int64(one[name][1])
			if extra > 4<<10 || extraAllocs > 24 {
				t.Errorf("%s with %d calls and %d events: %d bytes in %d allocations, %d in %d with one", name, n.calls, n.events, c[0], c[1], one[name][0], one[name][1])
			}
			t.Logf("%s with %d calls and %d events: %d bytes in %d allocations, %d in %d with one", name, n.calls, n.events, c[0], c[1], one[name][0], one[name][1])
		}
	}
}

// Messages on a stream that is full drop others at the same cost.
func TestCostAtTheLimit(t *testing.T) {
	d := open(t, "2025-11-25", streams.Options{MaxBytes: 1 << 20})
	call, c := d.fastCall(1)
	d.x, d.s, _ = d.x.Begin(d.s, d.now, c)
	n := 0
	for ; d.x.Bytes() < 1<<20-300; n++ {
		d.fastProgress(call, n+1)
	}
	var out server.Output
	s, out, err := d.s.Progress(d.now, call, progress(n+2))
	if err != nil {
		t.Fatal(err)
	}
	x, _, _ := d.x.Handle(s, d.now, out)
	bytes, _ := spent(func() { x.Handle(s, d.now, out) })
	if bytes > 4<<10 {
		t.Errorf("%d bytes for a message on a stream that is full", bytes)
	}
}

// Allocations of what a driver does most.
func TestAllocations(t *testing.T) {
	if race {
		t.Skip("the race detector allocates too")
	}
	d := open(t, "2025-11-25", streams.Options{})
	m := decode(callText(1, "now"))
	s, out := d.h.Receive(d.s, d.now, m)
	if got := testing.AllocsPerRun(100, func() { d.x.Post(s, d.now, m, out) }); got > 1 {
		t.Errorf("a POST that is answered at once: %v allocations beside its body", got)
	}
	if got := testing.AllocsPerRun(100, func() { d.x.Handle(d.s, d.now, server.Output{}) }); got > 0 {
		t.Errorf("an Output without messages: %v allocations", got)
	}
	if got := testing.AllocsPerRun(100, func() { d.x.Tick(d.s, d.now) }); got > 0 {
		t.Errorf("Tick with nothing due: %v allocations", got)
	}
	call, c := d.call(2, "wait")
	d.begin(c)
	if got := testing.AllocsPerRun(100, func() { d.x.Tick(d.s, d.now) }); got > 0 {
		t.Errorf("Tick with nothing due and a call: %v allocations", got)
	}
	sp, pr, err := d.s.Progress(d.now, call, progress(1))
	if err != nil {
		t.Fatal(err)
	}
	if got := testing.AllocsPerRun(100, func() { d.x.Handle(sp, d.now, pr) }); got > 12 {
		t.Errorf("a message: %v allocations", got)
	}
	big := strings.Repeat("x", 1<<20)
	sr, rs, err := d.s.Respond(d.now, call, text(big))
	if err != nil {
		t.Fatal(err)
	}
	if bytes, _ := spent(func() { d.x.Handle(sr, d.now, rs) }); bytes > 5<<19 {
		t.Errorf("an answer of a megabyte: %d bytes", bytes)
	}
}
