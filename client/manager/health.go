package manager

import (
	"time"
)

// Ping measures how long a server takes to answer: the OpDone has Latency. Every
// answer that is an object will do; another one, or an error, is an Err. Errors: as Request.
func (m Manager) Ping(now time.Time, name string) (Manager, Effects, error) {
	was := m
	var o step
	m.take(now)
	c, err := m.usable(name, ping)
	if err != nil {
		return was, Effects{}, err
	}
	req, err := m.sendPing(c, &o)
	if err != nil {
		return was, Effects{}, m.verbError(c, ping, err)
	}
	o.Op = m.begin(op{kind: opPing, method: ping, server: c.name, req: req.Seq(), sent: m.clock.Now()})
	m.put(c, req, purpose{kind: forOp, op: o.Op.seq})
	m.run(c, &o)
	m.store(c)
	return m, o.Effects, nil
}

// HealthCheck looks whether each server works, with a real ping. One that is ready
// is pinged; one that is being opened is waited for; one that waits or has failed is opened at
// once, unless its breaker forbids. The OpDone has Reports, in the order of connect.
func (m Manager) HealthCheck(now time.Time) (Manager, Effects) {
	var o step
	m.take(now)
	o.Op = m.begin(op{kind: opHealth, method: "health", slots: m.conns.Len()})
	w := waiter{op: o.Op.seq}
	for leaf := range m.conns.All() { // a version of its own
		c := *leaf.V
		m.check(&c, w, &o)
		m.run(&c, &o)
		m.store(&c)
		w.slot++
	}
	if w.slot == 0 {
		m.finish(o.Op.seq, Event{}, &o)
	}
	return m, o.Effects
}

// check begins the check of one server.
func (m *Manager) check(c *conn, w waiter, o *step) {
	if c.condition == Ready {
		req, err := m.sendPing(c, o)
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
	c.waiters = append(c.waiters[:len(c.waiters):len(c.waiters)], w)
}
