package engine

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// How a client finds out whether a server needs a handshake, and what it does if so.

// Probe asks a server whether it needs a handshake, under one of the stateless revisions. The answer is
// that of a handshake (Receive), and is awaited for so long. On error nothing was changed.
func (c *Core) Probe(rev protocol.Revision, timeout time.Duration, o *lifecycle.Output) (err error) {
	opt := lifecycle.RequestOptions{Timeout: timeout}
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

// Ordinal returns which of the requests of this side, counted from the beginning of the session, has an id; 0 for none
// of them.
func (c *Core) Ordinal(id jsonrpc.ID) uint64 {
	n, ok := id.Int64()
	if !ok || n <= 0 || uint64(n) > c.last || uint64(n) < c.first() {
		return 0
	}
	return uint64(n) - c.first() + 1
}

// TakeInitialize takes the initialize request that m answers out of the table and
// reports the answer or, given invalid, that there is none that can be used.
func (c *Core) TakeInitialize(m *jsonrpc.Message, invalid *lifecycle.Cause, o *lifecycle.Output) {
	n, _ := m.ID.Int64()
	leaf := c.byWireID(uint64(n))
	c.drop(leaf)
	ev := lifecycle.Event{
		Kind: lifecycle.ResponseReceived, Req: c.Req(leaf.Key), ID: m.ID, Method: leaf.V.name(),
		Body: m.Body, Span: m.Span, Err: m.Err, Cause: invalid, Revision: leaf.V.row.Revision(),
	}
	if invalid != nil {
		ev.Kind = lifecycle.RequestFailed
	}
	o.Events = append(o.Events, ev)
	c.settle(o)
}
