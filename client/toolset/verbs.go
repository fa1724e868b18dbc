package toolset

import (
	"math"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

// Attach adds a server behind all others (E5). Its tools are in a Change when its list was read,
// which begins at once if it is ready. Errors: ErrClosed, ErrConfig with ErrServer for a name that is
// there or cannot be one and with ErrTooMany, ErrCollision if a local tool has a name that is to be
// that of a tool of this server.
func (t Toolset) Attach(m manager.Manager, now time.Time, s Server) (Toolset, manager.Manager, Update, error) {
	next := t
	next.begin(now)
	if t.closed {
		return t, m, Update{}, ErrClosed
	}
	looking := next.looking(s.Name)
	if err := next.enter(s, t.entries.Len() == 0); err != nil {
		return t, m, Update{}, err
	}
	var f Update
	if looking {
		f.Changes = append(f.Changes, Change{Server: s.Name, Listed: true, Health: Unavailable, Before: Unavailable})
	}
	next.observe(m, next.last, &f)
	m = next.pump(m, &f)
	return next, m, f, nil
}

// looking reports whether a tool of a server has a plain name that looks like a qualified one of
// the server of the given name.
func (t *Toolset) looking(server string) bool {
	return t.names.get(byLook, server) != nil
}

// Detach takes a server and its tools out (E7). Its connection stays as it is. Errors: ErrClosed,
// ErrServer.
func (t Toolset) Detach(m manager.Manager, now time.Time, server string) (Toolset, manager.Manager, Update, error) {
	next := t
	next.begin(now)
	e := next.named(server)
	switch {
	case t.closed:
		return t, m, Update{}, ErrClosed
	case e == nil:
		return t, m, Update{}, ErrServer
	}
	var f Update
	m = next.leave(m, e.rank, &f)
	return next, m, f, nil
}

// leave takes a server out.
func (t *Toolset) leave(m manager.Manager, rank uint64, f *Update) manager.Manager {
	m = t.stop(m, rank, f)
	e := *t.entry(rank)
	c := Change{Server: e.server.Name, Before: e.health()}
	t.omit(&e, &c)
	t.names = t.names.put(slot{kind: byServer, text: e.server.Name})
	t.entries, _ = t.entries.Delete(rank)
	t.good, _ = t.good.Delete(rank)
	t.open, _ = t.open.Delete(rank)
	t.asleep, _ = t.asleep.Delete(rank)
	e.state = manager.Idle
	c.Listed = c.Listed || t.looking(e.server.Name)
	t.say(c, &e, f)
	f.Settled = append(f.Settled, e.server.Name)
	return m
}

// stop gives up the listing of a server that is under way.
func (t *Toolset) stop(m manager.Manager, rank uint64, f *Update) manager.Manager {
	e := *t.entry(rank)
	op := e.op
	if op.IsZero() {
		return m
	}
	e.op = manager.Op{}
	t.set(e)
	next, out, _ := m.Cancel(t.clock.Time(), op, "the list is not needed any more") // if it has ended there is nothing to cancel
	return t.take(next, out, f)
}

// SetLocal replaces the local tools. Errors, as those of New: ErrClosed, ErrTool, ErrToolName,
// ErrCollision.
func (t Toolset) SetLocal(tools []protocol.Tool) (Toolset, Change, error) {
	if t.closed {
		return t, Change{}, ErrClosed
	}
	next := t
	c, err := next.setLocal(tools)
	if err != nil {
		return t, Change{}, err
	}
	return next, c, nil
}

// Invalidate marks the lists of the given servers stale, all without names, and forgets their
// failures: the next call that needs one has it read, or with Config.Renew it is at once (A9). A
// listing under way began too early: it is given up and begins again. What was read last is
// there until then. Errors: ErrClosed, ErrServer, with nothing done.
func (t Toolset) Invalidate(m manager.Manager, now time.Time, servers ...string) (Toolset, manager.Manager, Update, error) {
	return t.again(m, now, servers, false, func(e *entry) bool {
		e.old, e.wanted = true, e.wanted || !e.op.IsZero()
		return true
	})
}

// Refresh has the lists of the given servers read now, all without names, whatever their TTL and
// their failures say (A10, E6). A listing that is under way is the one. The list of a server that
// is not ready is read when it is; one of manager.Options.OnDemand is opened for it. Errors: ErrClosed, ErrServer, with nothing done.
func (t Toolset) Refresh(m manager.Manager, now time.Time, servers ...string) (Toolset, manager.Manager, Update, error) {
	return t.again(m, now, servers, true, func(e *entry) bool {
		e.wanted = e.wanted || e.op.IsZero()
		return false
	})
}

// again changes the entries of servers, which need not wait any more; open opens those that are
// opened on demand. do says whether a listing that is under way is given up.
func (t Toolset) again(m manager.Manager, now time.Time, servers []string, open bool, do func(*entry) (stop bool)) (Toolset, manager.Manager, Update, error) {
	if t.closed {
		return t, m, Update{}, ErrClosed
	}
	next := t
	next.begin(now)
	var ranks []uint64
	for _, name := range servers {
		s := next.names.get(byServer, name)
		if s == nil {
			return t, m, Update{}, ErrServer
		}
		ranks = append(ranks, s.n)
	}
	if len(servers) == 0 {
		for leaf := range next.entries.All() {
			ranks = append(ranks, leaf.Key)
		}
	}
	s := search{t: next, m: m, since: math.MaxInt64}
	for _, rank := range ranks {
		e := *s.t.entry(rank)
		e.fails, e.gate, e.pace = 0, 0, 0
		stop := do(&e)
		s.t.set(e)
		if stop {
			s.m = s.t.stop(s.m, rank, &s.f)
		}
		if open && !e.state.Live() {
			s.open(s.t.entry(rank))
		}
	}
	s.m = s.t.pump(s.m, &s.f)
	return s.t, s.m, s.f, nil
}

// Close ends the Toolset: its listings are given up, there are no tools any more, and all its verbs
// return ErrClosed (A12). Connections stay as they are: manager.Manager.DisconnectAll closes them.
func (t Toolset) Close(m manager.Manager, now time.Time) (Toolset, manager.Manager, Update) {
	t.begin(now)
	var f Update
	if t.closed {
		return t, m, f
	}
	for leaf := range t.entries.All() {
		m = t.leave(m, leaf.Key, &f)
	}
	c := Change{}
	before := t.local
	t.local = nil
	t.install(&c, before, nil)
	if !c.IsZero() {
		f.Changes = append(f.Changes, c)
	}
	t.closed = true
	return t, m, f
}
