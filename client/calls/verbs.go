package calls

import (
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Report handles a report of the driver. It is total, as manager.Manager.Report.
func (c Caller) Report(now time.Time, r manager.Report) (Caller, Output) {
	next, s := c.step(now)
	s.managed(next.m.Report(s.now, r))
	after, out, _ := s.end()
	return after, out
}

// Tick lets time pass for all parts. A call before NextDeadline does nothing; afterwards it is later
// than now, or there is none.
func (c Caller) Tick(now time.Time) (Caller, Output) {
	next, s := c.step(now)
	s.managed(next.m.Tick(s.now))
	s.fold(next.t.Tick(next.m, s.now))
	x, xo := next.x.Tick(s.now)
	next.x, s.work = x, append(s.work, xo)
	after, out, _ := s.end()
	return after, out
}

// Manage does something to the Manager by one of its verbs, as to connect a server:
//
//	c, out, err = c.Manage(now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
//		return m.Connect(now, "files", opt)
//	})
//
// On an error of the verb nothing changes.
func (c Caller) Manage(now time.Time, verb func(manager.Manager) (manager.Manager, manager.Effects, error)) (Caller, Output, error) {
	next, s := c.step(now)
	m, out, err := verb(next.m)
	if err != nil {
		return c, Output{}, err
	}
	s.managed(m, out)
	return s.end()
}

// Catalog does something to the Catalog by one of its verbs, as to attach a server:
//
//	c, out, err = c.Catalog(now, func(c catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
//		return c.Attach(m, now, catalog.Source{Name: "files"})
//	})
//
// On an error of the verb nothing changes.
func (c Caller) Catalog(now time.Time, verb func(catalog.Catalog, manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error)) (Caller, Output, error) {
	next, s := c.step(now)
	t, m, f, err := verb(next.t.Catalog, next.m)
	if err != nil {
		return c, Output{}, err
	}
	s.fold(t, m, f)
	return s.end()
}

// SetLocal replaces the local tools. Calls of removed tools continue. Errors: those of
// catalog.Catalog.SetLocal.
func (c Caller) SetLocal(now time.Time, tools []protocol.Tool) (Caller, Output, error) {
	return c.Catalog(now, func(t catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
		t, change, err := t.SetLocal(tools)
		var f catalog.Update
		if !change.IsZero() {
			f.Changes = append(f.Changes, change)
		}
		return t, m, f, err
	})
}

// Close ends the Caller (A12). Calls of servers, and those held for one, end with toolerror.ConnectionLost;
// local and queued calls end as cancelled. All servers are disconnected in connection order (A11), and the
// catalog is closed. Reports of the transports are still due. The Op of the Output ends when all are closed.
func (c Caller) Close(now time.Time) (Caller, Output) {
	next, s := c.step(now)
	if c.t.Closed() {
		return c, Output{}
	}
	for leaf := range c.calls.All() {
		if leaf.V.waits != nil {
			err := &toolerror.Error{Kind: toolerror.ConnectionLost, Tool: leaf.V.name, Cause: lifecycle.ErrClosed}
			s.finish(leaf.V.attempt, attempt.Outcome{Err: err})
		}
	}
	s.fold(next.t.Close(next.m, s.now))
	s.managed(next.m.DisconnectAll(s.now))
	s.hold(s.work...)
	x, xo := next.x.CancelAll(s.now, "the caller is closed")
	next.x, s.work = x, append(s.work, xo)
	after, out, _ := s.end()
	return after, out
}
