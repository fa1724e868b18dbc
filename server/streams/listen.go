package streams

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// ended reports whether the session has ended, and its State has not been Reset since.
func (x Streams) ended(s server.State) bool {
	return x.over && s.Phase() != lifecycle.Uninitialized && s.Phase() != lifecycle.Initializing
}

// Listen opens a stream for a GET without Last-Event-ID (HTTP-023). It gets the waiting messages.
// Of several GET streams the newest gets new messages. Errors: ErrListeners, and lifecycle.ErrPhase
// once the session has ended.
func (x Streams) Listen(s server.State, now time.Time) (Streams, server.State, Conn, Effects, error) {
	w := x.begin(s, now)
	switch {
	case w.opt.MaxListeners < 0:
		return x, s, Conn{}, Effects{}, ErrListeners
	case x.ended(s):
		return x, s, Conn{}, Effects{}, lifecycle.ErrPhase
	}
	w.x.over = false
	w.x.last++
	id := w.x.last
	st := stream{first: firstEvent, last: firstEvent - 1, written: firstEvent - 1, gen: 1, listener: true}
	w.prime(&st)
	w.listen(id, &st)
	x, s, eff := w.done()
	return x, s, Conn{id, 1}, eff, nil
}

// listen gives a GET stream its connection, and all messages that wait for one.
func (w *work) listen(id ID, st *stream) {
	most := w.opt.MaxListeners
	if w.x.single {
		most = 1
	}
	st.attached, st.hung, st.retry = true, false, 0
	w.b.order++
	st.order = w.b.order
	w.set(id, st, w.due(id, st))
	w.touch(id)
	for w.b.listen.Len() > most {
		_, oldest := w.b.listen.Expire(w.b.listen.Min()) // set removes it
		old, _, _ := w.get(oldest[0].V)
		w.detach(oldest[0].V, &old)
	}
	wait, _, ok := w.get(backlog)
	if !ok {
		return
	}
	w.discard(backlog)
	for n := wait.first; n <= wait.last; n++ {
		e := &wait.events.Get(uint64(n)).V
		w.add(id, e.data, e.req, e.final)
	}
}

// Resume connects a GET with a Last-Event-ID to the stream of that event (HTTP-037, HTTP-038). The
// int is the cursor to Read after. The old connection of the stream reads Replaced. No message of
// another stream is repeated (HTTP-039); a resumed GET stream also gets waiting messages.
//
// Errors: ErrEvent for an id that no client of this session can have. ErrDropped if messages after
// the event are no longer kept; the Conn is still valid, with the cursor after the gap, so that the
// client may get its answer, unless nothing of the stream is left or the event was lost (Skip).
func (x Streams) Resume(s server.State, now time.Time, lastEventID string) (Streams, server.State, Conn, int, Effects, error) {
	id, number, ok := parseEventID(lastEventID)
	if !ok || id == backlog || id > x.last {
		return x, s, Conn{}, 0, Effects{}, ErrEvent
	}
	if !x.has(id) {
		return x, s, Conn{}, 0, Effects{}, ErrDropped
	}
	w := x.begin(s, now)
	st, _, _ := w.get(id)
	n, lost := st.cut.event(number)
	var err error
	switch {
	case lost || st.dead: // of a dead stream nothing is left, as of one that is removed
		return x, s, Conn{}, 0, Effects{}, ErrDropped
	case !st.begun || n < firstEvent-1 || n > st.last || n < firstEvent && !st.primed:
		return x, s, Conn{}, 0, Effects{}, ErrEvent
	case n < st.first-1:
		n, err = st.first-1, ErrDropped // the rest follows after the gap
	}
	st.gen = st.cut.next(st.gen)
	st.written = n // the client says what it has received
	if st.listener && !st.ended {
		w.listen(id, &st)
	} else {
		st.attached, st.hung, st.retry = true, false, 0
		w.set(id, &st, w.due(id, &st))
		w.touch(id)
	}
	x, s, eff := w.done()
	return x, s, Conn{id, st.gen}, n, eff, err
}

// Detach says that a connection is closed, by either side. It cancels nothing (HTTP-020): the
// client may resume the stream for Options.Keep. Events that a client cannot resume are dropped at
// once, with the outbound requests among them.
func (x Streams) Detach(s server.State, now time.Time, c Conn) (Streams, server.State, Effects) {
	st, ok := x.of(c)
	if !ok || !st.attached && !st.hung {
		return x, s, Effects{}
	}
	w := x.begin(s, now)
	next := *st
	w.detach(c.Stream, &next)
	return w.done()
}

// DetachAll says that no connection is left. It is for a session that was restored after its
// process has died.
func (x Streams) DetachAll(s server.State, now time.Time) (Streams, server.State, Effects) {
	if x.b == nil {
		return x, s, Effects{}
	}
	w := x.begin(s, now)
	for leaf := range x.b.streams.All() {
		if st := leaf.V; st.attached || st.hung {
			w.detach(ID(leaf.Key), &st)
		}
	}
	return w.done()
}

// detach removes the connection of a stream.
func (w *work) detach(id ID, st *stream) {
	had := st.attached
	st.attached, st.hung, st.retry, st.order = false, false, 0, 0
	w.touch(id)
	switch {
	case !had: // it was hung up before
		_, due, _ := w.get(id)
		w.set(id, st, due)
	case st.resumable():
		w.set(id, st, w.due(id, st))
	case st.calls > 0:
		w.lose(st)
		*st = st.died()
		w.set(id, st, w.due(id, st))
	default:
		w.remove(id, st)
	}
}

// HangUp closes the connection of the stream that call is answered on, and keeps the stream: the
// client resumes it after retry; zero means Options.Retry (HTTP-104, HTTP-105). A stream without a
// connection is unchanged. Errors: lifecycle.ErrGone if the call has no stream,
// lifecycle.ErrRevision if the client could not resume.
func (x Streams) HangUp(s server.State, now time.Time, call server.Call, retry time.Duration) (Streams, server.State, Effects, error) {
	w := x.begin(s, now)
	leaf := w.b.calls.Get(call.Seq())
	if leaf == nil {
		return x, s, Effects{}, lifecycle.ErrGone
	}
	id := leaf.V
	st, _, _ := w.get(id)
	if !st.attached {
		return x, s, Effects{}, nil
	}
	if !st.begun {
		w.prime(&st)
	}
	if !st.resumable() {
		return x, s, Effects{}, lifecycle.ErrRevision
	}
	if retry == 0 {
		retry = w.opt.Retry
	}
	w.hangUp(&st, max(retry, 0))
	w.set(id, &st, w.due(id, &st))
	w.touch(id)
	x, s, eff := w.done()
	return x, s, eff, nil
}
