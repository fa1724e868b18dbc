package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
)

// Receive takes a message of a server in. It is total; what comes with a link that is over
// is left out (row B13). Any message is a sign of life (row E18).
func (m Manager) Receive(now time.Time, link Link, msg jsonrpc.Message) (Manager, Output) {
	return m.session(now, link, func(m *Manager, c *conn, o *Output) (client.State, client.Output) {
		m.alive(c, o)
		return c.client.Receive(m.time(), msg)
	})
}

// SendFailed says that one message could not be sent. Only its request fails. A Req is found by
// the Link and its number, so one from before a Restore will do.
func (m Manager) SendFailed(now time.Time, link Link, req client.Req, cause error) (Manager, Output) {
	return m.session(now, link, func(m *Manager, c *conn, _ *Output) (client.State, client.Output) {
		return c.client.SendFailed(m.time(), c.client.Req(req.Seq()), cause)
	})
}

// ResponseLost says that a message went out, but that its answer cannot come any more: only
// its request fails, and the server is told that nobody waits for it.
func (m Manager) ResponseLost(now time.Time, link Link, req client.Req, cause error) (Manager, Output) {
	return m.session(now, link, func(m *Manager, c *conn, _ *Output) (client.State, client.Output) {
		return c.client.ResponseLost(m.time(), c.client.Req(req.Seq()), cause)
	})
}

// Abandon says that a server will take no answer to a request of its any more.
func (m Manager) Abandon(now time.Time, call Call) (Manager, Output) {
	return m.session(now, call.Link, func(m *Manager, c *conn, _ *Output) (client.State, client.Output) {
		return c.client.Abandon(m.time(), c.call(call))
	})
}

// session lets something happen in the session of a link.
func (m Manager) session(now time.Time, link Link, do func(*Manager, *conn, *Output) (client.State, client.Output)) (Manager, Output) {
	var o Output
	m.clock(now)
	c := m.linked(link)
	if c == nil || c.state == Connecting { // what is not open says nothing
		m.late++
		return m, o
	}
	var out client.Output
	c.client, out = do(&m, c, &o)
	m.absorb(c, out, &o)
	m.store(c)
	return m, o
}
