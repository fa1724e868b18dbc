package server

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// features is what a session has changed of its features. It is never changed, only
// replaced; nil stands for what Config says.
type features struct {
	catalog *Catalog            // replaces that of Config
	subs    table.Table[string] // subscribed uris, by hash
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

func (f *features) check(cfg *config) error {
	if f == nil {
		return nil
	}
	if f.subs.Len() > cfg.maxSubs {
		return errors.New("server: too many subscriptions")
	}
	return f.subs.Check()
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

func (s *State) uriKey(uri string) uint64 { return engine.Hash(s.cfg.env.Hash, 'u', uri) }

// keep answers what changes the features of the session.
func (s *State) keep(in engine.Intake, m *jsonrpc.Message, o *Output) {
	if !s.apply(in.Row.Method, in.Gist.Subject) {
		engine.Refuse(m, tooManySubscriptions(), o)
		return
	}
	engine.Reply(m, "{}", o)
}

func tooManySubscriptions() jsonrpc.Error { return protocol.InternalError("too many subscriptions") }

// full reports whether the limit forbids to subscribe to one more uri.
func (s *State) full(uri string) bool {
	return s.feat != nil && s.feat.subs.Len() >= s.cfg.maxSubs && !s.has(uri)
}

// apply makes a change of features; false if a limit forbids it.
func (s *State) apply(method protocol.Method, arg string) bool {
	f := s.feat.copy()
	switch method {
	case protocol.MethodLoggingSetLevel:
		f.level, f.leveled = int8(protocol.LoggingLevel(arg).Severity()), true
	case protocol.MethodResourcesSubscribe:
		key := s.uriKey(arg)
		if leaf := f.subs.Get(key); leaf != nil {
			return leaf.V == arg
		}
		if f.subs.Len() >= s.cfg.maxSubs {
			return false
		}
		f.subs = f.subs.Put(key, table.Never, strings.Clone(arg))
	case protocol.MethodResourcesUnsubscribe:
		if leaf := f.subs.Get(s.uriKey(arg)); leaf != nil && leaf.V == arg {
			f.subs, _ = f.subs.Delete(leaf.Key)
		}
	}
	s.feat = f
	return true
}

// answered makes the change of features that the application has just agreed to; false if
// a limit forbids it, which other calls have reached since this one came in.
func (s *State) answered(call Call) bool {
	method, arg := s.core.Asked(call)
	return !changes(method) || s.apply(method, arg)
}

// changes reports whether requests of the method change the features of the session.
func changes(m protocol.Method) bool {
	return m == protocol.MethodLoggingSetLevel || m == protocol.MethodResourcesSubscribe || m == protocol.MethodResourcesUnsubscribe
}

// subscribed reports whether the client subscribed to the uri or to one above it: a
// subscribed uri that ends at a slash covers what begins with it (resources,
// Subscriptions).
func (s *State) subscribed(uri string) bool {
	if s.feat == nil || s.feat.subs.Len() == 0 {
		return false
	}
	for i := range min(len(uri), s.cfg.env.Limits.Text) { // no subscription is longer
		if uri[i] == '/' && s.has(uri[:i+1]) {
			return true
		}
	}
	return s.has(uri)
}

func (s *State) has(uri string) bool {
	leaf := s.feat.subs.Get(s.uriKey(uri))
	return leaf != nil && leaf.V == uri
}

// wanted reports whether the client wants the notification that was just made.
func (s *State) wanted(o *Output) bool {
	m := &o.Send[len(o.Send)-1].Message
	switch protocol.MethodOf(m.Method) {
	case protocol.MethodLoggingMessage:
		val, _ := rawjson.Get(string(m.Body), "level")
		level, _ := rawjson.Unquote(val)
		return int8(protocol.LoggingLevel(level).Severity()) >= s.minimum() && s.core.AllowLog()
	case protocol.MethodResourcesUpdated:
		val, _ := rawjson.Get(string(m.Body), "uri")
		uri, _ := rawjson.Unquote(val)
		return s.subscribed(uri)
	}
	return true
}
