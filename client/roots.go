package client

import (
	"iter"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// SetRoots replaces the roots in the machine's answer to roots/list, and announces the
// change if Config declares that and the session is ready (roots page; ROOT-006). Errors:
// ErrCapability (Config has no roots), ErrParams (a root whose uri is not a file uri).
func (s State) SetRoots(now time.Time, roots []protocol.Root) (State, Output, error) {
	var o Output
	if s.cfg == nil || s.cfg.roots == "" {
		return s, o, &lifecycle.OpError{Op: "set roots", Err: lifecycle.ErrCapability, Phase: s.Phase(), Detail: engine.Lacks(protocol.Client, protocol.CapRoots, true)}
	}
	raw, err := encodeRoots(roots)
	if err != nil {
		return s, o, &lifecycle.OpError{Op: "set roots", Err: lifecycle.ErrParams, Phase: s.Phase(), Detail: err}
	}
	changed := raw != s.rootList()
	s.core.Clock(now)
	f := s.feat.copy()
	f.roots = raw
	s.feat = f
	announced := s.core.Negotiated().Capabilities() & s.cfg.env.Caps // empty without a session (ROOT-202)
	if changed && s.core.Phase() == protocol.Ready && announced.Has(protocol.CapRootsListChanged) {
		err = s.core.Notify(protocol.RootsListChangedParams{}, Call{}, nil, &o)
	}
	return s, o, err
}

// Roots returns the roots in the machine's answer to roots/list, from Config or SetRoots;
// nil if it has none.
func (s State) Roots() []protocol.Root {
	if s.cfg == nil || s.cfg.roots == "" {
		return nil
	}
	r, _ := protocol.Decode[protocol.ListRootsResult](s.rootList()) // encoded by encodeRoots
	return r.Roots
}

func (s *State) rootList() jsonrpc.Raw {
	if s.feat != nil && s.feat.roots != "" {
		return s.feat.roots
	}
	return s.cfg.roots
}

// Subscriptions returns the uris whose changes the server has agreed to report, in an
// arbitrary but fixed order (resources, Subscriptions). They end with the session: read
// them before Reset to subscribe again in the next one. At most Limits.Subscriptions are
// remembered.
func (s State) Subscriptions() iter.Seq[string] {
	if s.feat == nil {
		return engine.URIs{}.All()
	}
	return s.feat.subs.All()
}

// remember records a subscription that the server has agreed to, or its end.
func (s *State) remember(what protocol.Setting, uri string) {
	var subs engine.URIs
	if s.feat != nil {
		subs = s.feat.subs
	}
	next := subs
	switch what { // other settings have no uri
	case protocol.SettingSubscribe:
		next, _ = subs.With(&s.cfg.env, uri) // unchanged if the limit is reached
	case protocol.SettingUnsubscribe:
		next = subs.Without(&s.cfg.env, uri)
	}
	if next != subs {
		f := s.feat.copy()
		f.subs = next
		s.feat = f
	}
}

// answerRoots answers the server's roots/list requests in this step's events with the client's roots
// (MRTR-029, ROOT-203).
func (s *State) answerRoots(o *Output) {
	row := s.core.Negotiated().Row(protocol.MethodRootsList)
	if s.cfg.serve.Has(row) {
		return
	}
	var calls []Call
	o.Events = slices.DeleteFunc(o.Events, func(ev Event) bool {
		is := ev.Kind == lifecycle.RequestReceived && ev.Method == protocol.MethodRootsList && !ev.Req.IsZero()
		if is {
			calls = append(calls, ev.Call)
		}
		return is
	})
	for _, call := range calls {
		s.core.Respond(call, &protocol.Encoded{Body: s.rootList()}, o)
	}
}
