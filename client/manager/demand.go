package manager

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// Open opens a server on demand: one of Options.OnDemand that is Idle, or Failed once its RetryAt
// has come. The Op ends as that of Connect: when the server is ready, or Err says why it is not.
// One that is being opened already is waited for, and one that is Ready ends the Op at once, so
// a caller may Open a server before each use (rows A1, A8, A11, A13). Errors: ErrUnknownServer;
// ErrUnavailable if the server is not to be opened now, with RetryAt if it may be later.
func (m Manager) Open(now time.Time, name string) (Manager, Effects, error) {
	const method = "open"
	was := m
	var o Effects
	m.clock(now)
	c := m.named(name)
	switch {
	case c == nil:
		return was, Effects{}, unknown(name, method)
	case !c.condition.Live():
		if e := m.closedToDemand(c, method); e != nil {
			return was, Effects{}, e
		}
	}
	o.Op = m.begin(op{kind: opConnect, method: method, server: c.name})
	w := waiter{op: o.Op.seq}
	if c.condition == Ready {
		m.deliver(w, Checkup{Link: c.link(), Condition: Ready}, &o)
		return m, o, nil
	}
	c.waiters = append(slices.Clip(c.waiters), w)
	if !c.condition.Live() {
		m.dial(c, true, &o)
	}
	m.store(c)
	return m, o, nil
}

// closedToDemand returns why a server that is not live is not to be opened on demand now; nil if
// it may be.
func (m *Manager) closedToDemand(c *conn, method string) *Error {
	e := m.unavailable(c, method)
	if until, ok := c.retry(); !c.set.opt.OnDemand || c.condition == Waiting || ok && m.now < until {
		return e
	}
	if _, ok := c.breaker.Allow(m.time()); !ok {
		until, _ := c.breaker.Until()
		e.RetryAt = until
		return e
	}
	return nil
}

// retry returns the instant before which a server that is not live is not opened again: by itself
// if it is Waiting, on demand if it has Failed. false if there is none.
func (c *conn) retry() (int64, bool) {
	return c.until, (c.condition == Waiting || c.condition == Failed) && c.until != table.Never
}

// retryAt returns retry as a time, zero for none.
func (m *Manager) retryAt(c *conn) time.Time {
	if until, ok := c.retry(); ok {
		return m.at(until)
	}
	return time.Time{}
}

// becomeIdle registers a server of Options.OnDemand that is not open: it is Idle until somebody wants
// it.
func (m *Manager) becomeIdle(c *conn) {
	c.condition, c.since, c.until = Idle, m.now, table.Never
	if c.epoch == 0 { // it was never open: a session to look at, and to set roots of
		c.client, _ = c.set.ways[0].proto.NewSession(m.time())
		c.seen = m.now
	}
	m.store(c)
}
