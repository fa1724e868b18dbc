package toolset

import (
	"math"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Sought is what Seek has found: a Binding, or an Err as that of Resolve, or servers to wait for.
type Sought struct {
	Binding Binding // the tool
	Err     error   // why there is none
	// Waits are the servers whose lists have to be read first. They are being read, or will
	// be as soon as their servers are ready, which are being opened. Seek again when one of them is in Effects.Settled.
	Waits []string
}

// Seek is Resolve for a call that began at since (the zero Time is now): if what is known is
// stale, or not enough to say that there is no such tool, it has the lists read that are missing
// (A6, A7). It does not wait: what is to be waited for is in Waits.
//
// A local tool is there at once. A tool of a server is there if the list of its server is fresh; so
// are names that nobody has, if all lists are that are or will soon be there. A list that was asked
// for at since or later is fresh, whatever its TTL. A server that is not ready and not about
// to be, or that is waiting after a failure, is not waited for: what was read last counts. One
// of manager.Options.OnDemand is opened if it may have the tool: of a name that nobody is known to
// have, every one may (A1, A8, A11).
func (t Toolset) Seek(m manager.Manager, now time.Time, name string, since time.Time) (Toolset, manager.Manager, Sought, Update) {
	t.begin(now)
	if t.closed {
		return t, m, Sought{Err: ErrClosed}, Update{}
	}
	from := t.clock.Now()
	if !since.IsZero() {
		from = t.began(since)
	}
	s := search{t: t, m: m, since: from}
	found := s.seek(name)
	s.m = s.t.pump(s.m, &s.f)
	return s.t, s.m, found, s.f
}

// search is one Seek under way.
type search struct {
	t     Toolset
	m     manager.Manager
	since int64 // when the call began
	f     Update
	waits []string
}

// seek looks for a name, and wants the lists that are missing.
func (s *search) seek(name string) (found Sought) {
	t, n := &s.t, s.t.find(name)
	switch {
	case n == nil:
		s.each(name)
	case n.rank != 0:
		if n.id != name {
			s.before(n.rank)
		}
		s.need(t.entry(n.rank))
	}
	if found.Waits = s.waits; found.Waits != nil {
		return found
	}
	if n == nil {
		found.Err = t.missing(name)
		return found
	}
	found.Binding = t.binding(n)
	return found
}

// each has the lists read of the servers that may have a tool of a name that nobody has.
func (s *search) each(name string) {
	t := &s.t
	server, _, ok := t.cfg.Naming.Form.Parse(name)
	if e := t.named(server); ok && e != nil {
		s.need(e)
		return
	}
	cut := t.cfg.Naming.Form.Long(name)
	if t.cfg.Naming.Names == naming.Always && !cut {
		return
	}
	s.all(t.open, math.MaxUint64, cut)
	s.all(t.asleep, math.MaxUint64, cut)
}

// before has the lists of the servers before one read that might have a tool of the same name. They
// are opened and waited for only if that is asked for.
func (s *search) before(rank uint64) {
	waits := s.waits
	s.all(s.t.open, rank, false)
	if !s.t.cfg.Ordered {
		s.waits = waits
		return
	}
	s.all(s.t.asleep, rank, false)
}

// all has the lists of the servers of a set before one read: those whose tools may have plain names, or
// with cut of all.
func (s *search) all(set table.Table[struct{}], rank uint64, cut bool) {
	if set.Len() == 0 {
		return
	}
	for leaf := range set.All() { // a version of its own
		if leaf.Key >= rank {
			return
		}
		if e := s.t.entry(leaf.Key); cut || s.t.plain(e) {
			s.need(e)
		}
	}
}

// settled reports whether a call that began at since has nothing to wait for at a server, and
// nothing to ask of it.
func (t *Toolset) settled(server string, since time.Time) bool {
	e := t.named(server)
	if e == nil || t.fresh(e, t.began(since)) {
		return true
	}
	return !e.state.Live() || e.state == manager.Ready && e.op.IsZero() && t.clock.Now() < e.gate
}

// uidOf returns the number of the tool that a name leads to, 0 if there is none.
func (t *Toolset) uidOf(name string) uint64 {
	if n := t.find(name); n != nil {
		return n.uid
	}
	return 0
}

// need has the list of a server read if it is not fresh, and says that it is to be waited for. A
// server that is opened on demand is opened.
func (s *search) need(e *entry) {
	t := &s.t
	if t.fresh(e, s.since) {
		return
	}
	switch {
	case e.state.Live() && e.state != manager.Ready, !e.op.IsZero():
	case e.state != manager.Ready:
		if !s.open(e) {
			return
		}
	case t.clock.Now() < e.gate:
		return
	}
	if e = t.entry(e.rank); e.op.IsZero() && !e.wanted {
		next := *e
		next.wanted = true
		t.set(next)
	}
	s.waits = append(s.waits, e.server.Name)
}

// open opens a server that is opened on demand; false if it is not to be opened now. That it could
// not be opened since the call began is an answer to the call.
func (s *search) open(e *entry) bool {
	if !e.demand || e.state == manager.Failed && s.t.clock.Of(e.since) >= s.since {
		return false
	}
	m, out, err := s.m.Open(s.t.clock.Time(), e.server.Name)
	if err != nil {
		return false
	}
	s.t.ops = s.t.ops.Put(out.Op.Seq(), table.Never, 0) // what becomes of it is a change of the server
	s.m = s.t.take(m, out, &s.f)
	return true
}

// await has a server opened that a call is bound to, that is opened on demand and that is not ready.
// It reports whether the call has to wait for it, as Seek does; the call began at since.
func (t Toolset) await(m manager.Manager, server string, since time.Time) (Toolset, manager.Manager, bool, Update) {
	s := search{t: t, m: m, since: t.began(since)}
	e := s.t.named(server)
	if !e.state.Live() && !s.open(e) {
		return t, m, false, Update{}
	}
	next := *s.t.entry(e.rank)
	next.wanted = true // which ends in Settled
	s.t.set(next)
	return s.t, s.m, true, s.f
}

// missing returns the error for a name that leads to no tool.
func (t *Toolset) missing(name string) error {
	server, _, ok := t.cfg.Naming.Form.Parse(name)
	if e := t.named(server); ok && e != nil && e.list == nil {
		return t.unavailable(name, e)
	}
	return toolerror.Unknown(name, t.hints())
}

// unavailable returns the error for a tool of a server that cannot be called now (E10). Its Cause
// is a *manager.Error that names the server and its state.
func (t *Toolset) unavailable(name string, e *entry) *toolerror.Error {
	cause := &manager.Error{Class: manager.ClassUnavailable, Server: e.server.Name, Condition: e.state, RetryAt: e.retryAt, Err: manager.ErrUnavailable}
	err := &toolerror.Error{Kind: toolerror.Unavailable, Tool: name, Cause: cause}
	switch {
	case e.state == manager.Ready && t.clock.Now() < e.gate && e.gate != table.Never:
		err.After = time.Duration(e.gate - t.clock.Now())
	case !e.retryAt.IsZero():
		err.After = max(e.retryAt.Sub(t.clock.Time()), 0)
	}
	return err
}
