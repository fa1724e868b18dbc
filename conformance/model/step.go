package model

import (
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/conformance/session"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Op is a verb of a State.
type Op uint8

// The verbs. OpOffer is SetCatalog on a server and SetRoots on a client.
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
	OpAnswerLost
	// OpCount is the number of verbs.
	OpCount = int(iota)
)

var opNames = [OpCount]string{
	"receive", "tick", "respond", "fail", "finish", "progress", "notify", "request", "cancel", "send failed",
	"abandon", "input closed", "disconnected", "shutdown", "abort", "reset", "initialize", "offer",
	"response lost",
}

// String returns the name of the verb.
func (o Op) String() string { return opNames[o] }

// Step is a verb with its arguments. The functions make the arguments afresh, so that
// each use can spoil its own.
type Step struct {
	Op       Op                             // the verb
	Now      time.Time                      // the time given to it
	Text     string                         // of OpReceive: the text of the message
	Call     lifecycle.Call                 // of OpRespond, OpFail, OpFinish, OpProgress, OpAbandon; within, of OpNotify
	Req      lifecycle.Req                  // of OpCancel, OpSendFailed, OpAnswerLost
	Params   func() protocol.Params         // of OpNotify, OpRequest; nil gives nil
	Result   func() protocol.Result         // of OpRespond, OpFinish; nil gives nil
	Failure  *jsonrpc.Error                 // of OpFail, OpFinish
	Progress func() protocol.ProgressParams // of OpProgress
	Options  lifecycle.RequestOptions       // of OpRequest
	Reason   string                         // of OpCancel
	NoCause  bool                           // of those that take a cause: hand in nil, not ErrLocal
	Grace    time.Duration                  // of OpShutdown
	Offer    Offer                          // of OpOffer
}

// ErrLocal is the cause that steps hand in where a verb takes one.
var ErrLocal = errors.New("local cause")

// arguments are what one use of a Step hands in.
type arguments struct {
	data     []byte
	message  jsonrpc.Message
	params   protocol.Params
	result   protocol.Result
	failure  jsonrpc.Error
	answer   lifecycle.Answer
	progress protocol.ProgressParams
	catalog  *server.Catalog
	roots    []protocol.Root
	cause    error
}

// Apply applies the step and then spoils every argument that it handed in.
func (s *Step) Apply(m session.Machine) (session.Machine, lifecycle.Output, error) {
	a := arguments{}
	if !s.NoCause {
		a.cause = ErrLocal
	}
	bound := *s // a step may have been drawn for another State of the same session
	s = &bound
	s.bind(m)
	switch s.Op {
	case OpReceive:
		a.data = []byte(s.Text)
		a.message = jsonrpc.Decode(a.data)
		clear(a.data)
	case OpOffer:
		if m.Party() == lifecycle.Client {
			a.roots = s.Offer.roots()
		} else {
			a.catalog = s.Offer.catalog()
		}
	}
	if s.Params != nil {
		a.params = s.Params()
	}
	if s.Result != nil {
		a.result = s.Result()
	}
	if s.Failure != nil {
		a.failure = *s.Failure
		failure := *s.Failure
		a.answer.Err = &failure
	}
	if s.Progress != nil {
		a.progress = s.Progress()
	}
	a.answer.Call, a.answer.Result = s.Call, a.result
	next, out, err := s.take(m, &a)
	Scribble(a.params)
	Scribble(a.result)
	Scribble(a.roots)
	Scribble(&a.progress)
	Scribble(a.answer.Err)
	return next, out, err
}

// Record is Apply, written down by the Recorder of the session.
func (s *Step) Record(r *transcript.Recorder, m session.Machine) (session.Machine, lifecycle.Output, error) {
	switch s.Op {
	case OpReceive:
		return s.Apply(r.Of(m, s.Text))
	case OpOffer:
		return s.Apply(r.Of(m, transcript.CatalogOptions(s.Offer.items())...))
	}
	return s.Apply(r.Of(m))
}

// bind makes the handles of the step those of m.
func (s *Step) bind(m session.Machine) {
	s.Call, s.Options.Within = callOf(m, s.Call), callOf(m, s.Options.Within)
	s.Req, s.Options.Replaces = reqOf(m, s.Req), reqOf(m, s.Options.Replaces)
}

func callOf(m session.Machine, c lifecycle.Call) lifecycle.Call {
	if c.IsZero() {
		return c
	}
	return m.Call(c.Seq(), c.Key())
}

func reqOf(m session.Machine, r lifecycle.Req) lifecycle.Req {
	if r.IsZero() {
		return r
	}
	return m.Req(r.Seq())
}

// take is the verb of the step. A verb that the role does not have fails with ErrPhase.
func (s *Step) take(m session.Machine, a *arguments) (next session.Machine, out lifecycle.Output, err error) {
	switch s.Op {
	case OpReceive:
		next, out = m.Receive(s.Now, a.message)
	case OpTick:
		next, out = m.Tick(s.Now)
	case OpRespond:
		next, out, err = m.Respond(s.Now, s.Call, a.result)
	case OpFail:
		next, out, err = m.Fail(s.Now, s.Call, a.failure)
	case OpFinish:
		next, out, err = m.Finish(s.Now, a.answer)
	case OpProgress:
		next, out, err = m.Progress(s.Now, s.Call, a.progress)
	case OpNotify:
		next, out, err = m.Notify(s.Now, a.params, s.Call)
	case OpRequest:
		next, out, err = m.Request(s.Now, a.params, s.Options)
	case OpCancel:
		next, out, err = m.Cancel(s.Now, s.Req, s.Reason)
	case OpSendFailed:
		next, out = m.SendFailed(s.Now, s.Req, a.cause)
	case OpAnswerLost:
		next, out = m.ResponseLost(s.Now, s.Req, a.cause)
	case OpAbandon:
		next, out = m.Abandon(s.Now, s.Call)
	case OpInputClosed:
		next, out = m.InputClosed(s.Now)
	case OpDisconnected:
		next, out = m.Disconnected(s.Now, a.cause)
	case OpShutdown:
		next, out = m.Shutdown(s.Now, s.Grace)
	case OpAbort:
		next, out = m.Abort(s.Now, a.cause)
	case OpReset:
		next, err = m.Reset(s.Now)
	case OpInitialize:
		next, out, err = m.Initialize(s.Now)
	case OpOffer:
		if m.Party() == lifecycle.Client {
			next, out, err = m.SetRoots(s.Now, a.roots)
		} else {
			next, out, err = m.SetCatalog(s.Now, a.catalog)
		}
	}
	return next, out, err
}

// String says which step it is, for errors; a transcript has all of it.
func (s *Step) String() string {
	return fmt.Sprintf("%v %s %v %v %s", s.Now.Sub(Origin), s.Op, s.Call, s.Req, s.Text)
}
