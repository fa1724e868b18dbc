package manager

import (
	"errors"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// dial opens a connection, or waits for the breaker unless force is set.
func (m *Manager) dial(c *conn, force bool, o *step) {
	breaker, ok := c.breaker.Allow(m.clock.Time())
	if !ok && !force {
		c.until = max(m.instant(c.breaker.Until()), m.clock.Now()+1)
		m.move(c, Waiting, c.err, o)
		return
	}
	r := c.edit()
	r.breaker, r.tried = breaker, 0
	c.until = m.clock.After(c.set.Connect)
	m.open(c, o)
}

// open opens the next way of a dial, within the time of the dial.
func (m *Manager) open(c *conn, o *step) {
	m.epochs++
	r, was := c.edit(), c.way
	c.epoch, r.way = m.epochs, (c.lastGood+c.tried)%len(c.set.ways)
	r.handshake = c.handshake && c.way == was
	way := c.set.ways[c.way]
	roots := c.client.Roots()
	c.client, _ = way.proto.NewSession(m.clock.Time()) // cannot fail: New made it, and the time is not zero
	if c.rooted {
		c.client, _, _ = c.client.SetRoots(m.clock.Time(), roots) // they were accepted before
	}
	c.seen = m.clock.Now()
	c.purposes, c.pinging, c.heard, r.misses, r.lists = table.Table[purpose]{}, false, table.Never, 0, false
	r.listens, r.acked, r.told, r.stale, r.deaf, c.again = 0, 0, 0, false, false, table.Never
	m.move(c, Connecting, nil, o)
	o.Actions = append(o.Actions, Action{
		Kind: ActOpen, Link: c.link(), Endpoint: way.endpoint, Dial: c.failures + 1, By: m.clock.At(c.until),
	})
}

// linkLost ends a link: its requests end, and another way, another dial or nothing follows. gone reports that
// its transport has ended too.
func (m *Manager) linkLost(c *conn, e *Error, gone bool, o *step) {
	link, was := c.link(), c.condition
	if gone && was == Handshaking && c.set.ways[c.way].dual && c.probing() && m.clock.Now() < c.until { // some servers end after a probe (ERA-018)
		m.flush(c, e, o)
		c.edit().handshake = true
		m.open(c, o)
		return
	}
	remembered := c.handshake && was == Handshaking
	r := c.edit()
	r.handshake = c.handshake && !remembered // the server may have changed
	if e.Class != ClassTimeout && was <= Handshaking && c.tried+1 < len(c.set.ways) && m.clock.Now() < c.until {
		// Row A21: during the handshake there are no other requests.
		m.flush(c, e, o)
		if !gone {
			m.close(link, c.set, waiter{}, false, o)
		}
		c.edit().tried++
		m.open(c, o)
		return
	}
	r.err = detached(e)
	r.failures++
	r.breaker = c.breaker.Failed(m.clock.Time())
	c.until, c.ping = table.Never, table.Never
	to := Failed
	switch policy := m.env.cfg.Backoff; {
	case c.set.opt.Supervise && (remembered || !permanent(e)) && !policy.Exhausted(c.failures):
		to = Waiting
		m.backOff(c)
	case c.set.opt.OnDemand && was == Ready && c.failures == 1:
		to = Idle // it worked until now, so the next use need not wait
	case c.set.opt.OnDemand:
		m.backOff(c)
	}
	m.move(c, to, e, o)
	m.flush(c, e, o)
	if !gone {
		m.close(link, c.set, waiter{}, false, o)
	}
	m.endWaiters(c, e, o)
}

// probing reports whether a probe was sent and has not been answered.
func (c *conn) probing() (is bool) {
	for r := range c.client.Outbound() { // at most one
		is = !protocol.Opens(r.Method)
	}
	return is
}

// backOff sets the time of the next dial by the policy and the breaker.
func (m *Manager) backOff(c *conn) {
	var u uint64
	m.random, u = m.random.Next()
	c.until = m.clock.After(m.env.cfg.Backoff.Delay(c.failures, u))
	if until, open := c.breaker.Until(); open {
		c.until = max(c.until, m.instant(until, true))
	}
}

// becomeReady moves c to Ready, arms the first ping and ends the Connect operations.
func (m *Manager) becomeReady(c *conn, o *step) {
	r := c.edit()
	r.readyCount++
	r.lastGood, r.tried, r.handshake = c.way, 0, c.set.ways[c.way].dual && !c.stateless()
	c.ping = m.clock.After(c.set.Interval)
	c.until = table.Never
	m.move(c, Ready, nil, o)
	if m.env.stable < 0 {
		m.clearFailures(c)
	} else {
		c.until = m.clock.After(m.env.stable)
	}
	if c.stateless() {
		m.listen(c, o)
	}
	m.endWaiters(c, nil, o)
}

// clearFailures clears the failures of a server that was ready for StableFor.
func (m *Manager) clearFailures(c *conn) {
	r := c.edit()
	c.until, r.failures, r.err = table.Never, 0, nil
	r.breaker = c.breaker.Succeeded(m.clock.Time())
}

// permanent reports whether the same dial would fail again.
func permanent(e *Error) bool {
	var cause *lifecycle.Cause
	if !errors.As(e.Err, &cause) {
		return false
	}
	return cause.Kind == lifecycle.CauseUnsupportedRevision || cause.Kind == lifecycle.CauseMissingCapability
}
