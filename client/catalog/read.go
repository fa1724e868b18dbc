package catalog

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// minRetry is the shortest time between a failure and the next reading.
const minRetry = time.Millisecond

// readDue begins the due readings, one request for each list of a server (A10). run handles their
// immediate results.
func (c *Catalog) readDue(m manager.Manager, u *Update) manager.Manager {
	for c.sources.Min() <= c.clock.Now() {
		_, due := c.sources.Expire(c.clock.Now())
		for _, leaf := range due {
			for _, k := range c.reads {
				// The previous reading may have changed it.
				if s := c.source(leaf.Key); s != nil && c.listDue(s, k) <= c.clock.Now() {
					m = c.readList(m, *s, k, u)
				}
			}
		}
	}
	return m
}

// readList requests a list of a server.
func (c *Catalog) readList(m manager.Manager, s source, kind int, u *Update) manager.Manager {
	budget := manager.Budget{Total: c.cfg.Total}
	if limits := &c.cfg.Limits; !c.cfg.PassThrough {
		budget.Pages, budget.Items, budget.Bytes = limits.Pages, 2*limits.Items, 2*limits.Bytes
	}
	next, out, err := m.List(c.clock.Time(), s.Name, protocol.Lists()[kind].Method, budget)
	l := &s.lists[kind]
	l.wanted, l.asked, l.began, l.announced, l.readAfter = false, c.clock.Now(), true, false, 0
	l.faults = nil
	if err != nil {
		c.set(s)
		c.readEnded(s.rank, kind, nil, err, u)
		return m
	}
	l.op = out.Op
	c.ops = c.ops.Put(out.Op.Seq(), table.Never, place(s.rank, kind))
	c.set(s)
	u.act(out.Actions)
	u.todo = append(u.todo, out.Events...)
	return next
}

// opEnded handles the end of an operation, and reports whether it belongs to the Catalog.
func (c *Catalog) opEnded(ev manager.Event, u *Update) bool {
	var leaf *table.Leaf[uint64]
	if c.ops, leaf = c.ops.Delete(ev.Op.Seq()); leaf == nil {
		return false
	}
	s, kind := c.source(leaf.V/kinds), int(leaf.V%kinds)
	if s == nil || s.lists[kind].op != ev.Op { // it is no longer needed
		return true
	}
	next := *s
	next.lists[kind].op = manager.Op{}
	if ev.Err == nil {
		c.lasts(&next.lists[kind], &ev)
	}
	c.set(next)
	var items []jsonrpc.Raw
	if ev.Err == nil {
		items = ev.Items
	}
	c.readEnded(s.rank, kind, items, ev.Err, u)
	return true
}

// without reports whether an error means that a server has no such list.
func without(err error) bool {
	var e *manager.Error
	return errors.Is(err, lifecycle.ErrCapability) || errors.Is(err, lifecycle.ErrRevision) ||
		errors.As(err, &e) && e.Code == jsonrpc.CodeMethodNotFound
}

// readEnded handles the end of a reading. A server without such a list has no items.
func (c *Catalog) readEnded(rank uint64, kind int, items []jsonrpc.Raw, err error, u *Update) {
	s := *c.source(rank)
	l := &s.lists[kind]
	ch := Change{Server: s.Name, Before: s.health(kind)}
	if err == nil || without(err) {
		r := s.reader(kind)
		r.read(c, items)
		ch.Dropped, ch.More = r.dropped, r.more
		before := l.list
		l.list, l.stamp, l.old, l.lostSince = c.versioned(before, listOf(kind, r.items, &s.Filter)), l.asked, l.announced, false
		l.fails, l.retryAfter = 0, 0
		if err != nil {
			l.expires, l.public = table.Never, false
		}
		if kind == ofTemplates && s.nth == 0 {
			s.nth = c.nth + 1
		}
		c.set(s)
		c.install(&ch, before, l.list)
		if l.old {
			l.wanted = l.wanted || !c.cfg.Lazy
			c.pace(l)
		}
	} else {
		c.readFailed(&s, kind, err, &ch)
	}
	l.faults = nil
	c.set(s)
	c.addChange(ch, &s, kind, u)
	u.Settled = append(u.Settled, s.Name)
}

// readFailed records that a list could not be read, for example because a cursor has become invalid. The
// last list stays, stale (A8, F6; CACH-017), and the list is read again from its start (CACH-015, CACH-016).
func (c *Catalog) readFailed(s *source, kind int, err error, ch *Change) {
	l := &s.lists[kind]
	ch.Err = err
	l.old, l.lostSince = true, false
	l.fails++
	var n uint64
	c.random, n = c.random.Next()
	l.retryAfter = c.clock.After(max(c.cfg.Retry.Delay(l.fails, n), minRetry))
	if c.cfg.Retry.Exhausted(l.fails) {
		l.retryAfter = table.Never
	}
	l.wanted = !c.cfg.Lazy
	if c.cfg.Stale == Omit {
		c.omit(s, kind, ch)
	}
}

// omit removes all items of a server's list.
func (c *Catalog) omit(s *source, kind int, ch *Change) {
	before := s.lists[kind].list
	l := &s.lists[kind]
	l.list, l.expires, l.public = nil, 0, false
	c.set(*s)
	c.install(ch, before, nil)
}

// addChange adds a Change to u, unless it is zero.
func (c *Catalog) addChange(ch Change, s *source, kind int, u *Update) {
	ch.Kind, ch.Health = protocol.Lists()[kind], s.health(kind)
	hides := c.cfg.Naming.OnLoss == naming.Hide && (ch.Health == Unavailable) != (ch.Before == Unavailable)
	ch.Listed = ch.Listed || hides && len(s.lists[kind].list.all()) > 0
	if !ch.IsZero() {
		u.Changes = append(u.Changes, ch)
	}
}
