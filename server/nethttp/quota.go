package nethttp

import (
	"container/list"
	"errors"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
)

// owner is what a principal has of sessions here, if they are limited.
type owner struct {
	id   string
	n    int
	idle list.List // of *entry: those that nothing of is here, the longest idle one first
}

// stand is how a session stands after a turn, for who looks for one that may end.
type stand struct {
	who   string
	ready bool // the handshake is finished
	busy  bool // there are connections or running calls of it here
	heard bool // its client was heard
}

// begin enters a session that begins. If there are too many of the principal (each, 0 for no
// limit) or of all, it enters none, and victim is the one that may end for it; "" if none may. bare
// says that it may because its handshake is not finished.
// The new one is busy until a turn or rest says otherwise.
func (s *schedule) begin(id string, t time.Time, who string, each, all int) (victim string, bare, ok bool) {
	s.mu.Lock()
	switch o := s.owners[who]; {
	case each > 0 && o != nil && o.n >= each:
		victim = first(&o.idle)
	case len(s.queue) >= all:
		victim, bare = first(&s.bare), true
	default:
		ok = true
	}
	if !ok {
		s.mu.Unlock()
		return victim, bare, false
	}
	e, moved := s.put(id, t)
	s.own(e, who, each)
	s.mu.Unlock()
	s.wake(moved)
	return "", false, true
}

// turned is at, after a turn of the session.
func (s *schedule) turned(id string, t time.Time, is stand, each int) {
	s.mu.Lock()
	e, moved := s.put(id, t)
	s.own(e, is.who, each)
	if is.heard || is.busy != e.busy || is.ready != e.ready {
		s.delist(e)
		s.mark(e, is.busy)
		e.ready = is.ready
		s.enlist(e)
	}
	s.mu.Unlock()
	s.wake(moved)
}

// rest says that nothing of the session is here any more but its record.
func (s *schedule) rest(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.known[id]; e != nil && e.busy {
		s.mark(e, false)
		s.enlist(e)
	}
}

// mark notes whether a session is busy, and since when it is not.
func (s *schedule) mark(e *entry, busy bool) {
	if e.busy && !busy {
		e.left = time.Since(s.epoch)
	}
	e.busy = busy
}

// idle returns since when nothing of the session is here; false if something is.
func (s *schedule) idle(id string) (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.known[id]
	if e == nil || e.busy {
		return time.Time{}, false
	}
	return s.epoch.Add(e.left), true
}

// own counts the session for its principal, once.
func (s *schedule) own(e *entry, who string, each int) {
	if each <= 0 || e.of != nil {
		return
	}
	o := s.owners[who]
	if o == nil {
		o = &owner{id: who}
		s.owners[who] = o
	}
	o.n++
	e.of = o
}

// enlist puts a session that is idle behind all others that may end.
func (s *schedule) enlist(e *entry) {
	if e.busy {
		return
	}
	if !e.ready {
		e.bare = s.bare.PushBack(e)
	}
	if e.of != nil {
		e.idle = e.of.idle.PushBack(e)
	}
}

// delist takes a session out of the lists of those that may end.
func (s *schedule) delist(e *entry) {
	if e.bare != nil {
		s.bare.Remove(e.bare)
		e.bare = nil
	}
	if e.idle != nil {
		e.of.idle.Remove(e.idle)
		e.idle = nil
	}
}

// disown is for a session that has ended.
func (s *schedule) disown(e *entry) {
	s.delist(e)
	if e.of == nil {
		return
	}
	if e.of.n--; e.of.n == 0 {
		delete(s.owners, e.of.id)
	}
}

// first returns the id of the first entry of a list, "" if it is empty.
func first(l *list.List) string {
	if l.Len() == 0 {
		return ""
	}
	return l.Front().Value.(*entry).id
}

var (
	errFull = errors.New("nethttp: too many sessions")
	errRoom = errors.New("nethttp: the session gave way to a new one")
)

// maxVictims is how many sessions one that begins tries to take the place of: others may be
// faster, or the clients of those come back.
const maxVictims = 8

// room enters a session that begins, if need be in place of one that is idle.
func (x *exchange) room(id string, r Record) error {
	h := x.h
	for range maxVictims {
		victim, bare, ok := h.due.begin(id, h.next(r, nil, nil), r.Principal, h.each(), h.opt.MaxSessions)
		if ok {
			return nil
		}
		if victim == "" {
			break
		}
		err := h.turn(x.ctx, victim, func(t *turn) error {
			st := h.stripe(victim)
			is := t.stand(st, victim)
			if is.busy || bare && is.ready { // it came back, or went on at another process
				h.due.turned(victim, h.next(t.Record, t.live, st.sides[victim]), is, h.each())
				return errSame
			}
			t.end(errRoom)
			return nil
		})
		if err != nil && !errors.Is(err, errSame) && !errors.Is(err, ErrNoSession) {
			return err
		}
	}
	return errFull
}

// each is how many sessions a principal may have; 0 for any number.
func (h *Handler) each() int {
	if h.opt.Authenticate == nil {
		return 0
	}
	return h.opt.MaxSessionsPerPrincipal
}

// stand returns how a session stands after a turn. The stripe is locked.
func (t *turn) stand(st *stripe, id string) stand {
	return stand{
		who: t.Principal, ready: t.over || t.State.Phase() == lifecycle.Ready,
		busy: st.live[id] != nil || st.sides[id].busy(t.State), heard: t.Active.Equal(t.now),
	}
}
