package server

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Receive handles a decoded message. It accepts any message, and returns the State after exactly
// the events of the Output.
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
	sent := len(o.Send)
	s.core.Receive(m, &in, o)
	s.take(&in, m, o)
	s.core.Conform(&in, sent, o)
}

// take does what is left of a message that the engine has taken in.
func (s *State) take(in *engine.Intake, m *jsonrpc.Message, o *Output) {
	switch in.Verdict {
	case engine.Request:
		s.request(in, m, o)
	case engine.Notification:
		if in.Row.Method == protocol.MethodInitialized {
			// LIFE-012
			s.core.Establish(nil, nil, o)
			s.announce(o)
			return
		}
		s.core.Deliver(m, o)
	}
}

// request answers what Config can answer and gives the rest to the application.
func (s *State) request(in *engine.Intake, m *jsonrpc.Message, o *Output) {
	row := in.Row
	switch {
	case row.Method == protocol.MethodInitialize:
		s.initialize(m, o)
	case row.Wait == protocol.WaitProbe:
		s.discover(row, m, o)
	case row.Wait == protocol.WaitListen:
		s.listen(in, m, o)
	case !s.admit(in, m, o):
	case row.Custom() || s.cfg.serve.Has(row), row.Setting == protocol.SettingSubscribe && s.catalog().asks:
		s.core.Enter(in, m, o)
	case row.Lists != nil:
		s.list(row, m, o)
	case row.Setting != protocol.SettingNone:
		s.set(in, m, o)
	default:
		engine.ReplyError(m, protocol.MethodNotFound(), o)
	}
}

// initialize answers the handshake (lifecycle, Initialization).
func (s *State) initialize(m *jsonrpc.Message, o *Output) {
	var p protocol.InitializeParams
	if p.DecodeJSON(m.Body, m.Span) != nil { // checked before
		engine.ReplyError(m, protocol.InvalidParams("invalid params"), o)
		return
	}
	rev, exact := protocol.Negotiate(p.ProtocolVersion, s.cfg.env.Revisions)
	if !exact && s.cfg.env.Policy.StrictVersion {
		engine.ReplyError(m, protocol.UnsupportedRevision(s.cfg.env.Revisions, p.ProtocolVersion), o)
		return
	}
	for i, r := range s.cfg.env.Revisions {
		if r == rev {
			engine.Reply(m, s.cfg.hello[i].body, o)
			if s.cfg.hello[i].lossy {
				engine.Downgraded(protocol.MethodInitialize, rev, o.Opened, Req{}, o)
			}
		}
	}
	s.core.Begin(s.cfg.env.Negotiated(rev, p.Capabilities.Set(), p.ClientInfo, ""), m, o) // VERS-103: its rules hold from here on
}

// discover says what the server is to a client without a session (DISC-001).
func (s *State) discover(row *protocol.Row, m *jsonrpc.Message, o *Output) {
	found := s.cfg.found[slices.Index(s.cfg.env.Stateless, row.Revision())]
	engine.Reply(m, found.body, o)
	if found.lossy {
		engine.Downgraded(row.Method, row.Revision(), o.Opened, Req{}, o)
	}
}

// list answers a list request from the catalog.
func (s *State) list(row *protocol.Row, m *jsonrpc.Message, o *Output) {
	l := s.catalog().list(row.Lists)
	body, ok := l.page(row.Lists.Member, m)
	if !ok {
		engine.ReplyError(m, protocol.InvalidParams("invalid cursor"), o)
		return
	}
	if l.nulls && !s.cfg.env.Policy.KeepNulls && !s.core.PassThrough() { // else there are none, or they stay
		body = row.WithoutNulls(protocol.BodyResult, body)
	}
	if slices.Contains(l.trims, row.Revision()) { // else it has all, and pages can be long
		body = s.core.Downgrade(row, protocol.BodyResult, body, o.Opened, Req{}, o)
	}
	if row.Revision().Stateless() {
		body = l.cache.Put(body)
	}
	engine.Reply(m, body, o)
}
