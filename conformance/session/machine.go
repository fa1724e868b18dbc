package session

import (
	"iter"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// View is what can be read of a State of either role.
type View interface {
	// Phase returns the phase.
	Phase() lifecycle.Phase
	// Status returns the state of things.
	Status() lifecycle.Status
	// NextDeadline returns when Tick is next due.
	NextDeadline() (time.Time, bool)
	// Revision returns the negotiated revision.
	Revision() protocol.Revision
	// Peer returns who the peer is.
	Peer() protocol.Implementation
	// Capabilities returns what this side declares.
	Capabilities() protocol.Capability
	// PeerCapabilities returns what the peer declared.
	PeerCapabilities() protocol.Capability
	// Calls returns the open inbound requests.
	Inbound() iter.Seq[lifecycle.CallInfo]
	// Requests returns the open outbound requests.
	Outbound() iter.Seq[lifecycle.ReqInfo]
	// Call returns the handle of a call by its numbers.
	Call(seq, key uint64) lifecycle.Call
	// Req returns the handle of a request by its number.
	Req(seq uint64) lifecycle.Req
	// Snapshot returns the session as JSON.
	Snapshot() []byte
	// Check returns an error if an invariant does not hold.
	Check() error
}

// Transitions are what leads from one State to the next, in both roles. S is what a
// transition returns.
type Transitions[S any] interface {
	// Receive takes a message in.
	Receive(now time.Time, m jsonrpc.Message) (S, lifecycle.Output)
	// Tick lets time pass.
	Tick(now time.Time) (S, lifecycle.Output)
	// Respond answers a call with a result.
	Respond(now time.Time, call lifecycle.Call, r protocol.Result) (S, lifecycle.Output, error)
	// Fail answers a call with an error.
	Fail(now time.Time, call lifecycle.Call, e jsonrpc.Error) (S, lifecycle.Output, error)
	// Finish answers the call of an Answer.
	Finish(now time.Time, a lifecycle.Answer) (S, lifecycle.Output, error)
	// Progress reports progress of a call.
	Progress(now time.Time, call lifecycle.Call, p protocol.ProgressParams) (S, lifecycle.Output, error)
	// Notify sends a notification.
	Notify(now time.Time, p protocol.Params, within lifecycle.Call) (S, lifecycle.Output, error)
	// Request sends a request.
	Request(now time.Time, p protocol.Params, opt lifecycle.RequestOptions) (S, lifecycle.Output, error)
	// Cancel gives a request up.
	Cancel(now time.Time, req lifecycle.Req, reason string) (S, lifecycle.Output, error)
	// SendFailed says that a request did not get out.
	SendFailed(now time.Time, req lifecycle.Req, cause error) (S, lifecycle.Output)
	// ResponseLost says that the answer to a request cannot come.
	ResponseLost(now time.Time, req lifecycle.Req, cause error) (S, lifecycle.Output)
	// Abandon says that nobody waits for the answer to a call.
	Abandon(now time.Time, call lifecycle.Call) (S, lifecycle.Output)
	// InputClosed says that the peer sends no more.
	InputClosed(now time.Time) (S, lifecycle.Output)
	// Disconnected says that the transport is gone.
	Disconnected(now time.Time, cause error) (S, lifecycle.Output)
	// Shutdown ends the session.
	Shutdown(now time.Time, grace time.Duration) (S, lifecycle.Output)
	// Abort ends the session for a failure on this side.
	Abort(now time.Time, cause error) (S, lifecycle.Output)
	// Reset opens a new session.
	Reset(now time.Time) (S, error)
	// NewSession returns another State of the same Config.
	NewSession(now time.Time) (S, error)
}

// Machine is a State of either role.
type Machine interface {
	View
	Transitions[Machine]
	// Party returns the role.
	Party() lifecycle.Party
	// Initialize opens the session of a client; ErrPhase on a server.
	Initialize(now time.Time) (Machine, lifecycle.Output, error)
	// SetCatalog replaces the catalog of a server; ErrPhase on a client.
	SetCatalog(now time.Time, c *server.Catalog) (Machine, lifecycle.Output, error)
	// SetRoots replaces the roots of a client; ErrPhase on a server.
	SetRoots(now time.Time, roots []protocol.Root) (Machine, lifecycle.Output, error)
}

// Server returns the Machine of a server.
func Server(s server.State) Machine { return state[server.State]{s} }

// Client returns the Machine of a client.
func Client(c client.State) Machine { return state[client.State]{c} }

// ServerState returns the State in a Machine of a server. It panics for a client.
func ServerState(m View) server.State { return m.(state[server.State]).s }

// ClientState returns the State in a Machine of a client. It panics for a server.
func ClientState(m View) client.State { return m.(state[client.State]).s }
