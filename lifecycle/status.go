package lifecycle

import "github.com/sansmcp/mcp/protocol"

// Status is a summary of a State. It is small and comparable, and is made without an allocation.
type Status struct {
	Phase    Phase             // the phase of the session
	Revision protocol.Revision // the negotiated revision, zero before
	Inbound  int               // requests of the peer that await the application
	Outbound int               // requests of ours that await the peer
	// Saturated is true while the inbound table is full: a driver should then stop reading if it
	// can.
	Saturated bool
	// DroppedLogs is how many log messages were dropped by Limits.Logs, both ways.
	DroppedLogs uint64
	// Cause is why the session is shutting down, disconnected or failed; nil before.
	Cause *Cause
}
