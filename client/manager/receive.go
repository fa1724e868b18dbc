package manager

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
)

// Receive takes a message of a server in. It is total; what comes with a link that is over
// is left out (row B13). Any message is a sign of life (row E18).
func (m Manager) Receive(now time.Time, link Link, msg jsonrpc.Message) (Manager, Effects) {
	return m.session(now, link, true, func(c *conn, t time.Time) (client.State, client.Output) { return c.client.Receive(t, msg) })
}

// SendFailed says that one message could not be sent. Only its request fails. A Req is found by
// the Link and its number, so one from before a Restore will do.
func (m Manager) SendFailed(now time.Time, link Link, req client.Req, cause error) (Manager, Effects) {
	return m.session(now, link, false, func(c *conn, t time.Time) (client.State, client.Output) {
		return c.client.SendFailed(t, c.client.Req(req.Seq()), cause)
	})
}

// ResponseLost says that a message went out, but that its answer cannot come any more: only
// its request fails, and the server is told that nobody waits for it.
func (m Manager) ResponseLost(now time.Time, link Link, req client.Req, cause error) (Manager, Effects) {
	return m.session(now, link, false, func(c *conn, t time.Time) (client.State, client.Output) {
		return c.client.ResponseLost(t, c.client.Req(req.Seq()), cause)
	})
}

// Abandon says that a server will take no answer to a request of its any more.
func (m Manager) Abandon(now time.Time, call Call) (Manager, Effects) {
	return m.session(now, call.Link, false, func(c *conn, t time.Time) (client.State, client.Output) {
		return c.client.Abandon(t, c.call(call))
	})
}

// session lets something happen in the session of a link, alive if that is a sign of life. What
// happens is given neither the Manager nor the Effects, so that both can stay on the stack.
func (m Manager) session(now time.Time, link Link, alive bool, do func(*conn, time.Time) (client.State, client.Output)) (Manager, Effects) {
	var o Effects
	m.clock(now)
	c := m.linked(link)
	if c == nil || c.condition == Connecting { // what is not open says nothing
		m.late++
		return m, o
	}
	if alive {
		m.heardFrom(c, &o)
	}
	var out client.Output
	c.client, out = do(c, m.time())
	m.absorb(c, out, &o)
	if alive && c.condition == Ready && !c.pinging {
		c.ping = m.after(c.quiet()) // which depends on what is still on its way
	}
	m.store(c)
	return m, o
}
