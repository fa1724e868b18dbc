package server

import (
	"iter"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// minimum returns the severity of the least severe log messages that are sent: that of Config until
// the client sets one (LOG-008).
func (s *State) minimum() int8 {
	if level := s.core.Profile().Level(); level != "" {
		return int8(level.Severity())
	}
	return s.cfg.level
}

// set answers a request that changes a setting of the session (LOG-004, RES-018).
func (s *State) set(in *engine.Intake, m *jsonrpc.Message, o *Output) {
	if !s.apply(in.Row.Setting, in.Subject) {
		engine.ReplyError(m, tooManySubscriptions(), o)
		return
	}
	engine.Reply(m, "{}", o)
}

func tooManySubscriptions() jsonrpc.Error { return protocol.InternalError("too many subscriptions") }

// full reports whether the limit forbids a subscription to one more uri.
func (s *State) full(uri string) bool {
	return s.feat != nil && s.feat.subs.Full(&s.cfg.env) && !s.has(uri)
}

// apply changes a setting; false if a limit forbids it (LOG-007, RES-024).
func (s *State) apply(what protocol.Setting, subject string) bool {
	if what == protocol.SettingLevel {
		if level := protocol.LoggingLevel(subject); level.Valid() { // otherwise it came through unchecked
			s.core.SetLevel(level)
		}
		return true
	}
	f, ok := s.feat.copy(), true
	if what == protocol.SettingSubscribe {
		f.subs, ok = f.subs.With(&s.cfg.env, subject)
	} else {
		f.subs = f.subs.Without(&s.cfg.env, subject)
	}
	s.feat = f
	return ok
}

// Subscriptions returns the uris that the client of a session has subscribed to, in no particular
// order.
func (s State) Subscriptions() iter.Seq[string] {
	if s.feat == nil {
		return func(func(string) bool) {}
	}
	return s.feat.subs.All()
}

func (s *State) has(uri string) bool { return s.feat.subs.Has(&s.cfg.env, uri) }
