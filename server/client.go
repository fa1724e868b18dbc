package server

import (
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// Client describes the client that made a request.
type Client struct {
	// Revision is the revision of the request, zero before a handshake.
	Revision protocol.Revision
	// Capabilities is what the client declared, for its session or for this request only.
	Capabilities protocol.Capability
	// Info is the client's own description, with texts cut to Limits.Text bytes each. It may be
	// zero without a session, and proves nothing.
	Info protocol.Implementation
	// Level is the least severe log message that the client asked for; "" for none. It comes from
	// logging/setLevel in a session, otherwise from the request.
	Level protocol.LoggingLevel
}

// Client returns the client of an open call: that of the session, or for a call without a session
// the one in the request. For the zero Call, and for one that has ended, it is the client of the
// session.
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
