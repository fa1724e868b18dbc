package model

import (
	"maps"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// filter is what a subscription without a session is told of.
type filter struct {
	lists []string // tools, prompts, resources
	uris  []string
}

// filterOf returns what a server that declares caps honours of what was asked for.
func filterOf(asked map[string]any, caps []string) (f filter) {
	for _, list := range []string{"tools", "prompts", "resources"} {
		if asked[list+"ListChanged"] == true && slices.Contains(caps, list+".listChanged") {
			f.lists = append(f.lists, list)
		}
	}
	if uris, _ := asked["resourceSubscriptions"].([]any); slices.Contains(caps, "resources.subscribe") {
		for _, v := range uris {
			if u := v.(string); isURI(u) && !slices.Contains(f.uris, u) {
				f.uris = append(f.uris, u)
			}
		}
	}
	return f
}

// object returns the filter as the client is told it.
func (f *filter) object() map[string]any {
	o := map[string]any{}
	for _, list := range f.lists {
		o[list+"ListChanged"] = true
	}
	for _, u := range f.uris {
		list, _ := o["resourceSubscriptions"].([]any)
		o["resourceSubscriptions"] = append(list, u)
	}
	return o
}

// wants reports whether the subscription is to be told.
func (f *filter) wants(method, uri string) bool {
	if method == "notifications/resources/updated" {
		return slices.ContainsFunc(f.uris, func(u string) bool { return u == uri || strings.HasSuffix(u, "/") && strings.HasPrefix(uri, u) })
	}
	return slices.ContainsFunc(f.lists, func(l string) bool { return method == "notifications/"+l+"/list_changed" })
}

// listen opens a subscription.
func (n *Naive) listen(m *jsonrpc.Message, x *Expect) {
	params, _ := members(string(m.Body))
	f := filterOf(params["notifications"].(map[string]any), n.caps)
	open := 0
	for _, c := range n.calls {
		if c.filter != nil {
			open++
		}
	}
	if open >= max(n.set.Limits.Inbound/4, 1) || len(f.uris) > n.set.Limits.Subscriptions {
		n.reply(m, jsonrpc.CodeInternalError, nil, x)
		x.blame("ERR-013", m)
		return
	}
	c := call{seq: x.Opened, id: m.ID, under: &profile{n.own.caps, -1}, filter: &f, deadline: never, method: m.Method, params: string(m.Body), spelled: string(m.ID.Append(nil))}
	if text := m.Spelling(); text != "" {
		c.spelled = string(text)
	}
	n.calls = append(n.calls, c)
	x.Send = append(x.Send, c.tell("notifications/subscriptions/acknowledged", map[string]any{"notifications": f.object()}))
}

// tell is a notification of a subscription, which names it.
func (c *call) tell(method string, body map[string]any) Sent {
	meta, _ := body["_meta"].(map[string]any)
	meta = maps.Clone(meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta[metaKey+"subscriptionId"], _ = parse(c.spelled)
	body = maps.Clone(body)
	body["_meta"] = meta
	return Sent{Kind: jsonrpc.KindNotification, Method: method, Body: body, Call: c.seq}
}

// listens reports whether somebody listens without a session.
func (n *Naive) listens() bool {
	return slices.ContainsFunc(n.calls, func(c call) bool { return c.filter != nil })
}

// hearing reports whether somebody is to be told of changes now.
func (n *Naive) hearing() bool { return n.phase == lifecycle.Ready || n.listens() }

// tellListeners sends a notification to those that asked for it.
func (n *Naive) tellListeners(method string, body map[string]any, x *Expect) {
	uri, _ := body["uri"].(string)
	for _, c := range n.calls {
		if c.filter != nil && c.filter.wants(method, uri) {
			x.Send = append(x.Send, c.tell(method, body))
		}
	}
}

// endListens ends all subscriptions, so that they hold up no end.
func (n *Naive) endListens(x *Expect) {
	for i := 0; i < len(n.calls); {
		if n.calls[i].filter == nil {
			i++
			continue
		}
		c := n.calls[i]
		id, _ := parse(c.spelled)
		n.over(i)
		answer := Sent{Kind: jsonrpc.KindResult, ID: c.id, Call: c.seq, Final: true, Body: map[string]any{"_meta": map[string]any{metaKey + "subscriptionId": id}}}
		n.as(c.under, func() { n.stamp(&answer, c.method) })
		x.Send = append(x.Send, answer)
		x.Ended = append(x.Ended, c.seq)
	}
}

// notifies sends a notification: within a call, or to the session and to those that listen
// without one.
func (n *Naive) notifies(s *Step, x *Expect) {
	under := n.profileOf(s.Call)
	if under != nil && s.Params != nil && changing(s.Params().Method()) {
		outside := *s // what changes is no part of a call without a session
		outside.Call, under = lifecycle.Call{}, nil
		s = &outside
	}
	listened := s.Params != nil && s.Call.IsZero() && n.listens()
	if !listened || n.phase == lifecycle.Ready {
		n.as(under, func() { n.notify(s, x) })
		if len(x.Errs) > 0 || !listened {
			return
		}
	}
	p := s.Params()
	name, text := p.Method(), string(p.AppendJSON(nil))
	changes := changing(name)
	switch params, ok := members(text); {
	case !changes:
	case !ok || !fits(paramShapes[name], text, false):
		x.Errs = []error{lifecycle.ErrParams}
	case name == "notifications/resources/updated" && n.unknownURI("resources/read", str(text, "uri")):
	default:
		n.unset(paramShapes[name], params, false)
		n.tellListeners(name, params, x)
	}
}
