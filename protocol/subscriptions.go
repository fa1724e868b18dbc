package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The methods of subscriptions without a session (subscriptions page).
const (
	MethodListen       = "subscriptions/listen"
	MethodAcknowledged = "notifications/subscriptions/acknowledged"
)

var subscriptionRows = []Row{
	{
		Method: MethodListen, Receiver: Server, Send: ready, Cancellable: true, ages: ages{since: age20260728},
		Wait: WaitListen, ResultRule: "SUBS-014", params: checkListenParams, result: checkEmptyResult,
		terms:    listenTerms,
		possible: func(*Row, string, bool) bool { return true }, // what a client asked for, and what a server will honour
	},
	{
		Method: MethodAcknowledged, Notification: true, Wait: WaitListen, Receiver: Client, ages: ages{since: age20260728},
		params: checkAcknowledgedParams,
	},
}

// listenTerms keeps what a client asks for until the server says what it agrees to. What the server has
// not declared is not asked for (SUBS-029).
func listenTerms(_ *Row, a Asked) (t Terms) {
	if a.Received {
		return Terms{}
	}
	t.Subject, _ = rawjson.Get(string(a.Params), "notifications")
	var f SubscriptionFilter
	t.Err = f.DecodeJSON(Raw(t.Subject), jsonrpc.Span{})
	if t.Needs = f.Changes(); len(f.ResourceSubscriptions) > 0 {
		t.Needs |= CapResourcesSubscribe
	}
	return t
}

// NotAcknowledged returns the part of a SubscriptionFilter that the params of an acknowledgement lack,
// as JSON; "" if they have all of it (SUBS-009).
func NotAcknowledged(asked, params Raw) Raw {
	var f SubscriptionFilter
	_ = f.DecodeJSON(asked, jsonrpc.Span{}) // it is what went out; one of a forged snapshot asks for nothing
	p, _ := Decode[AcknowledgedParams](params)
	g := p.Notifications
	has := make(map[string]bool, len(g.ResourceSubscriptions))
	for _, uri := range g.ResourceSubscriptions {
		has[uri] = true
	}
	rest := FilterOf(f.Changes() &^ g.Changes())
	for _, uri := range f.ResourceSubscriptions {
		if !has[uri] {
			rest.ResourceSubscriptions = append(rest.ResourceSubscriptions, uri)
		}
	}
	if lacks := Raw(rest.AppendJSON(nil)); lacks != "{}" {
		return lacks
	}
	return ""
}

// ListenParams are the params of subscriptions/listen, a request that is answered when the
// subscription ends (SUBS-001).
type ListenParams struct {
	// Notifications is what the client wants to hear of.
	Notifications SubscriptionFilter `json:"notifications"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// AcknowledgedParams are the params of notifications/subscriptions/acknowledged, the first
// message of a subscription (SUBS-002, SUBS-003).
type AcknowledgedParams struct {
	// Notifications is the part of the filter that the server will honour.
	Notifications SubscriptionFilter `json:"notifications"`
	// Meta is additional data. It names the subscription: see Meta.Subscription.
	Meta Meta `json:"_meta,omitzero"`
}

// SubscriptionFilter is what a subscription is to.
type SubscriptionFilter struct {
	// ToolsListChanged: the list of tools changes.
	ToolsListChanged bool `json:"toolsListChanged,omitzero"`
	// PromptsListChanged: the list of prompts changes.
	PromptsListChanged bool `json:"promptsListChanged,omitzero"`
	// ResourcesListChanged: the list of resources, or that of templates, changes.
	ResourcesListChanged bool `json:"resourcesListChanged,omitzero"`
	// ResourceSubscriptions are the uris of resources whose content changes. One that ends at a
	// slash stands for what begins with it.
	ResourceSubscriptions []string `json:"resourceSubscriptions,omitzero"`
}

// FilterOf returns the filter that names the lists of which a set has the list_changed capabilities, and no resource.
func FilterOf(set Capability) SubscriptionFilter {
	return SubscriptionFilter{
		ToolsListChanged: set.Has(CapToolsListChanged), PromptsListChanged: set.Has(CapPromptsListChanged), ResourcesListChanged: set.Has(CapResourcesListChanged),
	}
}

// Changes returns the list_changed capabilities of the lists that the filter names: List.Change of each.
func (f SubscriptionFilter) Changes() (set Capability) {
	if f.ToolsListChanged {
		set |= CapToolsListChanged
	}
	if f.PromptsListChanged {
		set |= CapPromptsListChanged
	}
	if f.ResourcesListChanged {
		set |= CapResourcesListChanged
	}
	return set
}

// Acknowledges reports whether a method is that of the notification by which a subscription begins (SUBS-002).
func Acknowledges(method string) bool { return method == MethodAcknowledged }
