package many

import (
	"bytes"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// deadline is the next deadline of a machine.
type deadline func() (at time.Time, ok bool)

// alarm ticks a machine at its deadline.
type alarm struct{ wake uint64 }

// set waits for the deadline, instead of the former one.
func (a *alarm) set(c *clock, due deadline, tick func()) {
	a.wake++
	mine := a.wake
	if at, ok := due(); ok {
		c.last(at, func() {
			if mine == a.wake {
				tick()
			}
		})
	}
}

// ticked checks that no deadline is left after a Tick.
func (r *run) ticked(machines ...deadline) {
	for _, due := range machines {
		if at, ok := due(); ok && !at.After(r.clock.now) {
			r.fail("after Tick at %v something is due at %v", r.clock.now.Sub(Origin), at.Sub(Origin))
		}
	}
}

// due is the deadline of a machine, possibly changed.
func (t tamper) due(of deadline) deadline {
	if t.deadline == nil {
		return of
	}
	return func() (time.Time, bool) { return t.deadline(of()) }
}

// saved is a machine that has a snapshot.
type saved interface {
	Snapshot() []byte
	NextDeadline() (time.Time, bool)
}

// data is the snapshot of a machine, possibly changed.
func (t tamper) data(of saved) []byte {
	if t.snapshot == nil {
		return of.Snapshot()
	}
	return t.snapshot(of.Snapshot())
}

// restored compares a restored machine with the original.
func (r *run) restored(data []byte, was, is saved, sound error) {
	if sound != nil {
		r.fail("Check of what was restored: %v", sound)
	}
	if again := is.Snapshot(); !bytes.Equal(data, again) {
		r.fail("restored from a snapshot with %s", differ(data, again))
	}
	a, someA := was.NextDeadline()
	b, someB := is.NextDeadline()
	if someA != someB || !a.Equal(b) {
		r.fail("something was due in %v (%v), and after Restore in %v (%v)", a.Sub(r.clock.now), someA, b.Sub(r.clock.now), someB)
	}
	r.count("restored")
}

// differ shows where two texts differ.
func differ(a, b []byte) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	cut := func(text []byte) []byte { return text[max(0, i-120):min(len(text), i+120)] }
	return fmt.Sprintf("%d bytes, and now it has %d; at %d they are\n%s\nand\n%s", len(a), len(b), i, cut(a), cut(b))
}

// over looks for leftovers at the end.
func (r *run) over(who string, n *network, due deadline) {
	if left := n.alive(); len(left) > 0 {
		r.fail("%slinks are left: %v", who, left)
	}
	if at, ok := due(); ok {
		r.fail("%snothing is left, and something is due in %v", who, at.Sub(r.clock.now))
	}
}

// marked checks that all marks in a text are those of an errand.
func (r *run) marked(m mark, ends, text string) {
	for _, other := range marks(text) {
		if other != m {
			r.fail("%s %s with what is marked %s", m, ends, other)
		}
	}
}

// progress handles progress of an errand, the last of which was *last. It is nil if the errand is
// not open.
func (r *run) progress(who, server string, number int, m mark, last *float64, body protocol.Raw) {
	p, err := protocol.Decode[protocol.ProgressParams](body)
	switch {
	case err != nil:
		r.fail("%sprogress: %v", who, err)
	case last == nil:
		r.fail("%sprogress of what is not open: %s", who, body)
	case p.Message != string(m):
		r.fail("progress of %s is that of %s", m, p.Message)
	case p.Progress <= *last:
		r.fail("progress of %s was %v and is %v", m, *last, p.Progress)
	default:
		*last = p.Progress
		r.count("progress")
		r.note(server, "%s%d progress %v", who, number, p.Progress)
	}
}

// weighed returns a random index of a list, by the weights.
func weighed[T any](d dice, list []T, weight func(T) int) int {
	sum := 0
	for _, x := range list {
		sum += weight(x)
	}
	n := d.IntN(sum)
	for i, x := range list {
		if n -= weight(x); n < 0 {
			return i
		}
	}
	return 0
}
