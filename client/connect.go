package client

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Initialize opens the session: it sends initialize with the newest supported revision (lifecycle,
// Initialization; LIFE-002). Output.Req is its handle; the handshake ends with PhaseChanged to ready or
// to error. Errors: ErrPhase; ErrRevision if no revision of Config has a handshake.
func (s State) Initialize(now time.Time) (State, Output, error) {
	var o Output
	if s.cfg == nil {
		return s, o, lifecycle.ErrPhase
	}
	if none := len(s.cfg.env.Revisions) == 0; none || s.core.Phase() != protocol.Uninitialized {
		kind := lifecycle.ErrPhase
		if none {
			kind = lifecycle.ErrRevision
		}
		return s, o, &lifecycle.OpError{Op: "initialize", Err: kind, Method: protocol.MethodInitialize, Phase: s.Phase()}
	}
	t := s
	t.core.Clock(now)
	err := t.core.Send(t.cfg.env.Hello, RequestOptions{}, &o)
	return s.opening(t, o, err)
}

// opening returns the result of the first request of a connection: t, or s if it was not sent.
func (s State) opening(t State, o Output, err error) (State, Output, error) {
	if err != nil {
		return s, Output{}, err
	}
	t.core.Begin(nil, nil, &o)
	return t, o, nil
}

// Connect opens the connection to a server with or without sessions. It sends server/discover, and then
// initialize if the answer is not one of a server without sessions: another error, an invalid result, or none
// within Timeouts.Probe. The handshake ends with PhaseChanged to ready or to error, as with Initialize. With
// the Verdict of an earlier connection no probe is sent: a server without sessions is ready at once, and
// Output.Req is zero. The State shares the text of prior. If every revision of Config has a handshake,
// Connect is Initialize. Errors: ErrPhase; ErrParams if prior is not a Verdict.
func (s State) Connect(now time.Time, prior Verdict) (State, Output, error) {
	if s.cfg == nil {
		return s, Output{}, lifecycle.ErrPhase
	}
	dual := len(s.cfg.env.Revisions) > 0
	if len(s.cfg.env.Stateless) == 0 || prior == NeedsHandshake && dual {
		return s.Initialize(now)
	}
	if s.core.Phase() != protocol.Uninitialized {
		return s, Output{}, s.notConnected(lifecycle.ErrPhase, nil)
	}
	var o Output
	t := s
	t.core.Clock(now)
	if prior != "" && prior != NeedsHandshake {
		next, o, err := t.known(prior)
		if err != nil {
			return s, Output{}, err // s as it was, with its clock
		}
		return next, o, nil
	}
	err := t.core.Probe(t.cfg.env.Stateless[0], t.cfg.env.Timeouts.Probe, &o)
	return s.opening(t, o, err)
}

// notConnected returns the error of Connect.
func (s State) notConnected(kind, detail error) error {
	return &lifecycle.OpError{Op: "connect", Err: kind, Method: protocol.MethodDiscover, Phase: s.Phase(), Detail: detail}
}

// known opens the connection to a server whose Verdict is known.
func (s State) known(prior Verdict) (State, Output, error) {
	var o Output
	r, err := protocol.Decode[protocol.DiscoverResult](protocol.Raw(prior))
	if err != nil {
		return s, o, s.notConnected(lifecycle.ErrParams, err)
	}
	s.core.Begin(nil, nil, &o)
	m := jsonrpc.Message{Kind: jsonrpc.KindResult, Body: jsonrpc.Raw(prior)}
	s.establish(&r, &m, prior, &o)
	return s, o, nil
}

// Verdict returns what is known of the server, for Connect to the same server later; "" if nothing
// is known, or if the server's description is longer than Limits.Schema.
func (s State) Verdict() Verdict {
	switch {
	case s.cfg == nil || s.core.Negotiated().IsZero():
		return ""
	case s.core.Negotiated().Handshake():
		return NeedsHandshake
	case s.feat == nil:
		return ""
	}
	return s.feat.verdict
}
