package client

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Respond answers a call with a result: the type of the method, or Raw. The input of a user must
// match the form of the server, and content without accept is dropped (elicitation, Response
// Actions). Errors: ErrGone (the call was answered or cancelled in the meantime, which is normal),
// ErrParams (the result is invalid), ErrRevision (the revision has no such result).
func (s State) Respond(now time.Time, call Call, result protocol.Result) (State, Output, error) {
	var o Output
	reply, err := s.core.Encode(call, result)
	if err != nil {
		return s, o, err
	}
	s.core.Clock(now)
	s.core.Respond(call, reply, &o)
	return s, o, nil
}

// Fail answers a call with an error; protocol.CodeUserRejected is the one for a
// sampling request that the user declined. Errors: ErrGone, ErrParams (code 0, or data
// that is not JSON).
func (s State) Fail(now time.Time, call Call, e jsonrpc.Error) (State, Output, error) {
	var o Output
	t := s
	t.core.Clock(now)
	if err := t.core.Fail(call, e, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Notify sends a notification, within a call or, with the zero Call, outside of any.
// Errors: ErrPhase, ErrCapability, ErrRevision, ErrParams, ErrGone (within is closed).
func (s State) Notify(now time.Time, n protocol.Params, within Call) (State, Output, error) {
	var o Output
	t := s
	t.core.Clock(now)
	if err := t.core.Notify(n, within, nil, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Finish answers the call of an Answer, such as a forwarded one. An invalid result becomes -32603, so that
// the server gets an answer, and Finish returns ErrParams or ErrRevision. It is the only verb that returns
// an error together with the next State and an Output to act on. Other errors: ErrGone, with the unchanged
// State.
func (s State) Finish(now time.Time, a Answer) (State, Output, error) {
	var o Output
	if !s.core.Open(a.Call) {
		return s, o, lifecycle.ErrGone
	}
	s.core.Clock(now)
	var err error
	if a.Err != nil {
		err = s.core.Fail(a.Call, *a.Err, &o)
	} else {
		var reply protocol.Encoded
		if reply, err = s.core.Encode(a.Call, a.Result); err == nil {
			s.core.Respond(a.Call, reply, &o)
		}
	}
	err = s.core.FailInstead(a.Call, err, &o)
	return s, o, err
}
