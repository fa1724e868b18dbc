package engine

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Begin notes what a server answered to initialize, or that a client sent it. For
// a client ses is nil: nothing is negotiated yet.
func (c *Core) Begin(ses *Session, m *jsonrpc.Message, o *lifecycle.Output) {
	if ses != nil {
		c.ses = ses
	}
	c.move(lifecycle.HandshakeBegun, nil, o)
	c.describe(m, o)
}

// Complete ends the handshake. For a server ses is nil: it was negotiated before.
func (c *Core) Complete(ses *Session, m *jsonrpc.Message, o *lifecycle.Output) {
	if ses != nil {
		c.ses = ses
	}
	c.move(lifecycle.HandshakeDone, nil, o)
	c.describe(m, o)
}

// describe adds to the PhaseChanged event that was just made what the peer said.
func (c *Core) describe(m *jsonrpc.Message, o *lifecycle.Output) {
	if m == nil {
		return
	}
	ev := &o.Events[len(o.Events)-1]
	ev.Body, ev.Span, ev.Revision = m.Body, m.Span, c.ses.Revision
}

// TakeInitialize takes the initialize request that m answers out of the table and
// reports the answer, or with invalid that it is none.
func (c *Core) TakeInitialize(m *jsonrpc.Message, invalid *lifecycle.Cause, o *lifecycle.Output) {
	n, _ := m.ID.Int64()
	leaf := c.out.Get(uint64(n))
	c.drop(leaf)
	ev := lifecycle.Event{
		Kind: lifecycle.ResponseReceived, Req: c.Req(leaf.Key), ID: m.ID, Method: leaf.V.name(),
		Body: m.Body, Span: m.Span, Err: m.Err, Cause: invalid, Revision: leaf.V.Revision,
	}
	if invalid != nil {
		ev.Kind = lifecycle.RequestFailed
	}
	o.Events = append(o.Events, ev)
	c.settle(o)
}

// SendInitialized sends notifications/initialized.
func (c *Core) SendInitialized(o *lifecycle.Output) {
	note(protocol.MethodInitialized.String(), "", lifecycle.Call{}, o)
}

// Negotiated returns what was negotiated. It shares no memory with a message, and the
// texts of the peer are cut to Limits.Text bytes each: a large initialize must not stay
// alive for a name, nor a large name in every snapshot.
func (e *Env) Negotiated(r protocol.Revision, caps protocol.Capability, peer protocol.Implementation) *Session {
	name, version, title := cut(peer.Name, e.Limits.Text), cut(peer.Version, e.Limits.Text), cut(peer.Title, e.Limits.Text)
	all := strings.Clone(name + version + title)
	n, v := len(name), len(name)+len(version)
	return &Session{Revision: r, Caps: caps, Peer: protocol.Implementation{Name: all[:n], Version: all[n:v], Title: all[v:]}}
}
