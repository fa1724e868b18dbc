package toolset

import (
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Handle takes in an Output of the Manager, and asks for the lists that are needed. Every Output
// of the Manager has to pass through it. It returns the Output without the ends of its own
// listings and the announcements of lists of tools, and what became of the tools.
func (t Toolset) Handle(m manager.Manager, now time.Time, out manager.Effects) (Toolset, manager.Manager, Update) {
	t.begin(now)
	var f Update
	f.Op = out.Op
	if !t.looked {
		t.looked = true
		for leaf := range t.entries.All() {
			t.observe(m, leaf.Key, &f)
		}
	}
	m = t.take(m, out, &f)
	m = t.pump(m, &f)
	return t, m, f
}

// Tick lets time pass: lists are read that wait for their time. The Manager has a Tick of its own.
// A call before NextDeadline does nothing; afterwards it is later than now, or there is none.
func (t Toolset) Tick(m manager.Manager, now time.Time) (Toolset, manager.Manager, Update) {
	t.begin(now)
	var f Update
	m = t.pump(m, &f)
	return t, m, f
}

// take sorts the events of an Output.
func (t *Toolset) take(m manager.Manager, out manager.Effects, f *Update) manager.Manager {
	if len(f.Actions) == 0 {
		f.Actions = out.Actions
	} else {
		f.Actions = append(f.Actions, out.Actions...)
	}
	for _, ev := range out.Events {
		switch ev.Kind {
		case manager.OpDone:
			if t.done(ev, f) {
				continue
			}
			t.registered(m, ev, f)
		case manager.ServerChanged, manager.PingsMissed:
			if s := t.names.get(byServer, ev.Link.Server); s != nil {
				t.observe(m, s.n, f)
			}
		case manager.SessionEvent:
			t.faulty(ev)
			if ev.Session.Kind == lifecycle.NotificationReceived && ev.Session.Method == protocol.ToolList.Changed && t.announced(ev.Link) {
				continue
			}
		}
		f.Events = append(f.Events, ev)
	}
	return m
}

// registered takes in that a server is there which is opened on demand: nothing else tells of it.
func (t *Toolset) registered(m manager.Manager, ev manager.Event, f *Update) {
	if s := t.names.get(byServer, ev.Link.Server); s != nil && ev.Link.IsZero() && ev.Err == nil {
		t.observe(m, s.n, f)
	}
}

// announced takes in that a server has other tools; it reports whether it is one of the Toolset.
func (t *Toolset) announced(link manager.Link) bool {
	e := t.named(link.Server)
	if e == nil {
		return false
	}
	if e.link != link {
		return true
	}
	next := *e
	next.old = true
	if e.gate == table.Never { // what it could not tell is another thing now
		next.fails, next.gate = 0, 0
	}
	next.announced = !e.op.IsZero()
	next.wanted = e.wanted || e.op.IsZero() && !t.cfg.Lazy
	if !next.announced {
		t.pace(&next)
	}
	t.set(next)
	return true
}

// observe takes in what the Manager says of a server.
func (t *Toolset) observe(m manager.Manager, rank uint64, f *Update) {
	e := *t.entry(rank)
	st, _ := m.Status(e.server.Name)
	anew := st.Link != e.link
	was, is := e.state == manager.Ready, st.Condition == manager.Ready
	c := Change{Server: e.server.Name, Before: e.health()}
	live := e.state.Live()
	opt, _ := m.Options(e.server.Name)
	e.demand = opt.OnDemand
	e.link, e.state, e.since, e.retryAt, e.misses = st.Link, st.Condition, st.Since, st.RetryAt, st.Misses
	if was && (!is || anew) {
		e.wanted = e.wanted || !e.op.IsZero()
		e.op = manager.Op{} // it ends by itself
		e.fails, e.gate = 0, 0
	}
	if is && (!was || anew) {
		e.trusted = opt.TrustAnnotations
		e.old, e.back, e.began, e.pace = true, e.list != nil, false, 0
		e.wanted = e.wanted || e.back || !t.cfg.Lazy
	}
	t.set(e)
	t.say(c, &e, f)
	if live && !e.state.Live() {
		f.Settled = append(f.Settled, e.server.Name)
	}
}

// faulty takes in that a page has definitions that are none. The session leaves them out of what it
// hands on, and reports the page as it came.
func (t *Toolset) faulty(ev manager.Event) {
	row := protocol.Revisions()[0].Row(protocol.ToolList.Method)
	e := t.named(ev.Link.Server)
	if ev.Session.Kind != lifecycle.Violation || ev.Session.Rule != row.ItemRule || e == nil || e.link != ev.Link || e.op.IsZero() {
		return
	}
	next := *e
	r := reader{t: t, server: e.server.Name, found: e.bad, more: e.more}
	r.faults(ev.Session.Body)
	next.bad, next.more = r.found, r.more
	t.set(next)
}
