package toolset

import (
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Sought is what Seek has found: a Binding, or an Err as that of Resolve, or servers to wait for.
type Sought struct {
	Binding Binding // the tool
	Err     error   // why there is none
	// Waits are the servers whose lists have to be read first. They are being read, or will
	// be as soon as their servers are ready. Seek again when one of them is in Effects.Settled.
	Waits []string
}

// Seek is Resolve for a call that began at since (the zero Time is now): if what is known is
// stale, or not enough to say that there is no such tool, it has the lists read that are missing
// (A6, A7). It does not wait: what is to be waited for is in Waits.
//
// A local tool is there at once. A tool of a server is there if the list of its server is fresh; so
// are names that nobody has, if all lists are that are or will soon be there. A list that was asked
// for at since or later is fresh, whatever its TTL. A server that is not ready and not about
// to be, or that is waiting after a failure, is not waited for: what was read last counts.
func (t Toolset) Seek(m manager.Manager, now time.Time, name string, since time.Time) (Toolset, manager.Manager, Sought, Effects) {
	t.clock(now)
	if t.closed {
		return t, m, Sought{Err: ErrClosed}, Effects{}
	}
	from := t.now
	if !since.IsZero() {
		from = min(from, int64(since.Sub(t.birth)))
	}
	found := t.seek(name, from)
	var f Effects
	m = t.pump(m, &f)
	return t, m, found, f
}

// seek looks for a name, and wants the lists that are missing.
func (t *Toolset) seek(name string, since int64) (s Sought) {
	n := t.find(name)
	switch {
	case n == nil:
		t.each(name, func(e *entry) { t.need(e, since, &s) })
	case n.rank != 0:
		if n.id != name {
			t.before(n.rank, since, &s)
		}
		t.need(t.entry(n.rank), since, &s)
	}
	if s.Waits != nil {
		return s
	}
	if n == nil {
		s.Err = t.missing(name)
		return s
	}
	s.Binding = t.binding(n)
	return s
}

// each walks over the servers that may have a tool of a name that nobody has.
func (t *Toolset) each(name string, do func(*entry)) {
	server, _, ok := t.cfg.Naming.Parse(name)
	if e := t.named(server); ok && e != nil {
		do(e)
		return
	}
	if t.cfg.Names == Qualified && !t.cfg.Naming.Long(name) {
		return
	}
	for leaf := range t.open.All() {
		do(t.entry(leaf.Key))
	}
}

// before has the lists of the servers before one read that might have a tool of the same name. They
// are waited for only if that is asked for.
func (t *Toolset) before(rank uint64, since int64, s *Sought) {
	for leaf := range t.open.All() {
		if leaf.Key >= rank {
			return
		}
		var waits Sought
		t.need(t.entry(leaf.Key), since, &waits)
		if t.cfg.Ordered {
			s.Waits = append(s.Waits, waits.Waits...)
		}
	}
}

// settled reports whether a call that began at since has nothing to wait for at a server, and
// nothing to ask of it.
func (t *Toolset) settled(server string, since time.Time) bool {
	e := t.named(server)
	if e == nil || t.fresh(e, min(t.now, int64(since.Sub(t.birth)))) {
		return true
	}
	return !e.state.Live() || e.state == manager.Ready && e.op.IsZero() && t.now < e.gate
}

// uidOf returns the number of the tool that a name leads to, 0 if there is none.
func (t *Toolset) uidOf(name string) uint64 {
	if n := t.find(name); n != nil {
		return n.uid
	}
	return 0
}

// need has the list of a server read if it is not fresh, and says that it is to be waited for.
func (t *Toolset) need(e *entry, since int64, s *Sought) {
	if t.fresh(e, since) {
		return
	}
	switch {
	case e.state.Live() && e.state != manager.Ready, !e.op.IsZero():
	case e.state != manager.Ready || t.now < e.gate:
		return
	}
	if e.op.IsZero() && !e.wanted {
		next := *e
		next.wanted = true
		t.set(next)
	}
	s.Waits = append(s.Waits, e.server.Name)
}

// missing returns the error for a name that leads to no tool.
func (t *Toolset) missing(name string) error {
	server, _, ok := t.cfg.Naming.Parse(name)
	if e := t.named(server); ok && e != nil && e.list == nil {
		return t.unavailable(name, e)
	}
	return toolerror.Unknown(name, t.hints())
}

// unavailable returns the error for a tool of a server that cannot be called now (E10). Its Cause
// is a *manager.Error that names the server and its state.
func (t *Toolset) unavailable(name string, e *entry) *toolerror.Error {
	cause := &manager.Error{Class: manager.ClassUnavailable, Server: e.server.Name, State: e.state, RetryAt: e.retryAt, Err: manager.ErrUnavailable}
	err := &toolerror.Error{Kind: toolerror.Unavailable, Tool: name, Cause: cause}
	switch {
	case e.state == manager.Ready && t.now < e.gate && e.gate != table.Never:
		err.After = time.Duration(e.gate - t.now)
	case !e.retryAt.IsZero():
		err.After = max(e.retryAt.Sub(t.at(t.now)), 0)
	}
	return err
}
