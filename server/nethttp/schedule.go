package nethttp

import (
	"container/heap"
	"sync"
	"sync/atomic"
	"time"
)

// schedule says which session is due next: what there is instead of a timer per session.
// An entry is also how a Handler knows that a session lives.
type schedule struct {
	epoch time.Time // what times of entries count from: eight bytes serve for a monotonic time
	mu    sync.Mutex
	known map[string]*entry
	queue ranked[*entry] // the first that is due in front
	// Sessions that may end for others to begin.
	bare   ring              // those that are idle and never finished their handshake, the longest idle one first
	crowd  ranked[*owner]    // the owners that have idle sessions: see owner.before
	owners map[string]*owner // by name
	// Sessions that keep something, that of which nothing was heard for longest first.
	away   ring          // without connection
	linked ring          // with one
	kept   atomic.Int64  // bytes, all together
	asked  int           // calls that Companions answer, all together
	moved  chan struct{} // the first is due earlier than it was
}

func newSchedule() *schedule {
	return &schedule{
		epoch: time.Now(), known: map[string]*entry{}, owners: map[string]*owner{}, moved: make(chan struct{}, 1),
		bare: ring{which: byPhase}, away: ring{which: byKept}, linked: ring{which: byKept},
	}
}

// at sees to it that the session is looked at by then. One that is due earlier stays so:
// it is looked at in vain once, which costs less than to move it at every message. One that is not
// known stays so: it has ended since the caller looked.
func (s *schedule) at(id string, t time.Time) (known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known = s.known[id] != nil; known {
		s.put(id, t)
	}
	return known
}

// entries are those of sessions that have ended, to be used again.
var entries = sync.Pool{New: func() any { return new(entry) }}

// put is at, and makes a session known that is not. The lock is held.
func (s *schedule) put(id string, t time.Time) *entry {
	e, d := s.known[id], t.Sub(s.epoch)
	switch {
	case e == nil:
		e = entries.Get().(*entry)
		e.id, e.at, e.busy = id, d, true // until somebody says what is true
		s.known[id] = e
		heap.Push(&s.queue, e)
	case d < e.at:
		e.at = d
		heap.Fix(&s.queue, int(e.rank))
	default:
		return e
	}
	if e.rank == 0 {
		poke(s.moved) // the clock looks again
	}
	return e
}

// unchanged returns for how long the session is known here to have had the same step.
func (s *schedule) unchanged(id string, step uint64, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, d := s.known[id], now.Sub(s.epoch)
	if e == nil {
		return 0
	}
	if e.step != step {
		e.step, e.seen = step, d
	}
	return d - e.seen
}

// due returns a session that is due, which is then put off by later; or else how long it
// is until one is.
func (s *schedule) due(now time.Time, later time.Duration) (id string, ok bool, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 {
		return "", false, time.Hour
	}
	e, d := s.queue[0], now.Sub(s.epoch)
	if e.at > d {
		return "", false, e.at - d
	}
	e.at = d + later
	heap.Fix(&s.queue, 0)
	return e.id, true, 0
}

// ids returns the sessions that are known here.
func (s *schedule) ids() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]string, 0, len(s.queue))
	for _, e := range s.queue {
		ids = append(ids, e.id)
	}
	return ids
}

// len returns how many sessions are known here.
func (s *schedule) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}
