package server

import (
	"iter"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// Subscriptions without a session (subscriptions page): a request that is open as long as the client
// listens. The machine holds it, and all that is known of a subscription is kept with it, so that
// nothing is left once it has ended (SUBS-019).

// filter is what a subscription gets, as text: a line for each list, which has the method that tells of
// its changes, and one for each uri.
type filter string

// newFilter returns what a server that declares caps honours of what a client asks for, and that as the
// client is told it. Uris that cannot be those of a resource, and repeated ones, are left out.
func newFilter(want protocol.SubscriptionFilter, caps protocol.Capability) (filter, protocol.SubscriptionFilter) {
	changes := want.Changes() & caps
	got := protocol.FilterOf(changes)
	if caps.Has(protocol.CapResourcesSubscribe) {
		seen := map[string]bool{} // a filter may name very many
		for _, uri := range want.ResourceSubscriptions {
			if !seen[uri] && protocol.ValidURI(uri) {
				seen[uri] = true
				got.ResourceSubscriptions = append(got.ResourceSubscriptions, uri)
			}
		}
	}
	text := ""
	for _, l := range protocol.Lists() {
		if changes.Has(l.Change) {
			changes &^= l.Change // which two lists may have in common
			text += l.Changed + "\n"
		}
	}
	return filter("\n" + text + strings.Join(append(got.ResourceSubscriptions, ""), "\n")), got
}

// has reports whether the subscription is to a list, by the notification of its changes.
func (f filter) has(changed string) bool { return strings.Contains(string(f), "\n"+changed+"\n") }

// covers reports whether the subscription is to the uri or to one above it (SUBS-023).
func (f filter) covers(uri string) bool {
	for line := range strings.SplitSeq(string(f), "\n") {
		if line != "" && (line == uri || line[len(line)-1] == '/' && strings.HasPrefix(uri, line)) {
			return true
		}
	}
	return false
}

// maxListens is the share of the open requests of a connection that may be subscriptions: one in
// four, so that they never keep calls out (SUBS-020).
const maxListens = 4

// listen opens a subscription and acknowledges it (SUBS-002).
func (s *State) listen(in *engine.Intake, m *jsonrpc.Message, o *Output) {
	p, _ := protocol.Decode[protocol.ListenParams](m.Body) // checked before
	open := 0
	for range s.core.Held() {
		open++
	}
	caps := s.cfg.env.Caps
	if s.catalog().asks {
		caps &^= protocol.CapResourcesSubscribe // a function has to agree, and none can be asked here
	}
	f, got := newFilter(p.Notifications, caps)
	limits := &s.cfg.env.Limits
	if open >= max(limits.Inbound/maxListens, 1) || len(got.ResourceSubscriptions) > limits.Subscriptions || len(f) > limits.Schema {
		engine.ReplyError(m, tooManySubscriptions(), o)
		engine.Violation("ERR-013", m, o)
		return
	}
	in.Held, in.Subject, in.Info.Meta = true, string(f), "" // no progress of it (SUBS-022)
	s.core.Hold(in, m, o.Opened)
	o.Fate = lifecycle.FateAccepted
	raw, _ := protocol.EncodeParams(protocol.AcknowledgedParams{Notifications: got}) // what came is valid
	s.core.Tell(o.Opened, protocol.MethodAcknowledged, raw, o)
}

// Listens iterates over the subscriptions of clients without a session and their filters. They end with
// their calls.
func (s State) Listens() iter.Seq2[Call, protocol.SubscriptionFilter] {
	return func(yield func(Call, protocol.SubscriptionFilter) bool) {
		if s.cfg == nil {
			return
		}
		for call, text := range s.core.Held() {
			if !yield(call, filter(text).read()) {
				return
			}
		}
	}
}

// read returns the filter as the client is told it.
func (f filter) read() protocol.SubscriptionFilter {
	var changes protocol.Capability
	var uris []string
	for line := range strings.SplitSeq(strings.Trim(string(f), "\n"), "\n") {
		if at := slices.IndexFunc(protocol.Lists(), func(l *protocol.List) bool { return l.Changed == line }); at >= 0 {
			changes |= protocol.Lists()[at].Change
		} else if line != "" {
			uris = append(uris, line)
		}
	}
	p := protocol.FilterOf(changes)
	p.ResourceSubscriptions = uris
	return p
}

// listens reports whether somebody listens without a session.
func (s *State) listens() bool {
	for range s.core.Held() {
		return true
	}
	return false
}

// changes reports whether a notification tells that something has changed, which subscriptions are to.
func changes(row *protocol.Row) bool {
	return row.Notification && (row.Lists != nil || row.Setting == protocol.SettingSubscribe)
}

// tellListeners sends a notification to the subscriptions that asked for it (SUBS-004, SUBS-006, RES-203): that a list
// has changed, or a resource that the server offers. Errors: ErrParams.
func (s *State) tellListeners(n protocol.Params, o *Output) error {
	if !s.listens() {
		return nil
	}
	row := s.cfg.env.Stateless[0].Row(protocol.MethodName(n))
	if row == nil || !changes(row) {
		return nil // which belongs to a request
	}
	ready, err := row.PrepareParams(n, protocol.Encoding{})
	if err != nil {
		return &lifecycle.OpError{Op: "notify", Err: lifecycle.ErrParams, Method: row.Method, Phase: s.core.Phase(), Detail: err}
	}
	uri := ready.Info.Subject
	if row.Lists == nil && s.unknownResource(protocol.SettingNone, uri) {
		return nil
	}
	for call, text := range s.core.Held() {
		if f := filter(text); row.Lists != nil && f.has(row.Method) || row.Lists == nil && f.covers(uri) {
			s.core.Tell(call, row.Method, ready.Body(), o)
		}
	}
	return nil
}
