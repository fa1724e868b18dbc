package server

import (
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// Client is who made a request, and under what.
type Client struct {
	// Revision is the revision of the request, zero before a handshake.
	Revision protocol.Revision
	// Capabilities is what the client declared: for its session, or for this request alone.
	Capabilities protocol.Capability
	// Info is who the client says it is, its texts cut to Limits.Text bytes each. It may be zero
	// where the revision is stateless, and proves nothing.
	Info protocol.Implementation
	// Level is the least severe log message that the client asked for; "" for none. In a session
	// that is the level of logging/setLevel, without a session that of the request.
	Level protocol.LoggingLevel
}

// Client returns who made an open call: the client of the session or, where the call is none of a
// session, what its request says of itself. For the zero Call, and for one that has ended, it is
// the client of the session.
func (s State) Client(call Call) Client {
	p := s.core.Under(call)
	rev := p.Revision
	if !rev.Stateless() {
		rev = s.core.Negotiated()
	}
	return Client{Revision: rev, Capabilities: p.Caps, Info: p.Peer(), Level: p.Level()}
}

// now is the instant of the last step.
func (s *State) now() time.Time { return s.core.At(s.core.Now()) }
