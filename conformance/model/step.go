package model

import (
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Step is a verb with its arguments. The functions make new arguments each time, because
// each use overwrites its own.
type Step struct {
	Op       verbs.Op                       // the verb
	Now      time.Time                      // its time
	Text     string                         // of OpReceive: the text of the message
	Call     lifecycle.Call                 // of OpRespond, OpFail, OpFinish, OpProgress, OpAbandon; within, of OpNotify
	Req      lifecycle.Req                  // of OpCancel, OpSendFailed, OpResponseLost, OpPause
	Params   func() protocol.Params         // of OpNotify, OpRequest; nil gives nil
	Result   func() protocol.Result         // of OpRespond, OpFinish; nil gives nil
	Failure  *jsonrpc.Error                 // of OpFail, OpFinish
	Progress func() protocol.ProgressParams // of OpProgress
	Options  lifecycle.RequestOptions       // of OpRequest
	Reason   string                         // of OpCancel
	Paused   bool                           // of OpPause
	NoCause  bool                           // of verbs with a cause: pass nil, not ErrLocal
	Grace    time.Duration                  // of OpShutdown
	Offer    Offer                          // of OpOffer
	connects bool                           // OpInitialize is Connect
	Verdict  client.Verdict                 // of OpInitialize: the known Verdict on the server
}

// ErrLocal is the cause in steps with a cause.
var ErrLocal = errors.New("local cause")

// Apply applies the step and then overwrites every argument.
func (s *Step) Apply(m verbs.Machine) (verbs.Machine, lifecycle.Output, error) {
	return s.Record(nil, m)
}

// Record is Apply, recorded by the Recorder of the session.
func (s *Step) Record(r *transcript.Recorder, m verbs.Machine) (verbs.Machine, lifecycle.Output, error) {
	v := s.verb(m)
	if s.Op == verbs.OpInitialize && s.connects {
		v.Connect = &s.Verdict
	}
	next, out, err := r.Do(m, s.Now, v)
	Scribble(v.Params)
	Scribble(v.Result)
	Scribble(v.Roots)
	Scribble(&v.Progress)
	Scribble(v.Err)
	return next, out, err
}

// verb makes the arguments for one use. It translates the handles to those of m: the step may have been
// drawn for another State of the same session.
func (s *Step) verb(m verbs.Machine) verbs.Verb {
	v := verbs.Verb{Op: s.Op, Call: callOf(m, s.Call), Req: reqOf(m, s.Req), Options: s.Options, Reason: s.Reason, Paused: s.Paused, Grace: s.Grace}
	v.Options.Within, v.Options.Replaces = callOf(m, s.Options.Within), reqOf(m, s.Options.Replaces)
	if !s.NoCause {
		v.Cause = ErrLocal
	}
	switch s.Op {
	case verbs.OpReceive:
		data := []byte(s.Text)
		v.Message, v.Said = jsonrpc.Decode(data), []string{s.Text}
		clear(data)
	case verbs.OpOffer:
		if m.Party() == lifecycle.Client {
			v.Roots = s.Offer.roots()
		} else {
			v.Catalog, v.Said = s.Offer.catalog(), transcript.CatalogOptions(s.Offer.items())
		}
	}
	if s.Params != nil {
		v.Params = s.Params()
	}
	if s.Result != nil {
		v.Result = s.Result()
	}
	if s.Failure != nil {
		failure := *s.Failure
		v.Err = &failure
	}
	if s.Progress != nil {
		v.Progress = s.Progress()
	}
	return v
}

func callOf(m verbs.Machine, c lifecycle.Call) lifecycle.Call {
	if c.IsZero() {
		return c
	}
	return m.Call(c.Seq(), c.Key())
}

func reqOf(m verbs.Machine, r lifecycle.Req) lifecycle.Req {
	if r.IsZero() {
		return r
	}
	return m.Req(r.Seq())
}

// taken is the part of the step that a Ledger reads.
func (s *Step) taken() verbs.Verb {
	return verbs.Verb{Op: s.Op, Message: jsonrpc.DecodeString(s.Text)}
}

// String describes the step, for errors; a transcript has all of it.
func (s *Step) String() string {
	return fmt.Sprintf("%v %s %v %v %s", s.Now.Sub(Origin), s.Op, s.Call, s.Req, s.Text)
}
