package verbs

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Op names a transition of a State.
type Op uint8

// The transitions. OpOffer is SetCatalog on a server and SetRoots on a client.
const (
	OpReceive Op = iota
	OpTick
	OpRespond
	OpFail
	OpFinish
	OpProgress
	OpNotify
	OpRequest
	OpCancel
	OpSendFailed
	OpAbandon
	OpInputClosed
	OpDisconnected
	OpShutdown
	OpAbort
	OpReset
	OpInitialize
	OpOffer
	OpResponseLost
	OpPause
	OpNewSession
)

var opNames = [...]string{
	"receive", "tick", "respond", "fail", "finish", "progress", "notify", "request", "cancel", "send failed",
	"abandon", "input closed", "disconnected", "shutdown", "abort", "reset", "initialize", "offer",
	"response lost", "pause", "new session",
}

// String returns the name of the transition.
func (o Op) String() string { return opNames[o] }

// Verb is a transition with its arguments, except the time, as data.
type Verb struct {
	Op       Op                       // the transition
	Message  jsonrpc.Message          // of OpReceive
	Call     lifecycle.Call           // of OpRespond, OpFail, OpFinish, OpProgress, OpAbandon; within, of OpNotify
	Req      lifecycle.Req            // of OpCancel, OpSendFailed, OpResponseLost, OpPause
	Params   protocol.Params          // of OpNotify, OpRequest
	Result   protocol.Result          // of OpRespond, OpFinish
	Err      *jsonrpc.Error           // of OpFail; of OpFinish, in place of Result
	Progress protocol.ProgressParams  // of OpProgress
	Options  lifecycle.RequestOptions // of OpRequest
	Reason   string                   // of OpCancel
	Paused   bool                     // of OpPause
	Cause    error                    // of OpSendFailed, OpResponseLost, OpDisconnected, OpAbort
	Grace    time.Duration            // of OpShutdown
	Catalog  *server.Catalog          // of OpOffer on a server
	Roots    []protocol.Root          // of OpOffer on a client
	Connect  *client.Verdict          // of OpInitialize: it is Connect, with the known Verdict on the server

	// Said is the script's form of what these fields cannot express: the text of Message, the
	// options of Catalog. Do ignores it.
	Said []string
}

// Do returns the State after the verb at the given time. A verb that the role
// does not have fails with ErrPhase, and changes nothing.
func (m Machine) Do(now time.Time, v Verb) (Machine, lifecycle.Output, error) {
	switch s := m.View.(type) {
	case client.State:
		switch v.Op {
		case OpInitialize:
			if v.Connect != nil {
				return of(s.Connect(now, *v.Connect))
			}
			return of(s.Initialize(now))
		case OpOffer:
			return of(s.SetRoots(now, v.Roots))
		case OpPause:
			s, out := s.Pause(now, v.Req, v.Paused)
			return of(s, out, nil)
		}
		return do(s, now, v)
	case server.State:
		switch v.Op {
		case OpInitialize, OpPause:
			return m, lifecycle.Output{}, lifecycle.ErrPhase
		case OpOffer:
			return of(s.SetCatalog(now, v.Catalog))
		}
		return do(s, now, v)
	}
	panic("verbs: a Machine without a State")
}

// of makes a Machine of the results of a transition.
func of[S View](next S, out lifecycle.Output, err error) (Machine, lifecycle.Output, error) {
	return Machine{next}, out, err
}

// state is a State of one role: its transitions return their own type.
type state[S any] interface {
	View
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
	ResponseLost(time.Time, lifecycle.Req, error) (S, lifecycle.Output)
	Abandon(time.Time, lifecycle.Call) (S, lifecycle.Output)
	InputClosed(time.Time) (S, lifecycle.Output)
	Disconnected(time.Time, error) (S, lifecycle.Output)
	Shutdown(time.Time, time.Duration) (S, lifecycle.Output)
	Abort(time.Time, error) (S, lifecycle.Output)
	Reset(time.Time) (S, error)
	NewSession(time.Time) (S, error)
}

// do does a verb of both roles.
func do[S state[S]](s S, now time.Time, v Verb) (_ Machine, out lifecycle.Output, err error) {
	switch v.Op {
	case OpReceive:
		s, out = s.Receive(now, v.Message)
	case OpTick:
		s, out = s.Tick(now)
	case OpRespond:
		s, out, err = s.Respond(now, v.Call, v.Result)
	case OpFail:
		s, out, err = s.Fail(now, v.Call, *v.Err)
	case OpFinish:
		s, out, err = s.Finish(now, lifecycle.Answer{Call: v.Call, Result: v.Result, Err: v.Err})
	case OpProgress:
		s, out, err = s.Progress(now, v.Call, v.Progress)
	case OpNotify:
		s, out, err = s.Notify(now, v.Params, v.Call)
	case OpRequest:
		s, out, err = s.Request(now, v.Params, v.Options)
	case OpCancel:
		s, out, err = s.Cancel(now, v.Req, v.Reason)
	case OpSendFailed:
		s, out = s.SendFailed(now, v.Req, v.Cause)
	case OpResponseLost:
		s, out = s.ResponseLost(now, v.Req, v.Cause)
	case OpAbandon:
		s, out = s.Abandon(now, v.Call)
	case OpInputClosed:
		s, out = s.InputClosed(now)
	case OpDisconnected:
		s, out = s.Disconnected(now, v.Cause)
	case OpShutdown:
		s, out = s.Shutdown(now, v.Grace)
	case OpAbort:
		s, out = s.Abort(now, v.Cause)
	case OpReset:
		s, err = s.Reset(now)
	case OpNewSession:
		s, err = s.NewSession(now)
	}
	return Machine{s}, out, err
}

// Receive receives a message.
func (m Machine) Receive(now time.Time, in jsonrpc.Message) (Machine, lifecycle.Output) {
	m, out, _ := m.Do(now, Verb{Op: OpReceive, Message: in})
	return m, out
}

// Tick lets time pass.
func (m Machine) Tick(now time.Time) (Machine, lifecycle.Output) {
	m, out, _ := m.Do(now, Verb{Op: OpTick})
	return m, out
}
