package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// never is the instant of what is not due.
const never = table.Never

// ping is what pings are called in errors and ends of operations.
const ping = "ping"

// Ping measures how long a server takes to answer (row B15): the OpDone has Latency. Every
// answer that is an object will do; another one, or an error, is an Err. Errors: as Request.
func (m Manager) Ping(now time.Time, name string) (Manager, Effects, error) {
	was := m
	var o Effects
	m.clock(now)
	c, err := m.usable(name, ping)
	if err != nil {
		return was, Effects{}, err
	}
	req, err := m.sendPing(c, &o)
	if err != nil {
		return was, Effects{}, m.verbError(c, ping, err)
	}
	o.Op = m.begin(op{kind: opPing, method: ping, server: c.name, req: req.Seq(), sent: m.now})
	m.put(c, req, purpose{kind: forOp, op: o.Op.seq})
	m.store(c)
	return m, o, nil
}

// sendPing sends a ping within its own time.
func (m *Manager) sendPing(c *conn, o *Effects) (client.Req, error) {
	next, out, err := c.client.Request(m.time(), protocol.PingParams{}, client.RequestOptions{Timeout: c.set.Ping})
	if err != nil {
		return client.Req{}, err
	}
	c.client = next
	m.absorb(c, out, o)
	return out.Req, nil
}

// heardFrom takes in a sign of life.
func (m *Manager) heardFrom(c *conn, o *Effects) {
	if c.condition != Ready {
		return
	}
	if c.misses > 0 {
		c.misses = 0
		o.Events = append(o.Events, Event{Kind: PingsMissed, Link: c.link()})
	}
	if c.pinging {
		c.heard = m.now
	}
}

// quiet returns how long a connection may be silent before it is pinged: shorter while a request
// waits for its answer, as somebody waits for the server then. Negative means that it never is.
func (c *conn) quiet() time.Duration {
	if c.purposes.Len() > 0 && c.set.Interval > c.set.Ping {
		return c.set.Ping
	}
	return c.set.Interval
}

// pingDue sends the ping of a connection that was silent for so long.
func (m *Manager) pingDue(c *conn, o *Effects) {
	c.ping = m.after(c.quiet())
	req, err := m.sendPing(c, o)
	if err != nil {
		return // the table is full: the answer to any of what is in it shows life as well
	}
	m.put(c, req, purpose{kind: forPing, sent: m.now})
	c.ping, c.pinging, c.heard = never, true, never
}

// pingEnded takes in the end of a ping of the Manager's own. The silence counts from what was heard
// last; where nothing was, the next ping is due at once.
func (m *Manager) pingEnded(c *conn, j purpose, ev client.Event, o *Effects) {
	c.pinging = false
	if c.condition != Ready {
		return
	}
	if ev.Kind == lifecycle.ResponseReceived && ev.Err == nil {
		c.latency = time.Duration(m.now - j.sent)
	}
	if c.heard == never {
		c.misses++
		o.Events = append(o.Events, Event{Kind: PingsMissed, Link: c.link(), Misses: c.misses})
		c.ping = m.now
		return
	}
	c.ping = never
	if c.set.Interval > 0 {
		c.ping = max(m.now, addTo(c.heard, c.quiet()))
	}
}

// addTo returns the instant d after t.
func addTo(t int64, d time.Duration) int64 {
	if t > 0 && int64(d) >= never-t {
		return never
	}
	return t + int64(d)
}

// silent reports whether a connection has missed too many pings.
func (c *conn) silent() bool { return c.condition == Ready && c.misses >= c.set.Misses }

var errSilent = &client.Cause{Kind: lifecycle.CausePeerSilent, Err: ErrSilent}

// HealthCheck looks whether each server works, with a real ping (row A13). One that is ready
// is pinged; one that is being opened is waited for; one that waits or has failed is opened at
// once, unless its breaker forbids. The OpDone has Reports, in the order of connect.
func (m Manager) HealthCheck(now time.Time) (Manager, Effects) {
	var o Effects
	m.clock(now)
	o.Op = m.begin(op{kind: opHealth, method: "health", slots: m.conns.Len()})
	w := waiter{op: o.Op.seq}
	for leaf := range m.conns.All() { // a version of its own
		c := *leaf.V
		m.check(&c, w, &o)
		m.store(&c)
		w.slot++
	}
	if w.slot == 0 {
		m.finish(o.Op.seq, Event{}, &o)
	}
	return m, o
}

// check begins the check of one server.
func (m *Manager) check(c *conn, w waiter, o *Effects) {
	if c.condition == Ready {
		req, err := m.sendPing(c, o)
		if err != nil {
			m.deliver(w, Checkup{Link: c.link(), Condition: c.condition, Err: m.verbError(c, ping, err)}, o)
			return
		}
		m.put(c, req, purpose{kind: forCheckup, op: w.op, slot: w.slot, sent: m.now})
		return
	}
	if !c.condition.Live() {
		if _, ok := c.breaker.Allow(m.time()); !ok {
			e := m.unavailable(c, ping)
			m.deliver(w, Checkup{Link: c.link(), Condition: c.condition, RetryAt: e.RetryAt, Err: e}, o)
			return
		}
		m.dial(c, false, o)
	}
	c.waiters = append(c.waiters[:len(c.waiters):len(c.waiters)], w)
}

// checkupEnded takes in the end of the ping of a health check.
func (m *Manager) checkupEnded(c *conn, j purpose, ev client.Event, o *Effects) {
	e := requestError(c.name, &op{method: ping}, ev)
	r := Checkup{Link: c.link(), Condition: c.condition, Err: plain(e)}
	if e == nil {
		c.latency = time.Duration(m.now - j.sent)
		r.Latency = c.latency
	}
	m.deliver(waiter{j.op, j.slot}, r, o)
}
