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

// role is a State of one role: its transitions return their own type.
type role[S any] interface {
	comparable
	View
	Transitions[S]
}

// state is a State as a Machine.
type state[S role[S]] struct{ s S }

func (m state[S]) Phase() lifecycle.Phase                { return m.s.Phase() }
func (m state[S]) Status() lifecycle.Status              { return m.s.Status() }
func (m state[S]) NextDeadline() (time.Time, bool)       { return m.s.NextDeadline() }
func (m state[S]) Revision() protocol.Revision           { return m.s.Revision() }
func (m state[S]) Peer() protocol.Implementation         { return m.s.Peer() }
func (m state[S]) Capabilities() protocol.Capability     { return m.s.Capabilities() }
func (m state[S]) PeerCapabilities() protocol.Capability { return m.s.PeerCapabilities() }
func (m state[S]) Inbound() iter.Seq[lifecycle.CallInfo] { return m.s.Inbound() }
func (m state[S]) Outbound() iter.Seq[lifecycle.ReqInfo] { return m.s.Outbound() }
func (m state[S]) Call(seq, key uint64) lifecycle.Call   { return m.s.Call(seq, key) }
func (m state[S]) Req(seq uint64) lifecycle.Req          { return m.s.Req(seq) }
func (m state[S]) Snapshot() []byte                      { return m.s.Snapshot() }
func (m state[S]) Check() error                          { return m.s.Check() }

func (m state[S]) Party() lifecycle.Party {
	if _, ok := any(m.s).(server.State); ok {
		return lifecycle.Server
	}
	return lifecycle.Client
}

// of makes a Machine of what a transition returned.
func of[S role[S]](next S, out lifecycle.Output) (Machine, lifecycle.Output) {
	return state[S]{next}, out
}

// tried is of for transitions that can be refused.
func tried[S role[S]](next S, out lifecycle.Output, err error) (Machine, lifecycle.Output, error) {
	return state[S]{next}, out, err
}

func (m state[S]) Receive(now time.Time, msg jsonrpc.Message) (Machine, lifecycle.Output) {
	return of(m.s.Receive(now, msg))
}

func (m state[S]) Tick(now time.Time) (Machine, lifecycle.Output) { return of(m.s.Tick(now)) }

func (m state[S]) Respond(now time.Time, call lifecycle.Call, r protocol.Result) (Machine, lifecycle.Output, error) {
	return tried(m.s.Respond(now, call, r))
}

func (m state[S]) Fail(now time.Time, call lifecycle.Call, e jsonrpc.Error) (Machine, lifecycle.Output, error) {
	return tried(m.s.Fail(now, call, e))
}

func (m state[S]) Finish(now time.Time, a lifecycle.Answer) (Machine, lifecycle.Output, error) {
	return tried(m.s.Finish(now, a))
}

func (m state[S]) Progress(now time.Time, call lifecycle.Call, p protocol.ProgressParams) (Machine, lifecycle.Output, error) {
	return tried(m.s.Progress(now, call, p))
}

func (m state[S]) Notify(now time.Time, p protocol.Params, within lifecycle.Call) (Machine, lifecycle.Output, error) {
	return tried(m.s.Notify(now, p, within))
}

func (m state[S]) Request(now time.Time, p protocol.Params, opt lifecycle.RequestOptions) (Machine, lifecycle.Output, error) {
	return tried(m.s.Request(now, p, opt))
}

func (m state[S]) Cancel(now time.Time, req lifecycle.Req, reason string) (Machine, lifecycle.Output, error) {
	return tried(m.s.Cancel(now, req, reason))
}

func (m state[S]) SendFailed(now time.Time, req lifecycle.Req, cause error) (Machine, lifecycle.Output) {
	return of(m.s.SendFailed(now, req, cause))
}

func (m state[S]) ResponseLost(now time.Time, req lifecycle.Req, cause error) (Machine, lifecycle.Output) {
	return of(m.s.ResponseLost(now, req, cause))
}

func (m state[S]) Abandon(now time.Time, call lifecycle.Call) (Machine, lifecycle.Output) {
	return of(m.s.Abandon(now, call))
}

func (m state[S]) InputClosed(now time.Time) (Machine, lifecycle.Output) {
	return of(m.s.InputClosed(now))
}

func (m state[S]) Disconnected(now time.Time, cause error) (Machine, lifecycle.Output) {
	return of(m.s.Disconnected(now, cause))
}

func (m state[S]) Shutdown(now time.Time, grace time.Duration) (Machine, lifecycle.Output) {
	return of(m.s.Shutdown(now, grace))
}

func (m state[S]) Abort(now time.Time, cause error) (Machine, lifecycle.Output) {
	return of(m.s.Abort(now, cause))
}

func (m state[S]) Reset(now time.Time) (Machine, error) {
	next, err := m.s.Reset(now)
	return state[S]{next}, err
}

func (m state[S]) NewSession(now time.Time) (Machine, error) {
	next, err := m.s.NewSession(now)
	return state[S]{next}, err
}

func (m state[S]) Initialize(now time.Time) (Machine, lifecycle.Output, error) {
	if c, ok := any(m.s).(client.State); ok {
		return tried(c.Initialize(now))
	}
	return m, lifecycle.Output{}, lifecycle.ErrPhase
}

func (m state[S]) SetCatalog(now time.Time, c *server.Catalog) (Machine, lifecycle.Output, error) {
	if s, ok := any(m.s).(server.State); ok {
		return tried(s.SetCatalog(now, c))
	}
	return m, lifecycle.Output{}, lifecycle.ErrPhase
}

func (m state[S]) SetRoots(now time.Time, roots []protocol.Root) (Machine, lifecycle.Output, error) {
	if c, ok := any(m.s).(client.State); ok {
		return tried(c.SetRoots(now, roots))
	}
	return m, lifecycle.Output{}, lifecycle.ErrPhase
}
