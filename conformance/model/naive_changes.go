package model

import (
	"fmt"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Subscriptions of a client: what comes names the one that it is of.

// torn deals with a cancellation of a server without sessions: it ends a subscription and nothing
// else.
func (n *Naive) torn(m *jsonrpc.Message, x *Expect) {
	if !fits(paramShapes[m.Method], string(m.Body), false) {
		x.blame("CANC-018", m)
		return
	}
	params, _ := members(string(m.Body))
	i := slices.IndexFunc(n.reqs, func(r req) bool { return tokenOf(params["requestId"]) == token("n"+number(r.wire)) })
	switch {
	case i < 0:
		x.ignored("CANC-010", m)
	case n.reqs[i].method != "subscriptions/listen":
		x.blame("SUBS-016", m)
	default:
		n.failAt(i, Why{Kind: lifecycle.CauseCancelled, Reason: str(string(m.Body), "reason")}, x)
		n.settle(x)
	}
}

// deliver gives a notification to the application, with the subscription that it is of.
func (n *Naive) deliver(m *jsonrpc.Message, x *Expect) {
	h := Happening{Kind: lifecycle.NotificationReceived, Method: m.Method, Body: string(m.Body)}
	if n.set.Party == lifecycle.Server || !stateless(n.known()) {
		x.Events = append(x.Events, h)
		return
	}
	params, _ := members(string(m.Body))
	meta, _ := params["_meta"].(map[string]any)
	named := tokenOf(meta[metaKey+"subscriptionId"])
	i := slices.IndexFunc(n.reqs, func(r req) bool { return named == token("n"+number(r.wire)) })
	begins, list := m.Method == acknowledged, changing(m.Method) && m.Method != "notifications/resources/updated"
	var id uint64
	_, _ = fmt.Sscanf(string(named), "n%d", &id)
	switch {
	case i >= 0 && n.reqs[i].method == "subscriptions/listen":
		if changing(m.Method) && !n.reqs[i].acked {
			x.blame("SUBS-010", m) // and delivered
		}
		h.Req = n.reqs[i].id
	case !begins && !changing(m.Method):
		i = -1 // of no subscription
	case named == "" && list:
		x.blame("SUBS-008", m) // and delivered
	case i < 0 && id > 0 && id <= n.lastReq:
		x.ignored("SUBS-008", m) // it came after the end
		return
	default:
		x.blame("SUBS-008", m)
		return
	}
	x.Events = append(x.Events, h)
	if begins {
		n.begins(i, params["notifications"].(map[string]any), x)
	}
}

// begins notes that a subscription has begun, and tells what is not agreed to.
func (n *Naive) begins(i int, agreed map[string]any, x *Expect) {
	r := &n.reqs[i]
	r.acked, r.deadline = true, min(n.in(r.timeout), r.hard)
	rest := map[string]any{}
	for _, name := range []string{"toolsListChanged", "promptsListChanged", "resourcesListChanged"} {
		if r.form[name] == true && agreed[name] != true {
			rest[name] = true
		}
	}
	var uris []any
	for _, u := range names(r.form["resourceSubscriptions"]) {
		if !slices.Contains(names(agreed["resourceSubscriptions"]), u) {
			uris = append(uris, u)
		}
	}
	if uris != nil {
		rest["resourceSubscriptions"] = uris
	}
	if r.form = nil; len(rest) > 0 {
		x.Events = append(x.Events, Happening{Kind: lifecycle.Downgraded, Req: r.id, Method: r.method, JSON: rest, Revision: newest})
	}
}

// phaseless reports whether the phase says nothing of what the peer may send: nor of what no revision defines.
func (n *Naive) phaseless(custom bool) bool {
	return stateless(n.known()) && (custom || n.set.Party == lifecycle.Server || n.phase == lifecycle.Initializing || n.phase == lifecycle.Ready)
}

// listened returns what a server has to have declared to be listened to.
func listened(params string) (need []string) {
	v, _ := members(params)
	filter, _ := v["notifications"].(map[string]any)
	for _, list := range []string{"tools", "prompts", "resources"} {
		if filter[list+"ListChanged"] == true {
			need = append(need, list+".listChanged")
		}
	}
	if uris, _ := filter["resourceSubscriptions"].([]any); len(uris) > 0 {
		need = append(need, "resources.subscribe")
	}
	return need
}
