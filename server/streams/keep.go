package streams

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// What is kept, what it counts, and what is given up first. set and remove are the only ones
// that change the table of streams, and hold everything that follows from it.

// The order in which MaxBytes takes: what was written, then what waits for nobody, then what
// somebody reads, answers last.
const (
	rankEnded    = iota // written, of a stream that has ended
	rankAway            // written, of a stream without a connection
	rankWritten         // written, of one with a connection
	rankOver            // not written, of a stream that has ended and has no connection
	rankBacklog         // not written, of no stream
	rankDetached        // not written, of a stream without a connection
	rankSlow            // not written, of one with a connection
	rankAnswer          // an answer that was not written
)

// Keys of victims and answers have the rank above the number of the stream.
const (
	rankShift = 60
	idMask    = 1<<rankShift - 1
)

// victim returns the place of a stream in victims; false if it has nothing to take.
func (st *stream) victim(id ID) (key uint64, ok bool) {
	if plain, _ := st.count(); plain == 0 {
		return 0, false
	}
	var rank uint64
	switch {
	case st.first > st.last || st.written >= st.first:
		switch {
		case st.ended:
			rank = rankEnded
		case !st.attached:
			rank = rankAway
		default:
			rank = rankWritten
		}
	case st.events.Get(uint64(st.first)).V.final:
		rank = rankAnswer
	case st.attached:
		rank = rankSlow
	case st.ended:
		rank = rankOver
	case id == backlog:
		rank = rankBacklog
	default:
		rank = rankDetached
	}
	return rank<<rankShift | uint64(id), true
}

// answer returns the place of a stream in answers; false if no answer on it waits. Those
// with a connection come last.
func (st *stream) answer(id ID) (key uint64, ok bool) {
	if _, unread := st.count(); unread == 0 {
		return 0, false
	}
	if key = uint64(id); st.attached {
		key |= 1 << rankShift
	}
	return key, true
}

// set puts a stream, new or changed, into the tables. due is when it is given up.
func (w *work) set(id ID, st *stream, due int64) {
	var old *stream
	if leaf := w.b.streams.Get(uint64(id)); leaf != nil {
		old = &leaf.V
	}
	w.index(id, old, st)
	w.b.streams = w.b.streams.Put(uint64(id), due, *st)
}

// index moves a stream in what follows from the table of streams. nil stands for none.
func (w *work) index(id ID, old, now *stream) {
	if old != nil {
		plain, unread := old.count()
		w.b.plain, w.b.unread = w.b.plain-plain, w.b.unread-unread
	}
	if now != nil {
		plain, unread := now.count()
		w.b.plain, w.b.unread = w.b.plain+plain, w.b.unread+unread
	}
	w.b.victims = rank(w.b.victims, id, old, now, (*stream).victim)
	w.b.answers = rank(w.b.answers, id, old, now, (*stream).answer)
	if old != nil && old.order != 0 && (now == nil || now.order != old.order) {
		w.b.listen, _ = w.b.listen.Delete(^old.order)
	}
	if now != nil && now.order != 0 && (old == nil || now.order != old.order) {
		w.b.listen = w.b.listen.Put(^now.order, int64(now.order), id)
	}
}

// rank moves a stream in a table that has it under the key that of returns.
func rank(t table.Table[struct{}], id ID, old, now *stream, of func(*stream, ID) (uint64, bool)) table.Table[struct{}] {
	var was, is uint64
	var had, has bool
	if old != nil {
		was, had = of(old, id)
	}
	if now != nil {
		is, has = of(now, id)
	}
	if had == has && was == is {
		return t
	}
	if had {
		t, _ = t.Delete(was)
	}
	if has {
		t = t.Put(is, 0, struct{}{})
	}
	return t
}

// remove gives a stream up, with what waits on it.
func (w *work) remove(id ID, st *stream) {
	w.lose(st)
	w.discard(id)
}

// discard takes a stream out of which nothing is lost.
func (w *work) discard(id ID) {
	rest, leaf := w.b.streams.Delete(uint64(id))
	w.b.streams = rest
	w.index(id, &leaf.V, nil)
}

// lose counts what was not written of a stream, and fails requests of ours among it.
func (w *work) lose(st *stream) {
	for n := max(st.written+1, st.first); n <= st.last; n++ {
		w.lost(&st.events.Get(uint64(n)).V)
	}
}

// lost gives one message up that was not written.
func (w *work) lost(e *event) {
	w.eff.Lost++
	if e.req != 0 {
		w.fails = append(w.fails, e.req)
	}
}

// evict makes the limits hold.
func (w *work) evict() {
	for more := true; more && w.b.plain > w.opt.MaxBytes; {
		more = w.shortenFirst(true)
	}
	for more := true; more && w.b.unread > w.opt.MaxAnswers; {
		more = w.shortenFirst(false)
	}
}

// shortenFirst takes something for MaxBytes, or for MaxAnswers; false if there is nothing to take.
func (w *work) shortenFirst(plain bool) bool {
	id, ok := w.first(plain)
	if ok {
		w.shorten(id, !plain)
	}
	return ok
}

// first returns the stream to take from: the first one but for the newest message of this
// step.
func (w *work) first(plain bool) (ID, bool) {
	list := w.b.answers
	if plain {
		list = w.b.victims
	}
	for leaf := range list.All() {
		id := ID(leaf.Key & idMask)
		if w.mild && (!plain || leaf.Key>>rankShift > rankWritten) {
			break
		}
		if w.added && id == w.newest && w.spared(id, plain) {
			continue
		}
		return id, true
	}
	return 0, false
}

// spared reports whether nothing can be taken from the stream of the newest message but that
// message: for MaxBytes the first event, for MaxAnswers the first answer.
func (w *work) spared(id ID, plain bool) bool {
	st, _, _ := w.get(id)
	if plain {
		return st.first == st.last && st.behind()
	}
	last := &st.events.Get(uint64(st.last)).V
	return last.final && st.finals == last.cost()
}

// put puts an event on a stream, as number n; keep is its deadline.
func (st *stream) put(n int, keep int64, e event) {
	st.events = st.events.Put(uint64(n), keep, e)
	st.bytes += e.cost()
	if e.final {
		st.finals += e.cost()
	}
}

// takeFirst takes the first event from a stream.
func (st *stream) takeFirst() {
	rest, leaf := st.events.Delete(uint64(st.first))
	st.events = rest
	st.first++
	st.bytes -= leaf.V.cost()
	if leaf.V.final {
		st.finals -= leaf.V.cost()
	}
}

// shorten takes the first event from a stream, or all up to the first answer. A stream that
// has ended, or lost its connection, goes with its last event; an open one stays.
func (w *work) shorten(id ID, toAnswer bool) {
	st, due, _ := w.get(id)
	for st.first <= st.last {
		e := &st.events.Get(uint64(st.first)).V
		if st.first > st.written {
			w.lost(e)
			w.touch(id)
		}
		st.takeFirst()
		if !toAnswer || e.final {
			if id == backlog {
				due = st.events.Min()
			}
			w.set(id, &st, due)
			if st.first > st.last && (id == backlog || st.ended) {
				w.discard(id)
			}
			return
		}
	}
	w.touch(id)
	w.discard(id) // it counts as a stream, and nothing else is left of it
}

// hangUp takes the connection from a stream, if there is one. A client that could not come
// back finds the stream ended.
func (w *work) hangUp(st *stream, retry time.Duration) {
	st.order = 0
	if st.resumable() {
		st.attached, st.hung, st.retry = false, true, retry
	} else {
		st.ended = true
	}
}
