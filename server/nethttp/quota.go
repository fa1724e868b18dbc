package nethttp

import (
	"container/heap"
	"errors"
	"net/netip"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
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
		s.mu.Unlock()
		return victim, bare, false
	}
	e, moved := s.put(id, t)
	s.own(e, who)
	s.mu.Unlock()
	s.wake(moved)
	return "", false, true
}

// turned is at, after a turn of the session at now.
func (s *schedule) turned(id string, t, now time.Time, is sessionUse) {
	s.mu.Lock()
	e, moved := s.put(id, t)
	s.own(e, is.who)
	if is.heard || is.busy != e.busy || is.ready != e.ready {
		s.delist(e)
		e.busy, e.ready = is.busy, is.ready
		s.enlist(e, now)
	}
	s.keeps(e, is)
	s.asks(e, is.asked)
	s.mu.Unlock()
	s.wake(moved)
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
		o = &owner{name: who, bare: ring{which: byOwner}, idle: ring{which: byOwner}}
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
	}
}

var (
	errFull = errors.New("nethttp: too many sessions")
	errRoom = errors.New("nethttp: the session gave way to a new one")
)

// maxVictims is how many sessions one that begins tries to take the place of: others may be
// faster, or the clients of those come back.
const maxVictims = 8

// admitSession enters a session that begins, if need be in place of one that is idle.
func (x *exchange) admitSession(id string, r Record) error {
	h := x.h
	for range maxVictims {
		victim, bare, ok := h.due.begin(id, h.next(r, nil, nil), x.owner(), h.opt.MaxSessionsPerPrincipal, h.opt.MaxSessions)
		if ok {
			return nil
		}
		if victim == "" {
			break
		}
		err := h.turn(x.ctx, victim, func(t *turn) error {
			st := h.stripe(victim)
			is := t.sessionUse(h, st, victim)
			// It came back, or goes on at another process.
			if is.busy || bare && is.ready || t.State.Status().Inbound > 0 || t.Streams.Listeners() > 0 {
				h.due.turned(victim, h.next(t.Record, t.live, st.sides[victim]), t.now, is)
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

// owner returns the name of whose sessions those of the request are: its principal, or without
// Authenticate the address that it comes from.
func (x *exchange) owner() string {
	if x.h.opt.Authenticate != nil {
		return x.who.ID
	}
	return address(x.r.RemoteAddr)
}

// address returns what is told apart of a remote address: all of one of IPv4, and of IPv6 the first 64
// bits, since whoever has one of those has them all. What is no address is itself.
func address(remote string) string {
	at, ok := prefix(remote)
	switch {
	case !ok:
		return remote
	case at.Is4():
		return at.String()
	}
	return netip.PrefixFrom(at, 64).String()
}

// prefix is address for a map, without an allocation; false for what is no address.
func prefix(remote string) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}, false
	}
	a := at.Addr().Unmap()
	if a.Is4() {
		return a, true
	}
	p, _ := a.WithZone("").Prefix(64) // an address of IPv6 has so many bits
	return p.Addr(), true
}

// sessionUse returns how a session is used after a turn. The stripe is locked.
func (t *turn) sessionUse(h *Handler, st *stripe, id string) sessionUse {
	is := sessionUse{
		ready: t.over || t.State.Phase() == lifecycle.Ready,
		busy:  st.live[id] != nil, heard: t.Active.Equal(t.now),
		linked: len(st.live[id].connections()) > 0, kept: t.Streams.Bytes(),
	}
	if st.sides[id].busy(t.State) {
		is.busy, is.asked = true, t.State.Status().Inbound
	}
	if h.opt.Authenticate != nil {
		is.who = t.Principal
	}
	return is
}
