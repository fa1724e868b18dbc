package lifecycle

import "github.com/sansmcp/mcp/protocol"

// Status is a summary of a State. It is small, comparable and made without an allocation.
type Status struct {
	Phase    Phase             // the phase of the session
	Revision protocol.Revision // what was negotiated, zero before
	Inbound  int               // requests of the peer that await the application
	Outbound int               // requests of ours that await the peer
	// Saturated is true while the inbound table is full: a driver that can should
	// stop reading.
	Saturated bool
	// DroppedLogs is how many log messages Limits.Logs has left out, both ways.
	DroppedLogs uint64
	// Cause is why the session is shutting down, disconnected or failed; nil before.
	Cause *Cause
}
