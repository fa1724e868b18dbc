package model

import (
	"iter"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// state is what the States of both roles have in common.
type state[S any] interface {
	comparable
	Receive(time.Time, jsonrpc.Message) (S, lifecycle.Output)
	Tick(time.Time) (S, lifecycle.Output)
	Respond(time.Time, lifecycle.Call, protocol.Result) (S, lifecycle.Output, error)
	Fail(time.Time, lifecycle.Call, jsonrpc.Error) (S, lifecycle.Output, error)
	Finish(time.Time, lifecycle.Answer) (S, lifecycle.Output, error)
	Progress(time.Time, lifecycle.Call, protocol.ProgressParams) (S, lifecycle.Output, error)
	Notify(time.Time, protocol.Params, lifecycle.Call) (S, lifecycle.Output, error)
	Request(time.Time, protocol.Params, lifecycle.RequestOptions) (S, lifecycle.Output, error)
	Cancel(time.Time, lifecycle.Req, string) (S, lifecycle.Output, error)
	SendFailed(time.Time, lifecycle.Req, error) (S, lifecycle.Output)
	Abandon(time.Time, lifecycle.Call) (S, lifecycle.Output)
	InputClosed(time.Time) (S, lifecycle.Output)
	Disconnected(time.Time, error) (S, lifecycle.Output)
	Shutdown(time.Time, time.Duration) (S, lifecycle.Output)
	Abort(time.Time, error) (S, lifecycle.Output)
	Reset(time.Time) (S, error)
	View
}

// View is what can be read of a Machine.
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
	Calls() iter.Seq[engine.CallInfo]
	// Requests returns the open outbound requests.
	Requests() iter.Seq[engine.ReqInfo]
	// Check returns an error if an invariant does not hold.
	Check() error
}

// Machine is a State of either role. Like a State it is a value: == tells whether two
// are the same.
type Machine interface {
	View
	// Party returns the role.
	Party() lifecycle.Party
	apply(s *Step, a *arguments) (Machine, lifecycle.Output, error)
}

// Server returns the Machine of a server.
func Server(s server.State) Machine { return machine[server.State]{s} }

// Client returns the Machine of a client.
func Client(c client.State) Machine { return machine[client.State]{c} }

type machine[S state[S]] struct{ S S }

func (m machine[S]) Phase() lifecycle.Phase                { return m.S.Phase() }
func (m machine[S]) Status() lifecycle.Status              { return m.S.Status() }
func (m machine[S]) NextDeadline() (time.Time, bool)       { return m.S.NextDeadline() }
func (m machine[S]) Revision() protocol.Revision           { return m.S.Revision() }
func (m machine[S]) Peer() protocol.Implementation         { return m.S.Peer() }
func (m machine[S]) Capabilities() protocol.Capability     { return m.S.Capabilities() }
func (m machine[S]) PeerCapabilities() protocol.Capability { return m.S.PeerCapabilities() }
func (m machine[S]) Calls() iter.Seq[engine.CallInfo]      { return m.S.Calls() }
func (m machine[S]) Requests() iter.Seq[engine.ReqInfo]    { return m.S.Requests() }
func (m machine[S]) Check() error                          { return m.S.Check() }

func (m machine[S]) Party() lifecycle.Party {
	if _, ok := any(m.S).(server.State); ok {
		return lifecycle.Server
	}
	return lifecycle.Client
}

// apply is the verb of the step. A verb that the role does not have fails with
// ErrPhase.
func (m machine[S]) apply(s *Step, a *arguments) (Machine, lifecycle.Output, error) {
	var next S
	var out lifecycle.Output
	var err error
	switch s.Op {
	case OpReceive:
		next, out = m.S.Receive(s.Now, a.message)
	case OpTick:
		next, out = m.S.Tick(s.Now)
	case OpRespond:
		next, out, err = m.S.Respond(s.Now, s.Call, a.result)
	case OpFail:
		next, out, err = m.S.Fail(s.Now, s.Call, a.failure)
	case OpFinish:
		next, out, err = m.S.Finish(s.Now, a.answer)
	case OpProgress:
		next, out, err = m.S.Progress(s.Now, s.Call, a.progress)
	case OpNotify:
		next, out, err = m.S.Notify(s.Now, a.params, s.Call)
	case OpRequest:
		next, out, err = m.S.Request(s.Now, a.params, s.Options)
	case OpCancel:
		next, out, err = m.S.Cancel(s.Now, s.Req, s.Reason)
	case OpSendFailed:
		next, out = m.S.SendFailed(s.Now, s.Req, a.cause)
	case OpAbandon:
		next, out = m.S.Abandon(s.Now, s.Call)
	case OpInputClosed:
		next, out = m.S.InputClosed(s.Now)
	case OpDisconnected:
		next, out = m.S.Disconnected(s.Now, a.cause)
	case OpShutdown:
		next, out = m.S.Shutdown(s.Now, s.Grace)
	case OpAbort:
		next, out = m.S.Abort(s.Now, a.cause)
	case OpReset:
		next, err = m.S.Reset(s.Now)
	default:
		return m.role(s, a)
	}
	return machine[S]{next}, out, err
}

// role is the verbs that only one role has.
func (m machine[S]) role(s *Step, a *arguments) (Machine, lifecycle.Output, error) {
	switch st := any(m.S).(type) {
	case server.State:
		if s.Op == OpOffer {
			next, out, err := st.SetCatalog(s.Now, a.catalog)
			return Server(next), out, err
		}
	case client.State:
		switch s.Op {
		case OpInitialize:
			next, out, err := st.Initialize(s.Now)
			return Client(next), out, err
		case OpOffer:
			next, out, err := st.SetRoots(s.Now, a.roots)
			return Client(next), out, err
		}
	}
	return m, lifecycle.Output{}, lifecycle.ErrPhase
}
