package streams

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// What is kept, how it is counted, and what is dropped first. Only set and remove change the table
// of streams, and they update everything that depends on it.

// The order in which MaxBytes drops: what was written, then what waits without a reader, then what
// a connection reads, answers last.
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

// victim returns the place of a stream in victims; false if there is nothing to drop.
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

// answer returns the place of a stream in answers; false if it has no waiting answer. Streams with
// a connection come last.
func (st *stream) answer(id ID) (key uint64, ok bool) {
	if _, unread := st.count(); unread == 0 {
		return 0, false
	}
	if key = uint64(id); st.attached {
		key |= 1 << rankShift
	}
	return key, true
}

// set puts a stream, new or changed, into the tables. due is when it is dropped.
func (w *work) set(id ID, st *stream, due int64) {
	if w.holds(id) {
		w.held, w.heldDue = *st, due
		return
	}
	var old *stream
	if leaf := w.b.streams.Get(uint64(id)); leaf != nil {
		old = &leaf.V
	}
	w.index(id, old, st)
	w.b.streams = w.b.streams.Put(uint64(id), due, *st)
}

// release puts the stream that is held into the tables.
func (w *work) release() {
	if id := w.hold; id != 0 {
		w.hold = 0
		w.set(id, &w.held, w.heldDue)
	}
}

// index updates the tables that depend on the table of streams. nil means no stream.
func (w *work) index(id ID, old, now *stream) {
	var was, is ranks
	if old != nil {
		was = old.ranks(id)
	}
	if now != nil {
		is = now.ranks(id)
	}
	w.b.plain += is.plain - was.plain
	w.b.unread += is.unread - was.unread
	w.b.victims = move(w.b.victims, was.victim, is.victim)
	w.b.answers = move(w.b.answers, was.answer, is.answer)
	if old != nil && old.order != 0 && (now == nil || now.order != old.order) {
		w.b.listen, _ = w.b.listen.Delete(^old.order)
	}
	if now != nil && now.order != 0 && (old == nil || now.order != old.order) {
		w.b.listen = w.b.listen.Put(^now.order, int64(now.order), id)
	}
}

// place is a key in one of the tables of what is dropped first.
type place struct {
	key uint64
	in  bool // the stream is in the table
}

// ranks is what the tables have of a stream.
type ranks struct {
	plain, unread  int
	victim, answer place
}

func (st *stream) ranks(id ID) (r ranks) {
	r.plain, r.unread = st.count()
	r.victim.key, r.victim.in = st.victim(id)
	r.answer.key, r.answer.in = st.answer(id)
	return r
}

// move moves a stream within a table.
func move(t table.Table[struct{}], was, is place) table.Table[struct{}] {
	if was == is {
		return t
	}
	if was.in {
		t, _ = t.Delete(was.key)
	}
	if is.in {
		t = t.Put(is.key, 0, struct{}{})
	}
	return t
}

// remove drops a stream, with what waits on it.
func (w *work) remove(id ID, st *stream) {
	w.lose(st)
	w.discard(id)
}

// discard removes a stream that loses nothing.
func (w *work) discard(id ID) {
	if w.holds(id) {
		w.hold = 0
		return
	}
	rest, leaf := w.b.streams.Delete(uint64(id))
	w.b.streams = rest
	w.index(id, &leaf.V, nil)
}

// lose counts the events of a stream that were not written, and fails outbound requests among them.
func (w *work) lose(st *stream) {
	for n := max(st.written+1, st.first); n <= st.last; n++ {
		w.lost(&st.events.Get(uint64(n)).V)
	}
}

// lost drops one message that was not written.
func (w *work) lost(e *event) {
	w.eff.Lost++
	if e.req != 0 {
		w.fails = append(w.fails, e.req)
	}
}

// evict enforces the limits.
func (w *work) evict() {
	for more := true; more && w.b.plain > w.opt.MaxBytes; {
		more = w.shortenFirst(true)
	}
	for more := true; more && w.b.unread > w.opt.MaxAnswers; {
		more = w.shortenFirst(false)
	}
}

// shortenFirst drops something for MaxBytes, or for MaxAnswers; false if there is nothing to drop.
func (w *work) shortenFirst(plain bool) bool {
	id, ok := w.first(plain)
	if ok {
		w.shorten(id, !plain)
	}
	return ok
}

// first returns the stream to drop from: the first one whose only candidate is not the newest
// message of this step.
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

// spared reports whether only the newest message can be dropped from its stream: for MaxBytes as
// the first event, for MaxAnswers as the first answer.
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

// takeFirst removes the first event of a stream.
func (st *stream) takeFirst() {
	rest, leaf := st.events.Delete(uint64(st.first))
	st.events = rest
	st.first++
	st.bytes -= leaf.V.cost()
	if leaf.V.final {
		st.finals -= leaf.V.cost()
	}
}

// shorten drops the first event of a stream, or all up to the first answer. A stream that has
// ended, or lost its connection, is removed with its last event; an open one stays.
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
			if st.first > st.last && (id == backlog || st.ended) {
				w.discard(id)
				return
			}
			if id == backlog {
				due = st.events.Min()
			}
			w.set(id, &st, due)
			return
		}
	}
	w.touch(id)
	w.discard(id) // it counts as a stream, and has nothing else left
}

// hangUp removes the connection of a stream, if there is one. A client that could not come back
// sees the stream end.
func (w *work) hangUp(st *stream, retry time.Duration) {
	st.order = 0
	if st.resumable() {
		st.attached, st.hung, st.retry = false, true, retry
	} else {
		st.ended = true
	}
}
