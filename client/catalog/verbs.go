package catalog

import (
	"math"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/protocol"
)

// Attach adds a server after all others. If it is ready its lists are read at once; a Change has its items
// then. Errors: lifecycle.ErrClosed; lifecycle.ErrConfig with ErrServer for a duplicate or invalid name, and
// with lifecycle.ErrLimit; *ConflictError if the name of a local tool would be a qualified name of this
// server.
func (c Catalog) Attach(m manager.Manager, now time.Time, s Source) (Catalog, manager.Manager, Update, error) {
	next := c
	next.clock.Take(now)
	if c.closed {
		return c, m, Update{}, errClosed
	}
	var u Update
	if err := next.join(m, s, c.sources.Len() == 0, &u); err != nil {
		return c, m, Update{}, err
	}
	m = next.run(m, &u)
	return next, m, u, nil
}

// join adds a server, and reads its lists if it is ready.
func (c *Catalog) join(m manager.Manager, s Source, alone bool, u *Update) error {
	for _, k := range c.reads {
		if c.looking(k, s.Name) {
			u.Changes = append(u.Changes, Change{Kind: protocol.Lists()[k], Server: s.Name, Listed: true, Health: Unavailable, Before: Unavailable})
		}
	}
	if err := c.enter(s, alone); err != nil {
		return err
	}
	c.observe(m, s.Name, u)
	return nil
}

// looking reports whether an item has a plain name that looks like a qualified name of the given
// server.
func (c *Catalog) looking(kind int, server string) bool {
	if isURI(kind) {
		server = naming.Scheme(server)
	}
	return c.names.get(byLook+kind, server) != nil
}

// Detach removes a server and its items. Its link is unchanged. Errors: lifecycle.ErrClosed, ErrServer.
func (c Catalog) Detach(m manager.Manager, now time.Time, server string) (Catalog, manager.Manager, Update, error) {
	next := c
	next.clock.Take(now)
	s := next.named(server)
	switch {
	case c.closed:
		return c, m, Update{}, errClosed
	case s == nil:
		return c, m, Update{}, ErrServer
	}
	var u Update
	m = next.leave(m, s.rank, &u)
	return next, m, u, nil
}

// leave removes a server.
func (c *Catalog) leave(m manager.Manager, rank uint64, u *Update) manager.Manager {
	changes := make([]Change, 0, len(c.reads))
	for _, k := range c.reads {
		m = c.stop(m, rank, k, u)
		s := *c.source(rank)
		ch := Change{Server: s.Name, Before: s.health(k)}
		c.omit(&s, k, &ch)
		changes = append(changes, ch)
	}
	s := *c.source(rank)
	c.names = c.names.put(slot{tag: byServer, text: s.Name})
	c.names = c.names.put(slot{tag: byScheme, text: naming.Scheme(s.Name)})
	if c.sources, _ = c.sources.Delete(rank); s.nth > 0 && s.nth == c.nth {
		c.nth = c.newest() // as in a Catalog restored from here
	}
	s.state = manager.Idle
	for i, k := range c.reads {
		ch := changes[i]
		if c.looking(k, s.Name) { // names that its items had, or that were withdrawn
			ch.Listed, c.free[k] = true, true
			if !c.cfg.Deferred {
				*c = c.Claim(protocol.Lists()[k])
			}
		}
		c.addChange(ch, &s, k, u)
	}
	u.Settled = append(u.Settled, s.Name)
	return m
}

// stop cancels the current reading of a list.
func (c *Catalog) stop(m manager.Manager, rank uint64, kind int, u *Update) manager.Manager {
	s := *c.source(rank)
	op := s.lists[kind].op
	if op.IsZero() {
		return m
	}
	s.lists[kind].op = manager.Op{}
	c.set(s)
	next, out, _ := m.Cancel(c.clock.Time(), op, "list no longer needed") // fails if it has ended already
	return c.take(next, out, u)
}

// SetLocal replaces the local tools. Errors: lifecycle.ErrClosed, and ErrItem and *ConflictError as in New.
func (c Catalog) SetLocal(tools []protocol.Tool) (Catalog, Change, error) {
	if c.closed {
		return c, Change{}, errClosed
	}
	next := c
	ch, err := next.setLocal(tools)
	if err != nil {
		return c, Change{}, err
	}
	return next, ch, nil
}

// Invalidate marks the lists of the given servers stale, or of all if none are given, and clears
// their failures. The next call that needs a list reads it; with Config.Renew it is read at once. A
// reading in progress began too early: it is cancelled and begins again. The last list stays until
// then. Errors: lifecycle.ErrClosed, ErrServer; nothing has changed then.
func (c Catalog) Invalidate(m manager.Manager, now time.Time, servers ...string) (Catalog, manager.Manager, Update, error) {
	return c.again(m, now, servers, false, func(l *reading) bool {
		l.old, l.wanted = true, l.wanted || !l.op.IsZero()
		return true
	})
}

// Refresh has the lists of the given servers read now, or of all without names, ignoring TTL and failures. A
// reading in progress is not restarted. The lists of a server that is not ready are read when it is; one with
// manager.Options.OnDemand is opened. Errors: lifecycle.ErrClosed, ErrServer, with nothing done.
func (c Catalog) Refresh(m manager.Manager, now time.Time, servers ...string) (Catalog, manager.Manager, Update, error) {
	return c.again(m, now, servers, true, func(l *reading) bool {
		l.wanted = l.wanted || l.op.IsZero()
		return false
	})
}

// again changes the lists of servers and clears their waits; open opens servers on demand. do
// reports whether to cancel a reading in progress.
func (c Catalog) again(m manager.Manager, now time.Time, servers []string, open bool, do func(*reading) (stop bool)) (Catalog, manager.Manager, Update, error) {
	if c.closed {
		return c, m, Update{}, errClosed
	}
	next := c
	next.clock.Take(now)
	var ranks []uint64
	for _, name := range servers {
		s := next.names.get(byServer, name)
		if s == nil {
			return c, m, Update{}, ErrServer
		}
		ranks = append(ranks, s.n)
	}
	if len(servers) == 0 {
		for leaf := range next.sources.All() {
			ranks = append(ranks, leaf.Key)
		}
	}
	s := search{c: next, m: m, since: math.MaxInt64}
	for _, rank := range ranks {
		for _, k := range next.reads {
			of := *s.c.source(rank)
			l := &of.lists[k]
			l.fails, l.retryAfter, l.readAfter = 0, 0, 0
			stop := do(l)
			s.c.set(of)
			if stop {
				s.m = s.c.stop(s.m, rank, k, &s.u)
			}
		}
		if of := s.c.source(rank); open && !of.state.Live() {
			s.open(of)
		}
	}
	s.m = s.c.run(s.m, &s.u)
	return s.c, s.m, s.u, nil
}

// Close ends the Catalog: it cancels its readings and removes all items. All later verbs return
// lifecycle.ErrClosed. Links are unchanged: manager.Manager.DisconnectAll closes them.
func (c Catalog) Close(m manager.Manager, now time.Time) (Catalog, manager.Manager, Update) {
	c.clock.Take(now)
	var u Update
	if c.closed {
		return c, m, u
	}
	for leaf := range c.sources.All() {
		m = c.leave(m, leaf.Key, &u)
	}
	ch := Change{Kind: protocol.ToolList}
	before := c.local
	c.local = nil
	c.install(&ch, before, nil)
	if !ch.IsZero() {
		u.Changes = append(u.Changes, ch)
	}
	c.closed = true
	return c, m, u
}
