package engine

import (
	"errors"

	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Check returns an error if an invariant does not hold. Tests call it after every
// step; nothing that a caller or a peer does can make it fail.
func (c *Core) Check() error {
	switch {
	case !c.phase.Live() && (c.in.Len() != 0 || c.out.Len() != 0):
		return errors.New("engine: requests are open in a phase without messages")
	case c.phase == protocol.Uninitialized && c.ses != c.env.Blank:
		return errors.New("engine: something is negotiated before the handshake")
	case c.phase == protocol.Ready && c.ses == c.env.Blank:
		return errors.New("engine: ready, but nothing is negotiated")
	case c.closed && (c.in.Len() != 0 || c.out.Len() != 0):
		return errors.New("engine: requests are open after the close action")
	case c.deaf && c.out.Len() != 0:
		return errors.New("engine: requests wait for a peer that sends no more")
	case c.phase != protocol.ShuttingDown && c.grace != table.Never:
		return errors.New("engine: a grace time outside shutting_down")
	case c.in.Len() > c.env.Limits.Inbound || c.out.Len() > c.env.Limits.Outbound:
		return errors.New("engine: a table is over its limit")
	}
	if err := c.in.Check(); err != nil {
		return err
	}
	if err := c.out.Check(); err != nil {
		return err
	}
	seen := 0
	for leaf := range c.in.All() {
		if leaf.Key != c.env.Key(leaf.V.ID) || leaf.V.Seq == 0 || leaf.V.Seq > c.seq {
			return errors.New("engine: an inbound entry under the wrong key")
		}
	}
	for leaf := range c.out.All() {
		if leaf.Key < c.first || leaf.Key > c.last || leaf.Deadline > leaf.V.hard {
			return errors.New("engine: an outbound entry out of range")
		}
		if x := leaf.V.ext; x != nil && !x.token.IsZero() {
			if req, ok := c.own.find(c.env, x.token); !ok || req != leaf.Key {
				return errors.New("engine: a progress token without its owner")
			}
			seen++
		}
	}
	if c.own != nil && c.own.t.Len() != seen || c.own == nil && seen != 0 {
		return errors.New("engine: a progress token of a closed request")
	}
	return nil
}
