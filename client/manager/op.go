package manager

import (
	"errors"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// op is an operation that has not ended.
type op struct {
	kind   opKind
	method string
	server string
	req    uint64 // the request of the session that is on its way, of Request, List and Ping
	sent   int64  // Ping: when
	uri    string // the resource that is read
	list   *listing

	slots    int // DisconnectAll, HealthCheck: how many servers it is about
	checkups table.Table[Checkup]
}

type opKind uint8

const (
	opRequest opKind = iota + 1
	opList
	opPing
	opConnect
	opDisconnect
	opDisconnectAll
	opHealth
	opKinds
)

// begin gives an operation a number.
func (m *Manager) begin(p op) Op {
	m.seq++
	m.ops = m.ops.Put(m.seq, table.Never, p)
	return Op{m.seq}
}

// finish ends an operation.
func (m *Manager) finish(seq uint64, ev Event, o *Effects) {
	var leaf *table.Leaf[op]
	if m.ops, leaf = m.ops.Delete(seq); leaf == nil {
		return
	}
	ev.Kind, ev.Op = OpDone, Op{seq}
	if ev.Method == "" {
		ev.Method = leaf.V.method
	}
	o.Events = append(o.Events, ev)
}

// deliver hands an operation what one server came to. Operations about one server end by it.
func (m *Manager) deliver(w waiter, r Checkup, o *Effects) {
	leaf := m.ops.Get(w.op)
	if leaf == nil {
		return // nobody waits, or not any more
	}
	p := leaf.V
	if p.kind == opConnect || p.kind == opDisconnect {
		m.finish(w.op, Event{Link: r.Link, RetryAt: r.RetryAt, Err: r.Err}, o)
		return
	}
	var e *Error
	if errors.As(r.Err, &e) {
		r.Err = detached(e) // it waits for the others
	}
	p.checkups = p.checkups.Put(w.slot, table.Never, r)
	m.ops = m.ops.Put(w.op, table.Never, p)
	if p.checkups.Len() < p.slots {
		return
	}
	var ev Event
	for leaf := range p.checkups.All() { // by slot, which is the order of connect
		if p.kind == opHealth {
			ev.Checkups = append(ev.Checkups, leaf.V)
			continue
		}
		ev.Errors = append(ev.Errors, leaf.V.Err)
		if ev.Err == nil {
			ev.Err = leaf.V.Err
		}
	}
	m.finish(w.op, ev, o)
}
