package protocol

// The methods of subscriptions without a session (subscriptions page).
const (
	MethodListen       = "subscriptions/listen"
	MethodAcknowledged = "notifications/subscriptions/acknowledged"
)

var subscriptionRows = []Row{
	{
		Method: MethodListen, Receiver: Server, Send: ready, Cancellable: true, ages: ages{since: age20260728},
		Wait: WaitListen, ResultRule: "SUBS-014", params: checkListenParams, result: checkEmptyResult,
		possible: func(*Row, string, bool) bool { return true }, // what a server will honour
	},
	{
		Method: MethodAcknowledged, Notification: true, Wait: WaitListen, Receiver: Client, ages: ages{since: age20260728},
		params: checkAcknowledgedParams,
	},
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
