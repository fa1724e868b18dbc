package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// ping names pings in errors and ends of operations.
const ping = "ping"

// sendPing sends a ping, or a replacement, with the timeout of pings.
func (m *Manager) sendPing(c *conn, p protocol.Params, o *step) (client.Req, error) {
	next, out, err := c.client.Request(m.clock.Time(), p, client.RequestOptions{Timeout: c.set.Ping})
	if err != nil {
		return client.Req{}, err
	}
	m.absorb(c, next, out, o)
	return out.Req, nil
}

// heardFrom records that a message has arrived.
func (m *Manager) heardFrom(c *conn, o *step) {
	if c.condition != Ready {
		return
	}
	if c.misses > 0 {
		c.edit().misses = 0
		o.Events = append(o.Events, Event{Kind: PingsMissed, Link: c.link()})
	}
	if c.pinging {
		c.woke = c.heard == table.Never
		c.heard = m.clock.Now()
	}
}

// pingDue sends a ping on a connection that was silent.
func (m *Manager) pingDue(c *conn, o *step) {
	c.ping = m.clock.After(c.quiet())
	if c.stateless() { // there is no ping; a failed request shows that it is unavailable
		return
	}
	req, err := m.sendPing(c, c.proof(), o)
	if err != nil {
		return // the table is full: the answer to any open request shows that it is alive
	}
	m.put(c, req, purpose{kind: forPing, sent: m.clock.Now()})
	c.ping, c.pinging, c.heard = table.Never, true, table.Never
}

// proof returns the request that tests a silent server. Some servers ignore pings and work: one that has
// never answered a ping gets a list request instead after a miss, and from then on if its first message after
// that is the answer.
func (c *conn) proof() protocol.Params {
	if c.lists || c.misses > 0 && c.latency == 0 {
		for _, l := range protocol.Lists() {
			if c.client.PeerCapabilities().Has(l.Cap) {
				return protocol.RawRequest{Name: l.Method}
			}
		}
	}
	return protocol.PingParams{}
}

// pingEnded handles the end of one of the Manager's pings. The silence counts from the last
// message; if there was none, the next ping is due at once.
func (m *Manager) pingEnded(c *conn, j purpose, ev *client.Event, o *step) {
	c.pinging = false
	if c.condition != Ready {
		return
	}
	if ev.Kind == lifecycle.ResponseReceived && ev.Err == nil {
		if ev.Method == ping {
			c.edit().latency = time.Duration(m.clock.Now() - j.sent)
		} else if c.woke { // otherwise it was busy, and answers the ping late
			c.edit().lists = true
		}
	}
	if c.heard == table.Never {
		c.edit().misses++
		o.Events = append(o.Events, Event{Kind: PingsMissed, Link: c.link(), Misses: c.misses})
		if c.ping = m.clock.Now(); c.misses >= c.set.Misses { // it may be busy, and some pings fail before their timeout
			c.ping = max(c.ping, clock.Later(j.sent, c.set.Ping))
		}
		return
	}
	c.ping = table.Never
	if c.set.Interval > 0 {
		c.ping = max(m.clock.Now(), clock.Later(c.heard, c.quiet()))
	}
}

// checkupEnded handles the end of the ping of a health check.
func (m *Manager) checkupEnded(c *conn, j purpose, ev *client.Event, o *step) {
	e := requestError(c.name, ping, "", ev)
	r := Checkup{Link: c.link(), Condition: c.condition, Err: plain(e)}
	if e == nil {
		r.Latency = time.Duration(m.clock.Now() - j.sent)
		c.edit().latency = r.Latency
	}
	m.deliver(waiter{j.op, j.slot}, r, o)
}
