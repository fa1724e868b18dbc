package client

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Respond answers a call with a result: the type that fits the method, or Raw. A user's
// input must fit the form that the server sent; content is omitted unless the action is
// accept (elicitation, Response Actions). Errors: ErrGone (the call was already answered or
// cancelled, which can happen in normal use), ErrParams (the result does not fit),
// ErrRevision (the revision has no such result).
func (s State) Respond(now time.Time, call Call, result protocol.Result) (State, Output, error) {
	var o Output
	reply, err := s.core.Encode(call, result)
	if err != nil {
		return s, o, err
	}
	s.core.Clock(now)
	s.core.Respond(call, &reply, &o)
	return s, o, nil
}

// Fail answers a call with an error; use protocol.CodeUserRejected for a sampling request
// that the user declined. Errors: ErrGone, ErrParams (code 0, or data that is not JSON).
func (s State) Fail(now time.Time, call Call, e jsonrpc.Error) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if err = t.core.Fail(call, e, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Notify sends a notification that belongs to the call within, or to none if within is
// the zero Call. Errors: ErrPhase, ErrCapability, ErrRevision, ErrParams, ErrGone (within
// is closed).
func (s State) Notify(now time.Time, n protocol.Params, within Call) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if err = t.core.Notify(n, within, nil, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Finish answers a call with an Answer, such as one that a relay received. If the result does not fit its
// method, the server gets -32603 and Finish returns ErrParams or ErrRevision, with a new State and an
// Output to act on; no other method returns both. Other errors: ErrGone, with the State unchanged.
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
			s.core.Respond(a.Call, &reply, &o)
		}
	}
	err = s.core.FailInstead(a.Call, err, &o)
	return s, o, err
}
