package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// startKeepalive begins to ping once the session is ready.
func (c *Core) startKeepalive() {
	c.stopKeepalive()
	if c.env.Keepalive.Interval > 0 {
		c.ping = c.After(c.env.Keepalive.Interval)
	}
}

// stopKeepalive forgets what there was of pings.
func (c *Core) stopKeepalive() { c.ping, c.heard, c.misses, c.pinging = table.Never, c.now, 0, false }

// alive notes that a valid message of the peer came: whatever it is, it shows life.
func (c *Core) alive() { c.heard, c.misses = c.now, 0 }

// keepAlive sends the ping that is due. While one is on its way there is no other.
func (c *Core) keepAlive(o *lifecycle.Output) {
	if c.ping > c.now || c.phase != protocol.Ready {
		return
	}
	c.ping = c.After(c.env.Keepalive.Interval)
	if c.pinging || c.out.Len() >= c.env.Limits.Outbound {
		return
	}
	req := o.Req
	if c.send(protocol.PingParams{}, lifecycle.RequestOptions{}, true, o) == nil {
		c.pinging = true
	}
	o.Req = req // nobody asked for this one
}

// pinged notes that the peer answered a ping of the keepalive. One that does not know
// the method is asked no more.
func (c *Core) pinged(m *jsonrpc.Message) {
	if m.Err != nil && m.Err.Code == jsonrpc.CodeMethodNotFound {
		c.ping = table.Never
	}
}

// missed notes that the peer did not answer a ping in time, and gives the session up
// when that was one too many. Whatever else came in since the ping went out is life too.
func (c *Core) missed(leaf *table.Leaf[Outbound]) (silent bool) {
	sent := leaf.Deadline - int64(leaf.V.timeout) // or since when progress put it off
	if c.heard > sent || leaf.V.reported {
		return false
	}
	if c.misses < 1<<16-1 {
		c.misses++
	}
	limit := c.env.Keepalive.Misses
	return limit > 0 && int(c.misses) >= limit
}

// fallSilent ends a session whose peer does not answer pings any more.
func (c *Core) fallSilent(o *lifecycle.Output) {
	cause := &lifecycle.Cause{Kind: lifecycle.CausePeerSilent, Reason: "ping timed out"}
	if c.move(lifecycle.PeerSilent, cause, o) {
		c.drain(o)
	}
}
