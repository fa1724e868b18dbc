package manager

import (
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Connect begins a connection under a name. The Op ends when the first dial does: the server is
// ready, or Err says why not. A name is in use unless its server has Failed. Errors: ErrNameInUse,
// lifecycle.ErrConfig, lifecycle.ErrLimit (MaxServers).
func (m Manager) Connect(now time.Time, name string, opt Options) (Manager, Effects, error) {
	was := m
	var o step
	m.take(now)
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
		m.run(old, &o)
	}
	m.numbers++
	c := &conn{
		rare:  &rare{name: strings.Clone(name), number: m.numbers, set: set, breaker: m.env.breaker, handshake: opt.Handshake && set.ways[0].dual},
		until: table.Never, ping: table.Never, heard: table.Never, again: table.Never, own: true,
	}
	m.names = m.names.Put(m.hash(c.name), c.name, c.number)
	o.Op = m.begin(op{kind: opConnect, method: "connect", server: c.name})
	if opt.OnDemand {
		m.becomeIdle(c)
		m.deliver(waiter{op: o.Op.seq}, Checkup{Link: c.link()}, &o)
		return m, o.Effects, nil
	}
	c.edit().waiters = []waiter{{op: o.Op.seq}}
	m.dial(c, true, &o)
	m.store(c)
	return m, o.Effects, nil
}

// Reconnect closes the link of a name, if any, and opens it again at once with the same Options,
// ignoring back-off and breaker. The Op ends as for Connect. Errors: ErrUnknownServer.
func (m Manager) Reconnect(now time.Time, name string) (Manager, Effects, error) {
	var o step
	c := m.named(name)
	if c == nil {
		return m, Effects{}, unknown(name, "reconnect")
	}
	m.take(now)
	if c.condition.Live() {
		m.shut(c, waiter{}, &o)
		m.run(c, &o)
		c.condition = Idle
	}
	o.Op = m.begin(op{kind: opConnect, method: "reconnect", server: c.name})
	r := c.edit()
	r.failures, r.waiters = 0, []waiter{{op: o.Op.seq}}
	m.dial(c, true, &o)
	m.store(c)
	return m, o.Effects, nil
}

// Open opens a server on demand: one of Options.OnDemand that is Idle, or Failed with RetryAt in
// the past. The Op ends when the server is ready, or Err says why it is not. If the server is being
// opened, the Op waits for that; if it is Ready, the Op ends at once, so a caller can Open a server
// before each use. Errors: ErrUnknownServer; ErrUnavailable if the server must not be opened now,
// with RetryAt if it may be later.
func (m Manager) Open(now time.Time, name string) (Manager, Effects, error) {
	const method = "open"
	was := m
	var o step
	m.take(now)
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
		return m, o.Effects, nil
	}
	c.edit().waiters = append(slices.Clip(c.waiters), w)
	if !c.condition.Live() {
		m.dial(c, true, &o)
	}
	m.store(c)
	return m, o.Effects, nil
}

// closedToDemand returns why a server that is not live is not to be opened on demand now; nil if
// it may be.
func (m *Manager) closedToDemand(c *conn, method string) *Error {
	e := m.unavailable(c, method)
	if until, ok := c.retry(); !c.set.opt.OnDemand || c.condition == Waiting || ok && m.clock.Now() < until {
		return e
	}
	if _, ok := c.breaker.Allow(m.clock.Time()); !ok {
		until, _ := c.breaker.Until()
		e.RetryAt = until
		return e
	}
	return nil
}
