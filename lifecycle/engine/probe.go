package engine

import (
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// How a client finds out whether a server needs a handshake, and what it does if so.

// Probe asks a server whether it needs a handshake, under one of the stateless revisions. The answer is
// that of a handshake (Receive). On error nothing was changed.
func (c *Core) Probe(rev protocol.Revision, o *lifecycle.Output) (err error) {
	opt := lifecycle.RequestOptions{Timeout: c.env.Timeouts.Probe}
	o.Req, err = c.send(&Profile{Revision: rev}, protocol.DiscoverParams{}, opt, false, o)
	return err
}

// FallBack opens a session with a server that needs one, in the place of the probe, which has ended.
// It reports false if no revision with a handshake is spoken.
func (c *Core) FallBack(o *lifecycle.Output) bool {
	if len(c.env.Revisions) == 0 {
		return false
	}
	_, err := c.send(nil, c.env.Hello, lifecycle.RequestOptions{}, false, o)
	return err == nil
}
