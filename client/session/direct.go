package session

import (
	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/protocol"
)

// direct is a Transport that needs neither goroutine of the Client for most messages (ADR 0023). Its methods
// are called with the lock of the Client held, and must not wait.
type direct interface {
	// Direct makes the Transport pass what arrives to take, on the goroutine that has received it. If take
	// returns false, Receive returns it; what arrived after it on the same connection must then come after
	// it. of is the Transport's session.
	Direct(take func(of any, a links.Arrival) bool)
	// Current reports whether what arrives for a session is still wanted.
	Current(of any) bool
	// TrySend is Send for a message that can be sent without waiting. It returns false, and does nothing, for
	// any other.
	TrySend(o client.Outgoing, rev protocol.Revision) bool
}
