package manager

import (
	"fmt"
	"time"
)

// Tick expires deadlines: dials and requests time out, servers that wait are dialed again, silent links are
// pinged or lost, and transports that do not close are killed. Before NextDeadline it does nothing. After
// it the next deadline is later than now, or there is none.
func (m Manager) Tick(now time.Time) (Manager, Effects) {
	var o step
	m.take(now)
	for m.closing.Min() <= m.clock.Now() {
		rest, due := m.closing.Expire(m.clock.Now())
		m.closing = rest
		for _, leaf := range due {
			m.kill(leaf, &o)
		}
	}
	for m.conns.Min() <= m.clock.Now() {
		_, due := m.conns.Expire(m.clock.Now())
		for _, leaf := range due {
			c := *leaf.V
			m.tick(&c, &o)
			m.store(&c)
		}
	}
	return m, o.Effects
}

// tick handles the deadlines of one connection.
func (m *Manager) tick(c *conn, o *step) {
	if c.until <= m.clock.Now() {
		switch c.condition {
		case Connecting, Handshaking, Restoring:
			e := &Error{Class: ClassTimeout, Server: c.name, Method: "connect", Err: fmt.Errorf("timed out after %v while %v", c.set.Connect, c.condition)}
			m.linkLost(c, e, false, o)
		case Waiting:
			m.dial(c, false, o)
		case Ready:
			m.clearFailures(c)
		}
	}
	m.run(c, o)
	if !c.condition.Live() {
		return
	}
	if t, ok := c.client.NextDeadline(); ok && m.instant(t, true) <= m.clock.Now() {
		next, out := c.client.Tick(m.clock.Time())
		m.absorb(c, next, out, o)
		m.run(c, o)
	}
	if c.condition == Ready && c.again <= m.clock.Now() {
		m.listenDue(c, o)
		m.run(c, o)
	}
	if c.condition == Ready && c.ping <= m.clock.Now() {
		m.pingDue(c, o)
		m.run(c, o)
	}
}
