package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// cancelled handles notifications/cancelled of the peer (cancellation, Behavior
// Requirements): what cannot be cancelled is ignored.
func (c *Core) cancelled(m *jsonrpc.Message, o *lifecycle.Output) {
	var p protocol.CancelledParams
	if p.DecodeJSON(m.Body, m.Span) != nil {
		Violation(ruleCancelParams, m, o)
		return
	}
	leaf := c.in.Get(c.env.Key(p.RequestID))
	if leaf == nil || leaf.V.ID != p.RequestID {
		Ignored(ruleCancelUnknown, m, o)
		return
	}
	c.in, _ = c.in.Delete(leaf.Key)
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestCancelled, Call: c.call(leaf), ID: leaf.V.ID, Method: leaf.V.name(), Body: m.Body,
		Cause: &lifecycle.Cause{Kind: lifecycle.CauseCancelled, Reason: p.Reason},
	})
	c.endWithin(&leaf.V, o)
	c.settle(o)
}
