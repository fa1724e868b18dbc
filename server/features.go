package server

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// features is what a session has changed of its features. It is never changed, only
// replaced; nil stands for what Config says.
type features struct {
	catalog *Catalog            // replaces that of Config
	subs    engine.URIs         // subscribed uris
	level   int8                // the severity from which on log messages are sent
	leveled bool                // whether the client set it
	changed protocol.Capability // list changes to announce
	due     int64               // when, once the session is ready
}

func (f *features) copy() *features {
	if f == nil {
		return &features{}
	}
	c := *f
	return &c
}

// reset returns what outlives the session: the catalog, which is this side's.
func (f *features) reset() *features {
	if f == nil || f.catalog == nil {
		return nil
	}
	return &features{catalog: f.catalog}
}

// check returns an error if an invariant does not hold. What the client has asked for, it
// has asked for in a session.
func (f *features) check(cfg *config, negotiated bool) error {
	if f == nil {
		return nil
	}
	if !negotiated && (f.leveled || f.subs.Len() > 0) {
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

func (s *State) minimum() int8 {
	if s.feat != nil && s.feat.leveled {
		return s.feat.level
	}
	return s.cfg.level
}

// keep answers what changes the features of the session.
func (s *State) keep(in engine.Intake, m *jsonrpc.Message, o *Output) {
	if !s.apply(in.Row.Method, in.ParamsInfo.Subject) {
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

// apply makes a change of features; false if a limit forbids it.
func (s *State) apply(method protocol.Method, arg string) bool {
	f, ok := s.feat.copy(), true
	switch method {
	case protocol.MethodLoggingSetLevel:
		if level := protocol.LoggingLevel(arg).Severity(); level >= 0 { // else it came through unchecked
			f.level, f.leveled = int8(level), true
		}
	case protocol.MethodResourcesSubscribe:
		f.subs, ok = f.subs.With(&s.cfg.env, arg)
	case protocol.MethodResourcesUnsubscribe:
		f.subs = f.subs.Without(&s.cfg.env, arg)
	}
	s.feat = f
	return ok
}

// changes reports whether requests of the method change the features of the session.
func changes(m protocol.Method) bool {
	return m == protocol.MethodLoggingSetLevel || m == protocol.MethodResourcesSubscribe || m == protocol.MethodResourcesUnsubscribe
}

// subscribed reports whether the client subscribed to the uri or to one above it: a
// subscribed uri that ends at a slash covers what begins with it (resources,
// Subscriptions).
func (s *State) subscribed(uri string) bool {
	return s.feat != nil && s.feat.subs.Covers(&s.cfg.env, uri)
}

func (s *State) has(uri string) bool { return s.feat.subs.Has(&s.cfg.env, uri) }

// wanted reports whether the client wants the notification that was just made.
func (s *State) wanted(o *Output) bool {
	m := &o.Send[len(o.Send)-1].Message
	switch protocol.MethodOf(m.Method) {
	case protocol.MethodLoggingMessage:
		val, _ := rawjson.Get(string(m.Body), "level")
		level, _ := rawjson.Unquote(val)
		severity := int8(protocol.LoggingLevel(level).Severity())
		passed := severity < 0 && s.core.PassThrough() // a level that is none is for the client to judge
		return (passed || severity >= s.minimum()) && s.core.AllowLog()
	case protocol.MethodResourcesUpdated:
		val, _ := rawjson.Get(string(m.Body), "uri")
		uri, _ := rawjson.Unquote(val)
		return s.subscribed(uri)
	}
	return true
}
