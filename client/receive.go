package client

import (
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Receive handles a decoded message from the server. It is total: it accepts every
// message and returns the State after exactly the events of the Output.
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
	case engine.Done:
		s.late(m)
	case engine.Request:
		if in.Row.Method == protocol.MethodRootsList && !s.cfg.serve.Has(in.Row) {
			engine.Reply(m, s.core.Downgrade(in.Row, protocol.BodyResult, s.rootList(), o.Opened, Req{}, o), o)
			return
		}
		s.core.Enter(&in, m, o)
	case engine.Notification:
		s.core.Deliver(m, o)
	case engine.Handshake:
		if in.Row.Wait == protocol.WaitProbe {
			s.discovered(in.Row.Revision(), m, o)
		} else {
			s.handshake(m, o)
		}
	case engine.Questioned:
		s.answerRoots(o)
	case engine.Answered:
		s.remember(in.Row.Setting, in.Subject)
	}
}
