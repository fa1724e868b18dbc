package nethttp

import (
	"container/heap"
	"errors"
	"sync"
	"time"
)

// sessionUse is how a session is used after a turn, for who looks for one that may end.
type sessionUse struct {
	who    string // its owner, as far as its record says
	ready  bool   // the handshake is finished
	busy   bool   // there are connections or running calls of it here
	linked bool   // there are connections of it here
	heard  bool   // its client was heard
	kept   int    // bytes that are kept for its client
	asked  int    // calls that its Companion answers
}

// begin enters a session that begins. If there are too many of its owner (each) or of all, it enters
// none, and victim is the one that may end for it; "" if none may. bare says that it may because its
// handshake is not finished. The new one is busy until a turn or rest says otherwise.
func (s *schedule) begin(id string, t time.Time, who string, each, all int) (victim string, bare, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var first *entry
	switch o := s.owners[who]; {
	case o != nil && o.n >= each:
		first = o.first()
	case len(s.queue) < all:
		ok = true
	case len(s.crowd) > 0 && s.crowd[0].bare.n+s.crowd[0].idle.n > s.bare.n:
		first = s.crowd[0].first()
	default:
		first = s.bare.first
	}
	if !ok {
		if first != nil {
			victim, bare = first.id, !first.ready
		}
		return victim, bare, false
	}
	s.own(s.put(id, t), who)
	return "", false, true
}

// turned is at, after a turn of the session at now.
func (s *schedule) turned(id string, t, now time.Time, is sessionUse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.put(id, t)
	s.own(e, is.who)
	if is.heard || is.busy != e.busy || is.ready != e.ready {
		s.delist(e)
		e.busy, e.ready = is.busy, is.ready
		s.enlist(e, now)
	}
	s.keeps(e, is)
	s.asks(e, is.asked)
}

// keeps takes in what a session keeps.
func (s *schedule) keeps(e *entry, is sessionUse) {
	s.kept.Add(int64(is.kept - e.kept))
	e.kept = is.kept
	in := &s.away
	switch {
	case is.kept == 0:
		in = nil
	case is.linked:
		in = &s.linked
	}
	if was := e.links[byKept].in; was == in && !is.heard {
		return
	}
	e.leave(byKept)
	if in != nil {
		in.push(e)
	}
}

// rest says that nothing of the session is here any more but its record.
func (s *schedule) rest(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.known[id]
	if e == nil {
		return
	}
	if e.busy {
		e.busy = false
		s.enlist(e, time.Now())
	}
	s.keeps(e, sessionUse{kept: e.kept})
}

// idle returns since when nothing of the session is here but its record; false if something is.
func (s *schedule) idle(id string) (since time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.known[id]
	if e == nil || e.busy {
		return time.Time{}, false
	}
	return s.epoch.Add(e.since), true
}

// owner returns the name of whose session it is, "" if nobody knows.
func (s *schedule) owner(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.known[id]; e != nil && e.of != nil {
		return e.of.name
	}
	return ""
}

// own counts the session for its owner, once.
func (s *schedule) own(e *entry, who string) {
	if e.of != nil {
		return
	}
	o := s.owners[who]
	if o == nil {
		o = lone.Get().(*owner)
		o.name = who
		s.owners[who] = o
	}
	o.n++
	e.of = o
}

// enlist puts a session that is idle behind all others that may end.
func (s *schedule) enlist(e *entry, now time.Time) {
	if e.busy {
		return
	}
	e.since = now.Sub(s.epoch)
	o := e.of
	in := &o.idle
	if !e.ready {
		in = &o.bare
		s.bare.push(e)
	}
	if in.push(e); o.bare.n+o.idle.n == 1 {
		heap.Push(&s.crowd, o)
	} else {
		heap.Fix(&s.crowd, int(o.rank))
	}
}

// delist takes a session out of the lists of those that may end.
func (s *schedule) delist(e *entry) {
	e.leave(byPhase)
	if e.links[byOwner].in == nil {
		return
	}
	if e.of.bare.n+e.of.idle.n == 1 { // before it goes, for the order looks at the first
		heap.Remove(&s.crowd, int(e.of.rank))
		e.leave(byOwner)
		return
	}
	e.leave(byOwner)
	heap.Fix(&s.crowd, int(e.of.rank))
}

// disown is for a session that has ended.
func (s *schedule) disown(e *entry) {
	s.delist(e)
	s.keeps(e, sessionUse{})
	if e.of == nil {
		return
	}
	s.asks(e, 0)
	if e.of.n--; e.of.n == 0 {
		delete(s.owners, e.of.name)
		e.of.name = ""
		lone.Put(e.of)
	}
}

// lone are owners whose sessions have all ended, to be used again: requests without a session begin and end one each.
var lone = sync.Pool{New: func() any { return &owner{bare: ring{which: byOwner}, idle: ring{which: byOwner}} }}

var errFull = errors.New("nethttp: too many sessions")

// forget drops a session that has ended.
func (s *schedule) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.known[id]; e != nil {
		s.disown(e)
		delete(s.known, id)
		heap.Remove(&s.queue, int(e.rank))
		*e = entry{}
		entries.Put(e)
	}
}

// keeper returns the session that has to give something up for all to keep no more than most, and how
// much of it may stay; false if none has to. One alone may have it all: it has bounds of its own.
func (s *schedule) keeper(most int) (id string, kept int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	more := int(s.kept.Load()) - most
	if more <= 0 || s.away.n+s.linked.n < 2 {
		return "", 0, false
	}
	e := s.away.first
	if e == nil {
		e = s.linked.first
	}
	in := e.links[byKept].in // behind the others, in case that it has nothing to give
	e.leave(byKept)
	in.push(e)
	return e.id, max(e.kept-more, 0), true
}
