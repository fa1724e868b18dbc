package relay

import (
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// Relay joins one client with many servers: an immutable value. New makes one; the zero Relay
// has no servers and does nothing.
type Relay struct {
}

// Effects are what a step asks of the driver.
type Effects struct {
	// Output is what goes to the client, and the events that the Relay has no part in.
	server.Output
	// Actions are what is to be done with the connections to the servers, in this order.
	Actions []manager.Action
	// Servers are what has become of the servers: manager.ServerChanged and the like, for
	// logs. Nothing has to be done for them.
	Servers []manager.Event
}

// New returns a Relay of the given servers, in their order: of two things of one name that of
// the first server counts. Nothing is connected before the client is ready. Errors:
// lifecycle.ErrParams.
func New(cfg Config, servers []Server, now time.Time) (Relay, error) { return Relay{}, nil }

// Server returns the Config of the session with the client: base with all that the Relay answers.
// Errors: lifecycle.ErrParams for a base that serves something of that itself, by a Catalog or by
// Serve.
func (cfg Config) Server(base server.Config) (server.Config, error) { return base, nil }

// Handle takes in an Output of the session with the client: every one of them has to pass
// through it. The requests of the client that the Relay answers are taken out of Events.
func (r Relay) Handle(s server.State, now time.Time, out server.Output) (Relay, server.State, Effects) {
	return r, s, Effects{Output: out}
}

// Opened says that the connection is there, as ActOpen asked.
func (r Relay) Opened(s server.State, now time.Time, link manager.Link) (Relay, server.State, Effects) {
	return r, s, Effects{}
}

// OpenFailed says that the connection could not be made.
func (r Relay) OpenFailed(s server.State, now time.Time, link manager.Link, cause error) (Relay, server.State, Effects) {
	return r, s, Effects{}
}

// Receive takes in a message of a server.
func (r Relay) Receive(s server.State, now time.Time, link manager.Link, m jsonrpc.Message) (Relay, server.State, Effects) {
	return r, s, Effects{}
}

// SendFailed says that a message to a server did not get out: only its request fails.
func (r Relay) SendFailed(s server.State, now time.Time, link manager.Link, req lifecycle.Req, cause error) (Relay, server.State, Effects) {
	return r, s, Effects{}
}

// ResponseLost says that the stream on which a server was to answer is lost for good.
func (r Relay) ResponseLost(s server.State, now time.Time, link manager.Link, req lifecycle.Req, cause error) (Relay, server.State, Effects) {
	return r, s, Effects{}
}

// Closed says that the connection has ended. Calls that the server had are answered in this step.
func (r Relay) Closed(s server.State, now time.Time, link manager.Link, cause error) (Relay, server.State, Effects) {
	return r, s, Effects{}
}

// Tick lets time pass for the servers and for what waits.
func (r Relay) Tick(s server.State, now time.Time) (Relay, server.State, Effects) {
	return r, s, Effects{}
}

// NextDeadline returns when Tick is next due; false if nothing waits. The State has its own.
func (r Relay) NextDeadline() (time.Time, bool) { return time.Time{}, false }

// SetServers replaces the servers. One whose Name and Definition are as they were keeps its
// connection, and its calls go on; the calls of one that is gone are answered in this step. What
// the client sees of it is one list_changed for each list that differs. Errors:
// lifecycle.ErrParams.
func (r Relay) SetServers(s server.State, now time.Time, servers []Server) (Relay, server.State, Effects, error) {
	return r, s, Effects{}, nil
}

// Restart ends the connection of a server, and makes it anew at once. Errors:
// lifecycle.ErrParams for a name that there is not.
func (r Relay) Restart(s server.State, now time.Time, name string) (Relay, server.State, Effects, error) {
	return r, s, Effects{}, nil
}

// Close ends the connections of all servers. Open calls are answered.
func (r Relay) Close(s server.State, now time.Time) (Relay, server.State, Effects) {
	return r, s, Effects{}
}

// Statuses returns what the servers are at, in their order.
func (r Relay) Statuses() []manager.Status { return nil }

// Snapshot returns the Relay as JSON. It goes with the Snapshot of the State of the same step:
// store both together, or neither. The Config, the Options of the servers and the State are not
// in it.
func (r Relay) Snapshot() []byte { return nil }

// Restore returns the Relay of a snapshot, beside the State that was restored with it. Servers
// that are not in the snapshot, or have another Definition in it, are connected anew. Errors:
// lifecycle.ErrSnapshot, lifecycle.ErrParams.
func Restore(cfg Config, servers []Server, data []byte, s server.State, now time.Time) (Relay, error) {
	return Relay{}, nil
}

// Check returns an error if an invariant of the Relay does not hold. Nothing that a client or a
// server does can make it fail; tests call it after every step.
func (r Relay) Check(s server.State) error { return nil }
