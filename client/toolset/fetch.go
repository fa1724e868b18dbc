package toolset

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// minRetry is the least time between a failure and the next attempt, whatever the policy says.
const minRetry = time.Millisecond

// pump begins the listings that are due, each with one request for a server (A10).
func (t *Toolset) pump(m manager.Manager, f *Update) manager.Manager {
	for t.entries.Min() <= t.clock.Now() {
		_, due := t.entries.Expire(t.clock.Now())
		for _, leaf := range due {
			// What the one before brought may have changed it.
			if e := t.entry(leaf.Key); e != nil && t.due(e) <= t.clock.Now() {
				m = t.readList(m, *e, f)
			}
		}
	}
	return m
}

// readList asks for the list of a server.
func (t *Toolset) readList(m manager.Manager, e entry, f *Update) manager.Manager {
	l := &t.cfg.Limits
	budget := manager.Budget{Pages: l.Pages, Items: 2 * l.Tools, Bytes: 2 * l.Bytes, Total: t.cfg.Total}
	next, out, err := m.List(t.clock.Time(), e.server.Name, protocol.ToolList.Method, budget)
	e.wanted, e.asked, e.began, e.announced, e.pace = false, t.clock.Now(), true, false, 0
	e.bad, e.more = nil, 0
	if err != nil {
		t.set(e)
		t.ended(e.rank, nil, err, f)
		return m
	}
	e.op = out.Op
	t.ops = t.ops.Put(out.Op.Seq(), table.Never, e.rank)
	t.set(e)
	return t.take(next, out, f)
}

// done takes the end of an operation in; it reports whether it was one of the Toolset.
func (t *Toolset) done(ev manager.Event, f *Update) bool {
	var leaf *table.Leaf[uint64]
	if t.ops, leaf = t.ops.Delete(ev.Op.Seq()); leaf == nil {
		return false
	}
	e := t.entry(leaf.V)
	if e == nil || e.op != ev.Op { // nobody waits for it any more
		return true
	}
	next := *e
	next.op = manager.Op{}
	t.set(next)
	var items []protocol.Raw
	if ev.Err == nil {
		items = ev.Items
	}
	t.ended(e.rank, items, ev.Err, f)
	return true
}

// ended takes in what a listing came to.
func (t *Toolset) ended(rank uint64, items []protocol.Raw, err error, f *Update) {
	e := *t.entry(rank)
	c := Change{Server: e.server.Name, Before: e.health()}
	if err == nil || errors.Is(err, lifecycle.ErrCapability) || errors.Is(err, lifecycle.ErrRevision) {
		r := reader{t: t, rank: rank, server: e.server.Name, old: e.list, found: e.bad, more: e.more}
		r.read(items) // a server that does not do tools has none
		c.Rejected, c.More = r.found, r.more
		before := e.list
		e.list, e.stamp, e.old, e.back = &r.list, e.asked, e.announced, false
		e.fails, e.gate = 0, 0
		t.set(e)
		t.install(&c, before, e.list)
		if e.old {
			e.wanted = e.wanted || !t.cfg.Lazy
			t.pace(&e)
		}
	} else {
		t.failed(&e, err, &c)
	}
	e.bad, e.more = nil, 0
	t.set(e)
	t.say(c, &e, f)
	f.Settled = append(f.Settled, e.server.Name)
}

// failed takes in that a list could not be read. What was read last stays, stale (A8, F6).
func (t *Toolset) failed(e *entry, err error, c *Change) {
	c.Err = err
	e.old, e.back = true, false
	e.fails++
	var u uint64
	t.random, u = t.random.Next()
	e.gate = t.clock.After(max(t.cfg.Retry.Delay(e.fails, u), minRetry))
	if t.cfg.Retry.Exhausted(e.fails) {
		e.gate = table.Never
	}
	e.wanted = !t.cfg.Lazy
	if t.cfg.OnRefreshError == Omit {
		t.omit(e, c)
	}
}

// omit takes all tools of a server out.
func (t *Toolset) omit(e *entry, c *Change) {
	before := e.list
	e.list = nil
	t.set(*e)
	t.install(c, before, nil)
}

// say hands a Change on, if there is something in it.
func (t *Toolset) say(c Change, e *entry, f *Update) {
	c.Health = e.health()
	hides := t.cfg.Naming.OnLoss == naming.Hide && (c.Health == Unavailable) != (c.Before == Unavailable)
	c.Listed = c.Listed || hides && len(e.list.all()) > 0
	if !c.IsZero() {
		f.Changes = append(f.Changes, c)
	}
}
