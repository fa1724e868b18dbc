package streams

import (
	"math"

	"github.com/sansmcp/mcp/lifecycle/engine"
)

// cut is where the ids of a stream skip numbers, because numbers after it may have been used for events that are
// lost. It is immutable.
type cut struct {
	at     int    // the number of the last event before
	by     uint64 // how much higher than their own the numbers in ids of later events are
	gen    uint32 // of the connection at that time
	before *cut
}

// genSpan bounds how many generations of connections are skipped.
const genSpan = 1 << 20

// offset returns how much higher the numbers in ids of events after c are than their own.
func (c *cut) offset() uint64 {
	if c == nil {
		return 0
	}
	return c.by
}

// number returns the number of an event in its id.
func (c *cut) number(n int) uint64 {
	for c != nil && n <= c.at {
		c = c.before
	}
	return uint64(n) + c.offset()
}

// event returns the event with a number from an id, -1 if there never was one. lost means that it may have
// existed, but nothing else is known.
func (c *cut) event(number uint64) (n int, lost bool) {
	for c != nil && number <= uint64(c.at)+c.by {
		if number > uint64(c.at)+c.before.offset() {
			return 0, true
		}
		c = c.before
	}
	if number -= c.offset(); number > math.MaxInt32 { // no stream has so many
		return -1, false
	}
	return int(number), false
}

// next returns the generation of the next connection.
func (c *cut) next(gen uint32) uint32 {
	if c != nil && c.gen == gen { // others may have been used
		return gen + 1 + uint32(c.by%genSpan)
	}
	return gen + 1
}

// write writes c and those before it, the oldest first.
func (c *cut) write(w *engine.Writer) {
	var list []*cut
	for ; c != nil; c = c.before {
		list = append(list, c)
	}
	w.List("cuts", len(list), func() {
		for i := len(list) - 1; i >= 0; i-- {
			w.Object("", func() {
				w.Number("at", uint64(list[i].at))
				w.Number("by", list[i].by)
				w.Number("gen", uint64(list[i].gen))
			})
		}
	})
}

// restored returns the cut after c that f has.
func (c *cut) restored(f *engine.Fields) *cut {
	at, by, gen := f.Number("at"), f.Number("by"), f.Number("gen")
	if at > math.MaxInt32 || by <= c.offset() || by > engine.MaxNumber || gen > math.MaxUint32 {
		f.Fail("impossible numbers of events")
		return c
	}
	return &cut{at: int(at), by: by, gen: uint32(gen), before: c}
}

// possible reports whether a stream can have c: with that last event, and that generation.
func (c *cut) possible(last int, gen uint32) bool {
	for ; c != nil; c = c.before {
		if c.at < 1 || c.at > last || c.gen > gen || c.by <= c.before.offset() {
			return false
		}
		last, gen = c.at, c.gen
	}
	return true
}
