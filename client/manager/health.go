package manager

import (
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// HealthCheck checks each server with a ping. It pings a server that is ready, waits for one that
// is being opened, and opens one that waits or has failed at once, unless its breaker forbids it.
// The OpDone has Checkups, in connection order.
func (m Manager) HealthCheck(now time.Time) (Manager, Effects) {
	var o step
	m.take(now)
	o.Op = m.begin(op{kind: opHealth, method: "health", slots: m.conns.Len()})
	w := waiter{op: o.Op.seq}
	for leaf := range m.conns.All() { // iterates over the version at the start
		c := *leaf.V
		m.check(&c, w, &o)
		m.run(&c, &o)
		m.store(&c)
		w.slot++
	}
	if w.slot == 0 {
		m.finish(o.Op.seq, &Event{}, &o)
	}
	return m, o.Effects
}

// check begins the check of one server.
func (m *Manager) check(c *conn, w waiter, o *step) {
	if c.condition == Ready && c.stateless() { // there is no ping
		m.deliver(w, Checkup{Link: c.link(), Condition: c.condition}, o)
		return
	}
	if c.condition == Ready {
		req, err := m.sendPing(c, protocol.PingParams{}, o)
		if err != nil {
			m.deliver(w, Checkup{Link: c.link(), Condition: c.condition, Err: m.verbError(c, ping, err)}, o)
			return
		}
		m.put(c, req, purpose{kind: forCheckup, op: w.op, slot: w.slot, sent: m.clock.Now()})
		return
	}
	if !c.condition.Live() {
		if _, ok := c.breaker.Allow(m.clock.Time()); !ok {
			e := m.unavailable(c, ping)
			m.deliver(w, Checkup{Link: c.link(), Condition: c.condition, RetryAt: e.RetryAt, Err: e}, o)
			return
		}
		m.dial(c, false, o)
	}
	c.edit().waiters = append(c.waiters[:len(c.waiters):len(c.waiters)], w)
}
