package streams

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/server"
)

// work is one transition: it owns a copy of the body until done.
type work struct {
	x      Streams // except for b
	b      body
	opt    Options
	s      server.State
	now    time.Time
	eff    Effects
	fails  []uint64 // outbound requests whose messages were dropped
	newest ID       // the stream that got the last message of this step
	added  bool     // newest is set
	mild   bool     // nothing may be dropped in this step
	tick   bool     // expired deadlines are handled
	// The stream of a POST, which changes several times before it is put into the tables: each time costs copies of
	// their paths. Nothing else looks for it there in the meantime, because it is new.
	held    stream
	heldDue int64
	hold    ID // its number, 0 for none
}

// begin begins a transition.
func (x Streams) begin(s server.State, now time.Time) work {
	w := work{x: x, opt: x.options(), s: s, now: now}
	if x.b != nil {
		w.b = *x.b
	}
	w.b.clock.Take(now)
	return w
}

// due returns when a stream is dropped, or hung up, if nothing more happens to it.
func (w *work) due(id ID, st *stream) int64 {
	switch {
	case id == backlog:
		return st.events.Min()
	case st.ended, st.listener && !st.attached:
		return w.b.clock.After(w.opt.Keep)
	case st.unheard() && st.dead && w.opt.Grace < 0:
		return table.Never
	case st.unheard() && st.dead:
		return w.b.clock.After(w.opt.Grace)
	case st.unheard():
		return clock.Later(w.b.clock.After(st.retry), w.opt.Keep)
	case st.listener && w.opt.Idle > 0:
		return w.b.clock.After(w.opt.Idle)
	}
	return table.Never
}

// holds reports whether a stream is the one that is held.
func (w *work) holds(id ID) bool { return id == w.hold && id != backlog }

// get returns a copy of a stream.
func (w *work) get(id ID) (st stream, due int64, ok bool) {
	if w.holds(id) {
		return w.held, w.heldDue, true
	}
	leaf := w.b.streams.Get(uint64(id))
	if leaf == nil {
		return stream{}, 0, false
	}
	return leaf.V, leaf.Deadline, true
}

// touch notes that a stream has something new.
func (w *work) touch(id ID) {
	if n := len(w.eff.Touched); id != backlog && (n == 0 || w.eff.Touched[n-1] != id) {
		w.eff.Touched = append(w.eff.Touched, id)
	}
}

// prime marks a stream as read by SSE. A stream that has ended without events has nothing to come
// back for.
func (w *work) prime(st *stream) {
	st.begun = true
	st.primed = w.s.Revision().Polling() && !(st.ended && st.last < firstEvent)
}
