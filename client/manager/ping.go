package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/clock"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// ping is what pings are called in errors and ends of operations.
const ping = "ping"

// sendPing sends a ping, or what stands in for one, within its own time.
func (m *Manager) sendPing(c *conn, p protocol.Params, o *step) (client.Req, error) {
	next, out, err := c.client.Request(m.clock.Time(), p, client.RequestOptions{Timeout: c.set.Ping})
	if err != nil {
		return client.Req{}, err
	}
	m.absorb(c, next, out, o)
	return out.Req, nil
}

// heardFrom notes a sign of life.
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

// pingDue sends the ping of a connection that was silent for so long.
func (m *Manager) pingDue(c *conn, o *step) {
	c.ping = m.clock.After(c.quiet())
	if c.stateless() { // which has no ping; a request that fails shows that it is away
		return
	}
	req, err := m.sendPing(c, c.proof(), o)
	if err != nil {
		return // the table is full: the answer to any of what is in it shows life as well
	}
	m.put(c, req, purpose{kind: forPing, sent: m.clock.Now()})
	c.ping, c.pinging, c.heard = table.Never, true, table.Never
}

// proof returns what a silent server is asked. There are some that leave pings unanswered, and are no less alive: one
// that has never answered any is asked for a list instead, after a miss, and from then on if it answers that and nothing
// else before.
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

// pingEnded handles the end of a ping of the Manager's own. The silence counts from what was heard
// last; where nothing was, the next ping is due at once.
func (m *Manager) pingEnded(c *conn, j purpose, ev *client.Event, o *step) {
	c.pinging = false
	if c.condition != Ready {
		return
	}
	if ev.Kind == lifecycle.ResponseReceived && ev.Err == nil {
		if ev.Method == ping {
			c.edit().latency = time.Duration(m.clock.Now() - j.sent)
		} else if c.woke { // else it was at work, and answers the ping late
			c.edit().lists = true
		}
	}
	if c.heard == table.Never {
		c.edit().misses++
		o.Events = append(o.Events, Event{Kind: PingsMissed, Link: c.link(), Misses: c.misses})
		if c.ping = m.clock.Now(); c.misses >= c.set.Misses { // it may be at work, and some fail sooner than in their time
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
