package many

import (
	"bytes"
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// cycles is how often each server is connected and fails in Cycles.
const cycles = 1000

// Cycles connects and loses servers a thousand times in every possible way of
// failing, and compares what remains at the end with what remained after a tenth of it.
func Cycles(opt Options) (Report, error) {
	opt.Exact = true
	r := newRun("cycles", opt)
	r.names = []string{"refused", "hanging", "silent", "dying", "old", "stubborn", "supervise"}
	r.kinds = map[string]temper{
		"refused":   {name: "refused", refuses: 100},
		"hanging":   {name: "hanging", hangs: 100},
		"silent":    silent,
		"dying":     {name: "dying", open: ms(1, 2), dieAfter: ms(1, 60), delay: ms(0, 10)},
		"old":       {name: "old", open: ms(1, 2), version: true, dieAfter: ms(20, 40)},
		"stubborn":  {name: "stubborn", open: ms(1, 2), stubborn: 100},
		"supervise": {name: "supervise", open: ms(1, 2), refuses: 50, dieAfter: ms(1, 60)},
	}
	x := newManaged(r)
	early := 0
	for i := range cycles {
		if r.err != nil {
			break
		}
		for _, name := range r.names {
			x.cycle(name, i)
		}
		r.until(r.clock.now.Add(time.Second))
		if i == cycles/10 {
			x.disconnectAll()
			r.until(r.clock.now.Add(time.Minute))
			early = len(x.m.Snapshot())
		}
		clear(x.book.ended)
		clear(x.states)
		for id, l := range x.net.links {
			if l.over || l.killed {
				delete(x.net.links, id)
			}
		}
	}
	x.finish()
	if late := len(x.m.Snapshot()); r.err == nil && late > early+64 {
		r.fail("after %d cycles the snapshot had %d bytes, and after %d it has %d", cycles/10, early, cycles, late)
	}
	return r.done()
}

// cycle opens a link, makes a request, and ends the link in one way or another.
func (x *managed) cycle(name string, i int) {
	if x.stateOf(name) == manager.Idle {
		x.connect(name, false)
	} else {
		x.connect(name, true)
	}
	d := x.dices[name]
	x.clock.after(d.span(time.Millisecond, 100*time.Millisecond), func() {
		if x.stateOf(name) != manager.Idle {
			x.callTool(name, d)
			x.subscribe(name, d)
		}
	})
	if i%3 == 0 {
		x.clock.after(d.span(0, 900*time.Millisecond), func() {
			if x.stateOf(name) != manager.Idle {
				x.disconnect(name, d)
			}
		})
	}
	before := x.m.Snapshot()
	if again := x.m.Snapshot(); !bytes.Equal(before, again) {
		x.fail("two snapshots of one Manager differ")
	}
}
