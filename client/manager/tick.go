package manager

import (
	"errors"
	"time"
)

// Tick lets time pass: patience with what is being opened ends, what waits is opened again,
// silent connections are pinged or given up, requests time out, what does not close is
// killed. A call before NextDeadline does nothing; afterwards the next deadline is later than
// now, or there is none.
func (m Manager) Tick(now time.Time) (Manager, Effects) {
	var o Effects
	m.clock(now)
	for m.closing.Min() <= m.now {
		rest, due := m.closing.Expire(m.now)
		m.closing = rest
		for _, leaf := range due {
			m.kill(leaf, &o)
		}
	}
	for m.conns.Min() <= m.now {
		_, due := m.conns.Expire(m.now)
		for _, leaf := range due {
			c := *leaf.V
			m.tick(&c, &o)
			m.store(&c)
		}
	}
	return m, o
}

// tick does what is due of one connection.
func (m *Manager) tick(c *conn, o *Effects) {
	if c.until <= m.now {
		switch c.condition {
		case Connecting, Handshaking, Restoring:
			e := &Error{Class: ClassTimeout, Server: c.name, Method: "connect", Err: timeoutError(c.condition)}
			m.linkLost(c, e, false, o)
		case Waiting:
			m.dial(c, false, o)
		case Ready:
			m.clearFailures(c)
		}
	}
	if !c.condition.Live() {
		return
	}
	if t, ok := c.client.NextDeadline(); ok && m.instant(t, true) <= m.now {
		next, out := c.client.Tick(m.time())
		c.client = next
		m.absorb(c, out, o)
	}
	if c.condition == Ready && c.ping <= m.now {
		m.pingDue(c, o)
	}
}

// timeoutError says what has taken too long.
func timeoutError(s Condition) error {
	return errors.New("still " + s.String() + " when the time was up")
}
