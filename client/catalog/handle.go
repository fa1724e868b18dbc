package catalog

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Handle handles the Effects of a step of the Manager, and requests the lists that are needed. Call it
// with all Effects of the Manager. It returns them without the ends of the Catalog's own operations and
// the announcements of lists that it reads, and with the changes of items.
func (c Catalog) Handle(m manager.Manager, now time.Time, e manager.Effects) (Catalog, manager.Manager, Update) {
	c.clock.Take(now)
	var u Update
	u.Op = e.Op
	if !c.looked {
		c.looked = true
		for leaf := range c.sources.All() {
			c.observe(m, leaf.V.Name, &u)
		}
	}
	m = c.take(m, e, &u)
	m = c.run(m, &u)
	return c, m, u
}

// Tick requests the lists that are due. The Manager has its own Tick. A call before NextDeadline does
// nothing; afterwards NextDeadline is later than now, or there is none.
func (c Catalog) Tick(m manager.Manager, now time.Time) (Catalog, manager.Manager, Update) {
	c.clock.Take(now)
	var u Update
	m = c.run(m, &u)
	return c, m, u
}

// run begins due readings and handles their results, until nothing is left to do.
func (c *Catalog) run(m manager.Manager, u *Update) manager.Manager {
	for m = c.readDue(m, u); len(u.todo) > 0; m = c.readDue(m, u) {
		events := u.todo
		u.todo = nil
		m = c.take(m, manager.Effects{Events: events}, u)
	}
	return m
}

// take handles the Effects of a step of the Manager.
func (c *Catalog) take(m manager.Manager, e manager.Effects, u *Update) manager.Manager {
	u.act(e.Actions)
	for i, ev := range e.Events {
		switch ev.Kind {
		case manager.OpDone:
			if c.opEnded(ev, u) {
				continue
			}
			if ev.Link.IsZero() && ev.Err == nil { // no other event reports a server to be opened on demand
				c.observe(m, ev.Link.Server, u)
			}
		case manager.ServerChanged, manager.PingsMissed:
			c.observe(m, ev.Link.Server, u)
		case manager.SessionEvent:
			c.faulty(ev)
			if ev.Session.Kind == lifecycle.NotificationReceived && c.announced(ev.Link, ev.Session.Method) {
				continue
			}
		}
		if n := len(u.Events); n == i && (i == 0 || &u.Events[0] == &e.Events[0]) {
			u.Events = e.Events[: i+1 : i+1] // while u has exactly the caller's events, no copy is needed
		} else {
			u.Events = append(u.Events, ev)
		}
	}
	return m
}

// announced handles a notification that lists of a server have changed, and reports whether the
// Catalog reads them.
func (c *Catalog) announced(link manager.Link, method string) bool {
	ours := false
	for _, k := range c.reads {
		if protocol.Lists()[k].Changed != method {
			continue
		}
		s := c.named(link.Server)
		if s == nil {
			return false
		}
		ours = true
		if s.link != link {
			continue
		}
		next := *s
		l := &next.lists[k]
		l.old = true
		if l.retryAfter == table.Never { // the list may be readable now
			l.fails, l.retryAfter = 0, 0
		}
		l.announced = !l.op.IsZero()
		l.wanted = l.wanted || l.op.IsZero() && !c.cfg.Lazy
		if !l.announced {
			c.pace(l)
		}
		c.set(next)
	}
	return ours
}

// look copies the Manager's status of a server: whether it was ready, is ready, and has another link.
func (s *source) look(m manager.Manager) (was, is, anew bool) {
	st, _ := m.Status(s.Name)
	opt, _ := m.Options(s.Name)
	was, is, anew = s.state == manager.Ready, st.Condition == manager.Ready, st.Link != s.link
	s.demand = opt.OnDemand
	s.link, s.state, s.since, s.retryAt, s.misses = st.Link, st.Condition, st.Since, st.RetryAt, st.Misses
	if is && (!was || anew) {
		s.trusted = opt.TrustAnnotations
	}
	return was, is, anew
}

// observe handles a change of a server's status, if the server is in the Catalog.
func (c *Catalog) observe(m manager.Manager, server string, u *Update) {
	of := c.named(server)
	if of == nil {
		return
	}
	s := *of
	var before [kinds]Health
	for _, k := range c.reads {
		before[k] = s.health(k)
	}
	live := s.state.Live()
	was, is, anew := s.look(m)
	st, _ := m.Status(server)
	for _, k := range c.reads {
		l := &s.lists[k]
		if was && (!is || anew) {
			l.wanted = l.wanted || !l.op.IsZero()
			l.op = manager.Op{} // it ends by itself
			l.fails, l.retryAfter = 0, 0
		}
		if is && (!was || anew) {
			l.began, l.readAfter = false, 0
			if st.ReadyCount < 2 || !c.outlasts(l) { // after a new Connect the server may be different
				l.old, l.lostSince = true, l.list != nil
				l.wanted = l.wanted || l.lostSince || !c.cfg.Lazy
			}
		}
	}
	c.set(s)
	for _, k := range c.reads {
		c.addChange(Change{Server: s.Name, Before: before[k]}, &s, k, u)
	}
	if live && !s.state.Live() {
		u.Settled = append(u.Settled, s.Name)
	}
}

// faulty records the invalid items of a page. The session removes them from the page that it
// delivers, and reports the original page.
func (c *Catalog) faulty(ev manager.Event) {
	if ev.Session.Kind != lifecycle.Violation {
		return
	}
	at := slices.IndexFunc(c.reads, func(k int) bool {
		return protocol.Revisions()[0].Row(protocol.Lists()[k].Method).ItemRule == ev.Session.Rule
	})
	s := c.named(ev.Link.Server)
	if at < 0 || s == nil || s.link != ev.Link || s.lists[c.reads[at]].op.IsZero() {
		return
	}
	next := *s
	l := &next.lists[c.reads[at]]
	r := s.reader(c.reads[at])
	r.fault(c, ev.Session.Body)
	l.faults = &r.faults
	c.set(next)
}
