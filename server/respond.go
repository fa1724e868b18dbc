package server

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Respond answers a call with a result: the type that fits the method, or Raw. A result that
// violates the outputSchema of its tool is sent as a failed one, with the event LocalViolation.
// Acceptance of a subscription beyond the limit is answered with -32603. Errors: ErrGone (the call
// was answered or cancelled in the meantime, which is not a mistake), ErrParams (the result does
// not fit).
func (s State) Respond(now time.Time, call Call, result protocol.Result) (State, Output, error) {
	var o Output
	reply, err := s.core.Encode(call, result)
	if err != nil {
		return s, o, err
	}
	s.core.Clock(now)
	s.respond(call, &reply, &o)
	return s, o, nil
}

// respond answers an open call with what Encode returned. A subscription begins when the
// application accepts it, not before (RES-039).
func (s *State) respond(call Call, reply *protocol.Encoded, o *Output) {
	row, subject := s.core.Asked(call)
	if row.Setting != protocol.SettingNone && !s.apply(row.Setting, subject) { // other calls have reached the limit since
		_ = s.core.Fail(call, tooManySubscriptions(), o) // cannot fail: the call is open, and the error is valid
		return
	}
	s.outcome(call, row, subject, reply, o)
	s.core.Respond(call, reply, o)
}

// Fail answers a call with an error. Errors: ErrGone, ErrParams (code 0, or data that
// is not JSON).
func (s State) Fail(now time.Time, call Call, e jsonrpc.Error) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if err = t.core.Fail(call, e, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// Notify sends a notification, within a call or, with the zero Call, outside of any. A log message
// below the client's level and an update that the client did not subscribe to are dropped without
// an error. Errors: ErrPhase, ErrCapability, ErrRevision, ErrParams, ErrGone (within is closed).
func (s State) Notify(now time.Time, n protocol.Params, within Call) (t State, o Output, err error) {
	t = s
	t.core.Clock(now)
	if err = t.notify(n, within, &o); err != nil {
		return s, Output{}, err
	}
	return t, o, nil
}

// notify is Notify on the copy of a step. A notification outside of calls goes to the client of the session and to
// clients that listen without one. So does a change that is reported within a call without a session, because it is not
// part of that call (META-207, SUBS-006).
func (s *State) notify(n protocol.Params, within Call, o *Output) error {
	if n != nil && s.core.Open(within) {
		if row := s.core.Under(within).Revision.Row(protocol.MethodName(n)); row != nil && row.Revision().Stateless() && changes(row) {
			within = Call{}
		}
	}
	listened := n != nil && within.IsZero() && s.listens()
	if !listened || s.core.Phase() == protocol.Ready {
		if err := s.core.Notify(n, within, s.wanted, o); err != nil || !listened {
			return err
		}
	}
	return s.tellListeners(n, o)
}

// Finish answers the call of an Answer, from a Job or from a relay. A result that does not fit its method becomes
// -32603, so that the client gets an answer, and Finish returns ErrParams. A result that asks for something that the
// client has not declared becomes -32021, with ErrCapability. Finish is the only verb that returns an error together
// with the next State and an Output to act on. The other error is ErrGone, with the State unchanged.
func (s State) Finish(now time.Time, a Answer) (State, Output, error) {
	if !s.core.Open(a.Call) {
		return s, Output{}, lifecycle.ErrGone
	}
	var o Output
	s.core.Clock(now)
	err := s.finish(a, &o)
	return s, o, err
}

func (s *State) finish(a Answer, o *Output) (err error) {
	if a.Err != nil {
		err = s.core.Fail(a.Call, *a.Err, o)
	} else {
		var reply protocol.Encoded
		if reply, err = s.core.Encode(a.Call, a.Result); err == nil {
			s.respond(a.Call, &reply, o)
		}
	}
	if lacks := engine.Lacking(err); lacks != 0 { // MRTR-007: the client reads what to declare
		_ = s.core.Fail(a.Call, protocol.MissingCapability(lacks), o)
		return err
	}
	return s.core.FailInstead(a.Call, err, o)
}

// subscribed reports whether the client subscribed to the uri or to one above it: a subscribed uri
// that ends with a slash covers what begins with it (resources, Subscriptions; RES-022, RES-023).
// The client is notified only about what its session is offered: a resource that it may read, or a
// part of one. A subscription to a mere prefix reveals nothing about resources that only other
// sessions are offered.
func (s *State) subscribed(uri string) bool {
	if s.feat == nil || s.feat.subs.Len() == 0 {
		return false
	}
	if !s.unknownResource(protocol.SettingNone, uri) {
		return s.feat.subs.Covers(&s.cfg.env, uri, nil)
	}
	return s.feat.subs.Covers(&s.cfg.env, uri, func(sub string) bool {
		return !s.unknownResource(protocol.SettingNone, sub)
	})
}

// wanted reports whether the client wants a notification and may have it. A log message must be
// severe enough (LOG-005).
func (s *State) wanted(under *engine.Profile, row *protocol.Row, info protocol.ParamsInfo) bool {
	switch row.Setting {
	case protocol.SettingLevel:
		severity := int8(protocol.LoggingLevel(info.Subject).Severity())
		passed := severity < 0 && s.core.PassThrough() // the client judges an unknown level
		least := s.minimum()
		if under.Revision.Stateless() { // only what the request asks for
			if under.Level() == "" { // LOG-202; LOG-203: at the level of the request or above
				return false
			}
			least = int8(under.Level().Severity())
		}
		return (passed || severity >= least) && s.core.AllowLog()
	case protocol.SettingSubscribe:
		return s.subscribed(info.Subject)
	}
	return true
}
