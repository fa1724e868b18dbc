package streams

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/server"
)

// Shrink drops kept events until Bytes is at most most, in the order of MaxBytes, answers last. It
// is for a driver that bounds many Streams together.
func (x Streams) Shrink(s server.State, now time.Time, most int) (Streams, server.State, Effects) {
	if x.Bytes() <= most {
		return x, s, Effects{}
	}
	w := x.begin(s, now)
	for more := true; more && w.b.plain+w.b.unread > most; {
		more = w.shortenFirst(true) || w.shortenFirst(false)
	}
	return w.done()
}

// expire does what is due, in the order in which it became due.
func (w *work) expire() {
	for w.b.streams.Min() <= w.b.clock.Now() {
		_, due := w.b.streams.Expire(w.b.clock.Now())
		unheard := false
		for _, leaf := range due {
			// What one of them leaves behind may put another off.
			if now := w.b.streams.Get(leaf.Key); now != nil && now.Deadline <= w.b.clock.Now() {
				st := now.V
				w.discard(ID(now.Key))
				w.expired(ID(now.Key), st)
				unheard = unheard || st.unheard()
			}
		}
		if unheard {
			w.abandon()
		}
	}
}

// abandon gives up the calls on dead streams whose time has come. It looks at the open calls once,
// however many of them there are.
func (w *work) abandon() {
	for _, call := range w.b.overdue(w.s) {
		var out server.Output
		w.s, out = w.s.Abandon(w.now, call)
		w.absorb(out, 0)
	}
}

// overdue returns the calls of s on dead streams whose time has come.
func (b body) overdue(s server.State) (list []server.Call) {
	for info := range s.Inbound() {
		leaf := b.calls.Get(info.Call.Seq())
		if leaf == nil {
			continue
		}
		if st := b.streams.Get(uint64(leaf.V)); st.V.dead && st.Deadline <= b.clock.Now() {
			list = append(list, info.Call)
		}
	}
	return list
}

// expired gives up a stream that was taken out of the tables because its time has come.
func (w *work) expired(id ID, st stream) {
	w.touch(id)
	switch {
	case id == backlog:
		for st.first <= st.last {
			e := st.events.Get(uint64(st.first))
			if e.Deadline > w.b.clock.Now() {
				break
			}
			w.lost(&e.V)
			st.takeFirst()
		}
		if st.first <= st.last {
			w.set(id, &st, st.events.Min())
		}
	case st.ended:
		w.lose(&st)
	case st.unheard():
		w.lose(&st)
		st = st.died()
		w.set(id, &st, w.b.clock.Now()) // until abandon has ended its calls
	case !st.attached:
		// Nobody came back for it; what was not written is for whoever else listens.
		for n := max(st.written+1, st.first); n <= st.last; n++ {
			e := &st.events.Get(uint64(n)).V
			w.add(w.listener(), e.data, e.req, e.final)
		}
	default: // idle
		w.hangUp(&st, w.opt.Retry)
		w.set(id, &st, w.due(id, &st))
	}
}

// Tick handles all deadlines up to now. Afterwards the next deadline is later than now, or there is
// none. A call before NextDeadline does nothing, and its time is ignored.
func (x Streams) Tick(s server.State, now time.Time) (Streams, server.State, Effects) {
	w := x.begin(s, now)
	if w.b.streams.Min() > w.b.clock.Now() {
		return x, s, Effects{}
	}
	w.tick = true
	return w.done()
}

// done ends the transition: limits hold again, and requests whose messages were given up
// have failed.
func (w *work) done() (Streams, server.State, Effects) {
	for {
		if w.tick { // what fails may end the session, and with it all streams
			w.expire()
		}
		w.evict()
		if len(w.fails) == 0 {
			break
		}
		req := w.fails[0]
		w.fails = w.fails[1:]
		var out server.Output
		w.s, out = w.s.SendFailed(w.now, w.s.Req(req), ErrDropped)
		w.absorb(out, 0)
	}
	slices.Sort(w.eff.Touched)
	w.eff.Touched = slices.Compact(w.eff.Touched)
	w.x.b = nil
	if w.b.streams.Len() > 0 {
		b := w.b
		w.x.b = &b
	}
	return w.x, w.s, w.eff
}
