package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// keepalive is what a session knows of its pings.
type keepalive struct {
	due     int64 // when the next ping is due
	misses  uint16
	waiting bool // a ping of the machine is on its way
}

// startKeepalive begins to ping once the session is ready.
func (c *Core) startKeepalive() {
	c.keep = keepalive{due: table.Never}
	if c.env.Keepalive.Interval > 0 {
		c.keep.due = c.After(c.env.Keepalive.Interval)
	}
}

// keepAlive sends the ping that is due. While one is on its way there is no other.
func (c *Core) keepAlive(o *lifecycle.Output) {
	if c.keep.due > c.now || c.phase != protocol.Ready {
		return
	}
	c.keep.due = c.After(c.env.Keepalive.Interval)
	if c.keep.waiting || c.out.Len() >= c.env.Limits.Outbound {
		return
	}
	req := o.Req
	if c.send(protocol.PingParams{}, lifecycle.RequestOptions{}, true, o) == nil {
		c.keep.waiting = true
	}
	o.Req = req // nobody asked for this one
}

// pinged notes that the peer answered a ping, with whatever.
func (c *Core) pinged(v *Outbound, m *jsonrpc.Message) {
	c.keep.misses = 0
	if v.machine && m.Err != nil && m.Err.Code == jsonrpc.CodeMethodNotFound {
		c.keep.due = table.Never
	}
}

// missed notes that the peer did not answer a ping in time, and gives the session up
// when that was one too many.
func (c *Core) missed() (silent bool) {
	if c.keep.misses < 1<<16-1 {
		c.keep.misses++
	}
	limit := c.env.Keepalive.Misses
	return limit > 0 && int(c.keep.misses) >= limit
}

// fallSilent ends a session whose peer does not answer pings any more.
func (c *Core) fallSilent(o *lifecycle.Output) {
	cause := &lifecycle.Cause{Kind: lifecycle.CausePeerSilent, Reason: "ping timed out"}
	if c.move(lifecycle.PeerSilent, cause, o) {
		c.drain(o)
	}
}
