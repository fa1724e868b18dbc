package server

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// features is what a session has changed of its features. It is never changed, only
// replaced; nil stands for what Config says.
type features struct {
	catalog *Catalog            // replaces that of Config
	subs    engine.URIs         // subscribed uris
	changed protocol.Capability // list changes to announce
	due     int64               // when, once the session is ready
	// since is the version of the catalog in a snapshot, where that of Restore is another one;
	// before are the changes of before that. The next SetCatalog counts from there.
	since  string
	before protocol.Capability
}

func (f *features) copy() *features {
	if f == nil {
		return &features{}
	}
	c := *f
	return &c
}

// reset returns what outlives the session: the catalog, which is this side's (RES-026).
func (f *features) reset() *features {
	if f == nil || f.catalog == nil {
		return nil
	}
	return &features{catalog: f.catalog}
}

// check returns an error if an invariant does not hold: there are subscriptions only where
// something was negotiated.
func (f *features) check(cfg *config, negotiated bool) error {
	if f == nil {
		return nil
	}
	if !negotiated && f.subs.Len() > 0 {
		return errors.New("server: a client is served that nothing was negotiated with")
	}
	return f.subs.Check(&cfg.env)
}

func (s *State) catalog() *Catalog {
	if s.feat != nil && s.feat.catalog != nil {
		return s.feat.catalog
	}
	return s.cfg.catalog
}

// minimum returns the severity from which on log messages are sent. It is that of Config until
// the client sets one (LOG-008).
func (s *State) minimum() int8 {
	if level := s.core.Profile().Level(); level != "" {
		return int8(level.Severity())
	}
	return s.cfg.level
}

// set answers what changes a setting of the session (LOG-004, RES-018).
func (s *State) set(in *engine.Intake, m *jsonrpc.Message, o *Output) {
	if !s.apply(in.Row.Setting, in.Subject) {
		engine.ReplyError(m, tooManySubscriptions(), o)
		return
	}
	engine.Reply(m, "{}", o)
}

func tooManySubscriptions() jsonrpc.Error { return protocol.InternalError("too many subscriptions") }

// full reports whether the limit forbids to subscribe to one more uri.
func (s *State) full(uri string) bool {
	return s.feat != nil && s.feat.subs.Full(&s.cfg.env) && !s.has(uri)
}

// apply changes a setting; false if a limit forbids it (LOG-007, RES-024).
func (s *State) apply(what protocol.Setting, subject string) bool {
	if what == protocol.SettingLevel {
		if level := protocol.LoggingLevel(subject); level.Valid() { // else it came through unchecked
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

// subscribed reports whether the client subscribed to the uri or to one above it: a
// subscribed uri that ends at a slash covers what begins with it (resources, Subscriptions;
// RES-022, RES-023). The client hears only of what the session is offered: of a resource that it may
// read, or of a part of one. A subscription to what uris merely begin with tells nothing of those
// that only other sessions are offered.
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

func (s *State) has(uri string) bool { return s.feat.subs.Has(&s.cfg.env, uri) }

// wanted reports whether the client wants a notification, and may have it. A log message has to be
// severe enough (LOG-005).
func (s *State) wanted(row *protocol.Row, info protocol.ParamsInfo) bool {
	switch row.Setting {
	case protocol.SettingLevel:
		severity := int8(protocol.LoggingLevel(info.Subject).Severity())
		passed := severity < 0 && s.core.PassThrough() // a level that is none is for the client to judge
		return (passed || severity >= s.minimum()) && s.core.AllowLog()
	case protocol.SettingSubscribe:
		return s.subscribed(info.Subject)
	}
	return true
}
