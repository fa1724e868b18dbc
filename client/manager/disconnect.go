package manager

import (
	"time"
)

// Disconnect frees a name at once and closes its connection: its operations end in the order in
// which they began, and the transport has Timeouts.Close to close before it is killed. The Op ends
// after that, with a timeout if it was killed; the name can be connected again before. If no server
// has the name, the Op succeeds.
func (m Manager) Disconnect(now time.Time, name string) (Manager, Effects) {
	var o step
	m.take(now)
	o.Op = m.begin(op{kind: opDisconnect, method: "disconnect", server: name})
	if c := m.named(name); c != nil {
		m.disconnect(c, waiter{op: o.Op.seq}, &o)
		m.run(c, &o)
	} else {
		m.finish(o.Op.seq, &Event{}, &o)
	}
	return m, o.Effects
}

// DisconnectAll disconnects all servers, in connection order. The Op ends when all are closed:
// Errors has an entry for each server, and Err is the first that is not nil. Names are free at
// once, except those with Options.OnDemand, which become Idle: Open opens them again.
func (m Manager) DisconnectAll(now time.Time) (Manager, Effects) {
	var o step
	m.take(now)
	o.Op = m.begin(op{kind: opDisconnectAll, method: "disconnect", slots: m.conns.Len()})
	var slot uint64
	for leaf := range m.conns.All() { // iterates over the version at the start
		c := *leaf.V
		m.stop(&c, waiter{o.Op.seq, slot}, &o)
		slot++
	}
	if slot == 0 {
		m.finish(o.Op.seq, &Event{}, &o)
	}
	return m, o.Effects
}

// stop shuts down a connection as disconnect does, but a server with Options.OnDemand keeps its
// name and its place in the order.
func (m *Manager) stop(c *conn, w waiter, o *step) {
	if !c.set.opt.OnDemand {
		m.disconnect(c, w, o)
		m.run(c, o)
		return
	}
	if c.condition == Idle {
		m.deliver(w, Checkup{Link: c.link()}, o)
		return
	}
	m.shut(c, w, o)
	m.run(c, o)
	r := c.edit()
	r.failures, r.err = 0, nil
	m.becomeIdle(c)
}
