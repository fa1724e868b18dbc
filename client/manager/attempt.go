package manager

import (
	"errors"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Connect begins a connection under a name (rows B4, B7). The Op ends when the first attempt
// does: the server is ready, or Err says why not. A name is in use unless its server has
// Failed. Errors: ErrNameInUse, ErrConfig, lifecycle.ErrLimit (MaxServers).
func (m Manager) Connect(now time.Time, name string, opt Options) (Manager, Effects, error) {
	was := m
	var o Effects
	m.clock(now)
	if m.env == nil {
		return was, Effects{}, misplaced("connect")
	}
	if err := m.checkName(name); err != nil {
		return was, Effects{}, err
	}
	set, err := m.settings(opt)
	if err != nil {
		return was, Effects{}, err
	}
	old := m.named(name)
	switch {
	case old == nil && m.conns.Len() >= m.env.most:
		return was, Effects{}, &Error{Class: ClassConfig, Server: name, Method: "connect", Err: lifecycle.ErrLimit}
	case old != nil && old.condition != Failed && !opt.Replace:
		return was, Effects{}, &Error{Class: ClassConfig, Server: name, Method: "connect", Err: ErrNameInUse}
	case old != nil:
		m.disconnect(old, waiter{}, &o)
	}
	m.numbers++
	c := &conn{name: strings.Clone(name), number: m.numbers, set: set, until: never, ping: never, heard: never, breaker: m.env.breaker}
	m.names = m.names.with(m.env.key, c.name, c.number)
	o.Op = m.begin(op{kind: opConnect, method: "connect", server: c.name})
	if opt.OnDemand {
		m.becomeIdle(c)
		m.deliver(waiter{op: o.Op.seq}, Checkup{Link: c.link()}, &o)
		return m, o, nil
	}
	c.waiters = []waiter{{op: o.Op.seq}}
	m.dial(c, true, &o)
	m.store(c)
	return m, o, nil
}

// Reconnect closes what is open under a name, if anything, and opens it again at once with
// the same Options, whatever its back-off and breaker say. The Op ends as that of Connect.
// Errors: ErrUnknownServer.
func (m Manager) Reconnect(now time.Time, name string) (Manager, Effects, error) {
	was := m
	var o Effects
	m.clock(now)
	c := m.named(name)
	if c == nil {
		return was, Effects{}, unknown(name, "reconnect")
	}
	if c.condition.Live() {
		m.shut(c, waiter{}, &o)
		c.condition = Idle
	}
	c.failures = 0
	o.Op = m.begin(op{kind: opConnect, method: "reconnect", server: c.name})
	c.waiters = []waiter{{op: o.Op.seq}}
	m.dial(c, true, &o)
	m.store(c)
	return m, o, nil
}

// dial opens a connection, or waits for the breaker unless it is by force.
func (m *Manager) dial(c *conn, force bool, o *Effects) {
	breaker, ok := c.breaker.Allow(m.time())
	if !ok && !force {
		c.until = max(m.instant(c.breaker.Until()), m.now+1)
		m.move(c, Waiting, c.err, o)
		return
	}
	c.breaker, c.tried = breaker, 0
	c.until = m.after(c.set.Connect)
	m.open(c, o)
}

// open opens the next way of an attempt, within the time that the attempt has.
func (m *Manager) open(c *conn, o *Effects) {
	m.epochs++
	c.epoch, c.way = m.epochs, (c.lastGood+c.tried)%len(c.set.ways)
	way := c.set.ways[c.way]
	roots := c.client.Roots()
	c.client, _ = way.proto.NewSession(m.time()) // it was made by New, and the time is not zero
	if c.rooted {
		c.client, _, _ = c.client.SetRoots(m.time(), roots) // they were accepted before
	}
	c.seen = m.now
	c.purposes, c.pinging, c.heard, c.misses = table.Table[purpose]{}, false, never, 0
	m.move(c, Connecting, nil, o)
	o.Actions = append(o.Actions, Action{
		Kind: ActOpen, Link: c.link(), Endpoint: way.endpoint, Dial: c.failures + 1, By: m.at(c.until),
	})
}

// linkLost takes in that an incarnation is over: its requests end, and another way, another
// attempt or nothing follows. gone is true if its transport is gone as well.
func (m *Manager) linkLost(c *conn, e *Error, gone bool, o *Effects) {
	link, was := c.link(), c.condition
	if e.Class != ClassTimeout && was <= Handshaking && c.tried+1 < len(c.set.ways) && m.now < c.until {
		// Row A21: the handshake has no requests but its own.
		c.condition = Idle
		m.flush(c, e, o)
		if !gone {
			m.close(link, c.set, waiter{}, false, o)
		}
		c.condition = was
		c.tried++
		m.open(c, o)
		return
	}
	c.err = detached(e)
	c.failures++
	c.breaker = c.breaker.Failed(m.time())
	c.until, c.ping = table.Never, table.Never
	to := Failed
	switch policy := m.env.cfg.Backoff; {
	case c.set.opt.Supervise && !permanent(e) && !policy.Exhausted(c.failures):
		to = Waiting
		m.backOff(c)
	case c.set.opt.OnDemand && was == Ready && c.failures == 1:
		to = Idle // it worked until now: whoever wants it next need not wait
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

// backOff puts the next attempt off, by the policy and by the breaker.
func (m *Manager) backOff(c *conn) {
	var u uint64
	m.random, u = m.random.Next()
	c.until = m.after(m.env.cfg.Backoff.Delay(c.failures, u))
	if until, open := c.breaker.Until(); open {
		c.until = max(c.until, m.instant(until, true))
	}
}

// flush ends what is open of a session that is over.
func (m *Manager) flush(c *conn, e *Error, o *Effects) {
	var out client.Output
	c.client, out = c.client.Disconnected(m.time(), e.Err)
	m.absorb(c, out, o)
	c.purposes = table.Table[purpose]{}
}

// endWaiters tells those who wait for the attempt how it ended.
func (m *Manager) endWaiters(c *conn, e *Error, o *Effects) {
	list := c.waiters
	c.waiters = nil
	for _, w := range list {
		m.deliver(w, Checkup{Link: c.link(), Condition: c.condition, RetryAt: m.retryAt(c), Err: plain(e)}, o)
	}
}

// handshakeDone takes in that the handshake is done.
func (m *Manager) handshakeDone(c *conn, o *Effects) {
	if !c.set.opt.Resubscribe || c.want.order.Len() == 0 && c.level == "" {
		m.becomeReady(c, o)
		return
	}
	m.move(c, Restoring, nil, o)
	c.until = m.after(c.set.Connect)
	c.resume = resume{level: c.level != "", left: c.want.order}
	m.resumeNext(c, o)
}

// becomeReady takes in that requests can be made.
func (m *Manager) becomeReady(c *conn, o *Effects) {
	c.readyCount++
	c.lastGood, c.tried = c.way, 0
	c.resume = resume{}
	c.ping = m.after(c.set.Interval)
	c.until = table.Never
	m.move(c, Ready, nil, o)
	if m.env.stable < 0 {
		m.clearFailures(c)
	} else {
		c.until = m.after(m.env.stable)
	}
	m.endWaiters(c, nil, o)
}

// clearFailures takes in that a connection was ready for long enough.
func (m *Manager) clearFailures(c *conn) {
	c.until, c.failures, c.err = table.Never, 0, nil
	c.breaker = c.breaker.Succeeded(m.time())
}

// permanent reports whether the same attempt would fail again.
func permanent(e *Error) bool {
	var cause *lifecycle.Cause
	if !errors.As(e.Err, &cause) {
		return false
	}
	return cause.Kind == lifecycle.CauseUnsupportedRevision || cause.Kind == lifecycle.CauseMissingCapability
}
