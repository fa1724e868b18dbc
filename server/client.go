package server

import (
	"time"

	"github.com/sansmcp/mcp/protocol"
)

// Client describes the client that made a request.
type Client struct {
	// Revision is the revision of the request, zero before a handshake.
	Revision protocol.Revision
	// Capabilities are what the client declared, for its session or for this request.
	Capabilities protocol.Capability
	// Info is what the client says of itself, its texts cut to Limits.Text bytes each. It proves
	// nothing, and may be zero if the revision is stateless.
	Info protocol.Implementation
	// Level is the least severe log message that the client asked for, "" if it asked for none. In
	// a session logging/setLevel sets it, without a session each request does.
	Level protocol.LoggingLevel
}

// Client returns the client that made an open call: the client of the session or, for a call
// without a session, what the request says of itself. For the zero Call, and for one that has
// ended, it is the client of the session.
func (s State) Client(call Call) Client {
	p := s.core.Under(call)
	rev := p.Revision
	if !rev.Stateless() {
		rev = s.core.Negotiated()
	}
	return Client{Revision: rev, Capabilities: p.Caps, Info: p.Peer(), Level: p.Level()}
}

// now returns the time of the last step.
func (s *State) now() time.Time { return s.core.At(s.core.Now()) }
