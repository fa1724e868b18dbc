package client

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Initialize opens the session: it sends initialize with the newest supported
// revision (lifecycle, Initialization; LIFE-002). Output.Req is its handle; the handshake ends
// with PhaseChanged to ready or to error. Errors: ErrPhase.
func (s State) Initialize(now time.Time) (State, Output, error) {
	var o Output
	if s.cfg == nil {
		return s, o, lifecycle.ErrPhase
	}
	t := s
	t.core.Clock(now)
	if err := t.core.Send(t.cfg.hello, RequestOptions{}, &o); err != nil {
		return s, Output{}, err
	}
	t.core.Begin(nil, nil, &o)
	return t, o, nil
}

// Receive takes a decoded message in. It is total: whatever arrived, it returns the
// State after exactly the events of the Output.
func (s State) Receive(now time.Time, m jsonrpc.Message) (_ State, o Output) {
	s.core.Clock(now)
	s.receive(&m, &o)
	return s, o
}

func (s *State) receive(m *jsonrpc.Message, o *Output) {
	o.Fate = lifecycle.FateRefused
	if !s.core.Listening() {
		return
	}
	if m.Kind == jsonrpc.KindBatch {
		s.core.Each(m, o, func(one jsonrpc.Message) { s.one(&one, o) })
		return
	}
	s.one(m, o)
}

func (s *State) one(m *jsonrpc.Message, o *Output) {
	var in engine.Intake
	s.core.Receive(m, &in, o)
	switch in.Verdict {
	case engine.Request:
		if in.Row.Method == protocol.MethodRootsList && !s.cfg.serve.Has(in.Row) {
			engine.Reply(m, s.core.Downgrade(in.Row, protocol.BodyResult, s.rootList(), o.Opened, Req{}, o), o)
			return
		}
		s.core.Enter(&in, m, o)
	case engine.Notification:
		engine.Deliver(m, o)
	case engine.Handshake:
		s.handshake(m, o)
	case engine.Answered:
		s.remember(in.Row.Setting, in.Subject)
	}
}

// handshake deals with the answer to initialize (lifecycle, Initialization and
// Version Negotiation).
func (s *State) handshake(m *jsonrpc.Message, o *Output) {
	var r protocol.InitializeResult
	var invalid *Cause
	switch {
	case m.Kind == jsonrpc.KindInvalid:
		invalid = &Cause{Kind: lifecycle.CauseInvalidResponse, Reason: m.Fault.String(), RPC: m.Err}
	case m.Kind == jsonrpc.KindResult:
		if err := r.DecodeJSON(m.Body, m.Span); err != nil {
			engine.Violation("LIFE-017", m, o)
			rest, _, ok := s.cfg.env.Revisions[0].Row(s.cfg.hello.Name).DropInvalidItems(m.Body)
			if !ok || r.DecodeJSON(rest, jsonrpc.Span{}) != nil {
				invalid = &Cause{Kind: lifecycle.CauseInvalidResponse, Err: err}
				break
			}
			m.Body, m.Span = rest, jsonrpc.Span{} // an odd member costs that member, and not the session
		}
	}
	s.core.TakeInitialize(m, invalid, o)
	if s.core.Phase() != protocol.Initializing {
		return // too late: the session is shutting down
	}
	if cause := s.refuse(m, &r, invalid); cause != nil {
		s.core.FailHandshake(cause, o)
		return
	}
	rev, _ := protocol.Negotiate(r.ProtocolVersion, s.cfg.env.Revisions)
	s.core.Establish(s.cfg.env.Negotiated(rev, r.Capabilities.Set(), r.ServerInfo), m, o)
	// LIFE-006, LIFE-007: before anything else; LIFE-008: and here alone.
	s.core.SendInitialized(o)
}

// refuse returns why the answer to initialize does not open a session.
func (s *State) refuse(m *jsonrpc.Message, r *protocol.InitializeResult, invalid *Cause) *Cause {
	if invalid != nil {
		return invalid
	}
	// VERS-012
	if m.Err != nil {
		return &Cause{Kind: lifecycle.CauseRefused, RPC: m.Err}
	}
	// VERS-006, VERS-007; VERS-008: any of them will do.
	if _, ok := protocol.Negotiate(r.ProtocolVersion, s.cfg.env.Revisions); !ok {
		return &Cause{Kind: lifecycle.CauseUnsupportedRevision, Reason: r.ProtocolVersion}
	}
	// LIFE-030
	if lacks := s.cfg.require &^ r.Capabilities.Set(); lacks != 0 {
		return &Cause{Kind: lifecycle.CauseMissingCapability, Reason: lacks.String()}
	}
	return nil
}
