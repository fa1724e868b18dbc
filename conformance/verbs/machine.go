package verbs

import (
	"iter"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// View is the readable part of a State of either role.
type View interface {
	// Phase returns the phase.
	Phase() lifecycle.Phase
	// Status returns the status.
	Status() lifecycle.Status
	// NextDeadline returns the time of the next Tick.
	NextDeadline() (time.Time, bool)
	// Revision returns the negotiated revision.
	Revision() protocol.Revision
	// Peer returns the info of the peer.
	Peer() protocol.Implementation
	// Capabilities returns what this side declares.
	Capabilities() protocol.Capability
	// PeerCapabilities returns what the peer declared.
	PeerCapabilities() protocol.Capability
	// Calls returns the open inbound requests.
	Inbound() iter.Seq[lifecycle.CallInfo]
	// Requests returns the open outbound requests.
	Outbound() iter.Seq[lifecycle.ReqInfo]
	// Call returns the handle of a call with the numbers.
	Call(seq, key uint64) lifecycle.Call
	// Req returns the handle of a request with the number.
	Req(seq uint64) lifecycle.Req
	// Snapshot returns the session as JSON.
	Snapshot() []byte
	// Check returns an error if an invariant does not hold.
	Check() error
}

// Machine is a State of either role. Two are equal if their States are.
type Machine struct{ View }

// Server returns the Machine of a server.
func Server(s server.State) Machine { return Machine{s} }

// Client returns the Machine of a client.
func Client(c client.State) Machine { return Machine{c} }

// ServerState returns the State in a Machine of a server. It panics for a client.
func ServerState(m Machine) server.State { return m.View.(server.State) }

// ClientState returns the State in a Machine of a client. It panics for a server.
func ClientState(m Machine) client.State { return m.View.(client.State) }

// Party returns the role.
func (m Machine) Party() lifecycle.Party {
	if _, ok := m.View.(server.State); ok {
		return lifecycle.Server
	}
	return lifecycle.Client
}
