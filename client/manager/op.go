package manager

import (
	"errors"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// begin registers an operation under a new number.
func (m *Manager) begin(p op) Op {
	m.seq++
	m.ops = m.ops.Put(m.seq, table.Never, p)
	return Op{m.seq}
}

// finish ends an operation, and completes its event.
func (m *Manager) finish(seq uint64, ev *Event, o *step) {
	var leaf *table.Leaf[op]
	if m.ops, leaf = m.ops.Delete(seq); leaf == nil {
		return
	}
	ev.Kind, ev.Op = OpDone, Op{seq}
	if ev.Method == "" {
		ev.Method = leaf.V.method
	}
	o.Events = append(o.Events, *ev)
}

// deliver passes an operation the result for one server. Operations about one server end by it.
func (m *Manager) deliver(w waiter, r Checkup, o *step) {
	leaf := m.ops.Get(w.op)
	if leaf == nil {
		return // no operation waits, or it was cancelled
	}
	p := leaf.V
	if p.kind == opConnect || p.kind == opDisconnect {
		m.finish(w.op, &Event{Link: r.Link, RetryAt: r.RetryAt, Err: r.Err}, o)
		return
	}
	var e *Error
	if errors.As(r.Err, &e) {
		r.Err = detached(e) // it is stored until the others arrive
	}
	p.checkups = p.checkups.Put(w.slot, table.Never, r)
	m.ops = m.ops.Put(w.op, table.Never, p)
	if p.checkups.Len() < p.slots {
		return
	}
	var ev Event
	for leaf := range p.checkups.All() { // by slot, in connection order
		if p.kind == opHealth {
			ev.Checkups = append(ev.Checkups, leaf.V)
			continue
		}
		ev.Errors = append(ev.Errors, leaf.V.Err)
		if ev.Err == nil {
			ev.Err = leaf.V.Err
		}
	}
	m.finish(w.op, &ev, o)
}

// endWaiters ends the operations that wait for the dial of c, with its result.
func (m *Manager) endWaiters(c *conn, e *Error, o *step) {
	if len(c.waiters) == 0 {
		return
	}
	list := c.waiters
	c.edit().waiters = nil
	for _, w := range list {
		m.deliver(w, Checkup{Link: c.link(), Condition: c.condition, RetryAt: m.retryAt(c), Err: plain(e)}, o)
	}
}
