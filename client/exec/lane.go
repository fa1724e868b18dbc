package exec

import (
	"github.com/sansmcp/mcp/lifecycle/table"
)

// lane is what the calls of a lane share. It is there while it has calls, and until its bucket
// is full.
type lane struct {
	name    string
	opt     *Lane
	queue   table.Table[CallID] // by ticket
	bucket  TokenBucket
	running int    // attempts that run
	waiting int    // calls that do not run
	head    uint64 // the ticket under which it is ready, 0 if it is not
}

// lane returns the lane of a call.
func (w *work) lane(s *spec) lane {
	if leaf := w.lanes.Get(s.lane); leaf != nil {
		return leaf.V
	}
	l := lane{name: s.name, opt: w.cfg.lane(s.name)}
	l.bucket, _ = NewTokenBucket(l.opt.Rate, w.at(w.now)) // the Config was checked
	return l
}

// free reports whether a call that comes to its lane now would be the next one to start.
func (w *work) free(s *spec) bool {
	if w.ready.Len() > 0 || w.lanes.Min() <= w.now || !w.room() {
		return false // of another lane, perhaps
	}
	l := w.lane(s)
	return l.queue.Len() == 0 && l.room() && l.bucket.Wait(w.at(w.now)) == 0
}

// room reports whether one more attempt may run in the lane.
func (l *lane) room() bool { return l.opt.Running == 0 || l.running < l.opt.Running }

// move brings a call into a state that ends by itself at due. Everything that is counted or
// listed by the states of calls is kept here.
func (w *work) move(id CallID, c call, to state, due int64) {
	l := w.lane(c.spec)
	switch c.state {
	case gone:
	case running:
		l.running--
		w.running--
	case queued:
		l.queue, _ = l.queue.Delete(c.ticket)
		c.ticket = 0
		l.waiting--
	default:
		l.waiting--
	}
	switch to {
	case gone:
	case running:
		l.running++
		w.running++
		l.bucket, _ = l.bucket.Take(w.at(w.now))
	case queued:
		w.ticket++
		c.ticket = w.ticket
		l.queue = l.queue.Put(c.ticket, table.Never, id)
		l.waiting++
	default:
		l.waiting++
	}
	if c.state = to; to == gone {
		w.calls, _ = w.calls.Delete(uint64(id))
	} else {
		w.calls = w.calls.Put(uint64(id), due, c)
	}
	w.keep(c.spec.lane, l)
}

// keep stores a lane, and lists it by what it waits for: a place, a token or nothing.
func (w *work) keep(key uint64, l lane) {
	head, due := uint64(0), int64(table.Never)
	if l.queue.Len() > 0 && l.room() {
		wait := l.bucket.Wait(w.at(w.now))
		if wait == 0 || l.opt.Reject {
			head = first(l.queue).Key
		} else {
			due = w.after(wait)
		}
	}
	if head != l.head {
		if l.head != 0 {
			w.ready, _ = w.ready.Delete(l.head)
		}
		if head != 0 {
			w.ready = w.ready.Put(head, table.Never, key)
		}
		l.head = head
	}
	if l.running+l.waiting > 0 {
		w.lanes = w.lanes.Put(key, due, l)
		w.idle, _ = w.idle.Delete(key)
		return
	}
	if full := l.bucket.filling(w.at(w.now)); full > 0 {
		w.lanes = w.lanes.Put(key, table.Never, l)
		w.idle = w.idle.Put(key, min(w.after(full), table.Never-1), struct{}{}) // or in some centuries
		return
	}
	w.lanes, _ = w.lanes.Delete(key)
	w.idle, _ = w.idle.Delete(key)
}
