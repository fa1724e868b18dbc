package manager

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

func (c *conn) link() Link { return Link{c.name, c.epoch} }

// opens reports whether the session exists and is not ready yet.
func (c *conn) opens() bool { return c.condition == Handshaking || c.condition == Restoring }

// call returns the session's handle for a call of its Link. It uses the numbers, so that it finds a
// call from before a Restore.
func (c *conn) call(call Call) client.Call {
	if call.isZero() {
		return client.Call{}
	}
	return c.client.Call(call.Call.Seq(), call.Call.Key())
}

// named returns a copy of the connection with a name; nil if none.
func (m *Manager) named(name string) *conn {
	if m.env == nil {
		return nil
	}
	n := m.names.Get(m.hash(name), name)
	if n == nil {
		return nil
	}
	c := *m.conns.Get(*n).V
	return &c
}

// linked returns a copy of the connection whose live link is link; nil if none.
func (m *Manager) linked(link Link) *conn {
	c := m.named(link.Server)
	if c == nil || c.epoch != link.Epoch || !c.condition.Live() {
		return nil
	}
	return c
}

// store replaces a connection by its changed copy.
func (m *Manager) store(c *conn) {
	c.own, c.woke = false, false
	m.conns = m.conns.Put(c.number, m.nextDeadline(c), c)
}

// edit returns the rare of c for changes, as its own copy.
func (c *conn) edit() *rare {
	if !c.own {
		next := *c.rare
		c.rare, c.own = &next, true
	}
	return c.rare
}

// nextDeadline returns the next deadline of a connection.
func (m *Manager) nextDeadline(c *conn) int64 {
	due := c.until
	if c.condition == Failed { // it waits for Open, not for a time
		due = table.Never
	}
	if c.condition == Ready {
		due = min(due, c.ping, c.again)
	}
	if c.condition.Live() {
		due = min(due, m.instant(c.client.NextDeadline()))
	}
	return due
}

// move changes the condition and reports it.
func (m *Manager) move(c *conn, to Condition, e *Error, o *step) {
	from, r := c.condition, c.edit()
	c.condition, r.since = to, m.clock.Now()
	r.resume = resume{} // clear an earlier restoration
	ev := Event{Kind: ServerChanged, Link: c.link(), From: from, To: to, Err: plain(e)}
	ev.RetryAt = m.retryAt(c)
	o.Events = append(o.Events, ev)
}

// absorb applies a step of the session of c, and queues its events for run.
func (m *Manager) absorb(c *conn, next client.State, out client.Output, o *step) {
	c.client, c.seen = next, m.clock.Now()
	for i := range out.Send {
		o.Actions = append(o.Actions, Action{Kind: ActSend, Link: c.link(), Out: out.Send[i], Revision: c.client.Revision()})
	}
	if len(out.Events) > 0 || out.Close != nil {
		o.push(pending{link: c.link(), events: out.Events, cause: out.Close})
	}
}

// retryAt returns retry as a time; zero for none.
func (m *Manager) retryAt(c *conn) time.Time {
	if until, ok := c.retry(); ok {
		return m.clock.At(until)
	}
	return time.Time{}
}

// retry returns the instant before which a server that is not live is not opened again:
// automatically if it is Waiting, on demand if it has Failed; false if there is none.
func (c *conn) retry() (int64, bool) {
	return c.until, (c.condition == Waiting || c.condition == Failed) && c.until != table.Never
}

// flush ends the open requests and calls of a session that has ended.
func (m *Manager) flush(c *conn, e *Error, o *step) {
	next, out := c.client.Disconnected(m.clock.Time(), e.Err)
	m.absorb(c, next, out, o)
}

// becomeIdle registers a server with Options.OnDemand that is not open: it is Idle until Open.
func (m *Manager) becomeIdle(c *conn) {
	c.condition, c.edit().since, c.until = Idle, m.clock.Now(), table.Never
	if c.epoch == 0 { // never open: make a session to look at, and to set its roots
		c.client, _ = c.set.ways[0].proto.NewSession(m.clock.Time())
		c.seen = m.clock.Now()
	}
	m.store(c)
}

// usable returns a copy of the named connection, if it is ready for requests.
func (m *Manager) usable(name, method string) (*conn, error) {
	c := m.named(name)
	if c == nil {
		return nil, unknown(name, method)
	}
	if c.condition != Ready {
		return nil, m.unavailable(c, method)
	}
	return c, nil
}

func (m *Manager) unavailable(c *conn, method string) *Error {
	e := &Error{Class: ClassUnavailable, Server: c.name, Method: method, Condition: c.condition, RetryAt: m.retryAt(c), Err: ErrUnavailable}
	if c.err != nil {
		e.Err = fmt.Errorf("%w: %w", ErrUnavailable, c.err)
	}
	return e
}

// verbError returns an error of a verb of the session with its class.
func (m *Manager) verbError(c *conn, method string, err error) *Error {
	e := &Error{Class: ClassConfig, Server: c.name, Method: method, Err: err}
	switch {
	case errors.Is(err, lifecycle.ErrCapability), errors.Is(err, lifecycle.ErrRevision):
		e.Class = ClassUnsupported
	case errors.Is(err, lifecycle.ErrPhase) && c.condition != Ready:
		return m.unavailable(c, method)
	}
	return e
}

// put records the purpose of a request of the session.
func (m *Manager) put(c *conn, req client.Req, j purpose) {
	c.purposes = c.purposes.Put(req.Seq(), table.Never, j)
	if c.condition == Ready && !c.pinging && c.set.Interval > 0 {
		c.ping = min(c.ping, m.clock.After(c.quiet()))
	}
}

// quiet returns how long a connection may be silent before it is pinged: shorter while a request
// waits for its answer, because a caller is waiting too. Negative means that no ping is sent.
func (c *conn) quiet() time.Duration {
	open := c.purposes.Len()
	if c.listens != 0 {
		open--
	}
	if c.acked != 0 && c.acked != c.listens {
		open--
	}
	if open > 0 && c.set.Interval > c.set.Ping {
		return c.set.Ping
	}
	return c.set.Interval
}

// silent reports whether a connection has missed too many pings.
func (m *Manager) silent(c *conn) bool {
	return c.condition == Ready && c.misses >= c.set.Misses && !m.works(c)
}

// works reports whether a server may be busy with a request that it got before it fell silent. Many servers
// handle one request after another and answer no ping meanwhile; the timeout of the request limits that.
func (m *Manager) works(c *conn) bool {
	since := m.clock.Now() - int64(c.misses)*int64(c.set.Ping)
	for leaf := range c.purposes.All() {
		if x := m.ops.Get(leaf.V.op); leaf.V.kind == forOp && x.V.kind == opRequest {
			return x.V.sent <= since // it is the oldest
		}
	}
	return false
}

var errSilent = &client.Cause{Kind: lifecycle.CausePeerSilent, Err: ErrSilent}

// bounded returns a copy of a text; "" if it is too long to be stored.
func (c *conn) bounded(text string) string {
	if len(text) > c.set.text {
		return ""
	}
	return strings.Clone(text)
}
