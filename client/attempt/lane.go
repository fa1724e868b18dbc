package attempt

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// lane returns the lane of a call.
func (s *step) lane(of *spec) lane {
	if leaf := s.lanes.Get(of.lane); leaf != nil {
		return leaf.V
	}
	opt := s.cfg.lane(of.name)
	return lane{name: of.name, opt: opt, bucket: bucket{at: s.clock.Now(), credit: opt.Rate.full()}}
}

// free reports whether a new call of a lane would be the next to start.
func (s *step) free(of *spec) bool {
	if s.ready.Len() > 0 || s.lanes.Min() <= s.clock.Now() || !s.room() {
		return false // a call of another lane may be next
	}
	l := s.lane(of)
	return l.queue.Len() == 0 && l.room() && l.wait(s.clock.Now()) == 0
}

// room reports whether another attempt may run in the lane.
func (l *lane) room() bool { return l.opt.Running == 0 || l.running < l.opt.Running }

// wait returns the time until the lane has a token.
func (l *lane) wait(now int64) time.Duration {
	return l.bucket.wait(&l.opt.Rate, now, int64(l.opt.Rate.Per))
}

// move moves a call to a state with a deadline. It keeps all counts and lists that depend on the
// states of calls.
func (s *step) move(id CallID, c call, to state, deadline int64) {
	l := s.lane(c.spec)
	switch c.state {
	case ended:
	case running:
		l.running--
		s.running--
	case queued:
		l.queue, _ = l.queue.Delete(c.ticket)
		c.ticket = 0
		l.waiting--
	default:
		l.waiting--
	}
	switch to {
	case ended:
	case running:
		l.running++
		s.running++
		l.bucket = l.bucket.take(&l.opt.Rate, s.clock.Now())
	case queued:
		s.ticket++
		c.ticket = s.ticket
		l.queue = l.queue.Put(c.ticket, table.Never, id)
		l.waiting++
	default:
		l.waiting++
	}
	if c.state = to; to == ended {
		s.calls, _ = s.calls.Delete(uint64(id))
	} else {
		s.calls = s.calls.Put(uint64(id), deadline, c)
	}
	s.putLane(c.spec.lane, l)
}

// putLane stores a lane and lists it by what it waits for: its turn, a token or nothing.
func (s *step) putLane(key uint64, l lane) {
	now := s.clock.Now()
	head, deadline := uint64(0), int64(table.Never)
	if l.queue.Len() > 0 && l.room() {
		wait := l.wait(now)
		if wait == 0 || l.opt.Reject {
			head = first(l.queue).Key
		} else {
			deadline = clock.Later(now, wait)
		}
	}
	if head != l.head {
		if l.head != 0 {
			s.ready, _ = s.ready.Delete(l.head)
		}
		if head != 0 {
			s.ready = s.ready.Put(head, table.Never, key)
		}
		l.head = head
	}
	if l.running+l.waiting > 0 {
		s.lanes = s.lanes.Put(key, deadline, l)
		s.idle, _ = s.idle.Delete(key)
		return
	}
	if full := l.bucket.wait(&l.opt.Rate, now, l.opt.Rate.full()); full > 0 {
		s.lanes = s.lanes.Put(key, table.Never, l)
		s.idle = s.idle.Put(key, min(clock.Later(now, full), table.Never-1), struct{}{}) // or in some centuries
		return
	}
	s.lanes, _ = s.lanes.Delete(key)
	s.idle, _ = s.idle.Delete(key)
}

// first returns the entry with the lowest key; the table must not be empty.
func first[V any](t table.Table[V]) *table.Leaf[V] {
	for leaf := range t.All() {
		return leaf
	}
	panic("attempt: first of an empty table")
}
