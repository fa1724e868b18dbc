package protocol

// MethodDiscover is the method by which a server says what it is, without a session
// (discovery page).
const MethodDiscover = "server/discover"

var discoveryRows = []Row{{
	Method: MethodDiscover, Receiver: Server, Cancellable: true, ages: ages{since: age20260728},
	Wait: WaitProbe, Cached: true, ResultRule: "DISC-002", params: checkDiscoverParams, result: checkDiscoverResult,
}}

// DiscoverParams are the params of server/discover (DISC-003).
type DiscoverParams struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// DiscoverResult is the result of server/discover (DISC-002).
type DiscoverResult struct {
	// SupportedVersions are the names of the revisions that a request may name in its _meta.
	SupportedVersions []string `json:"supportedVersions"`
	// Capabilities is what the server offers.
	Capabilities ServerCapabilities `json:"capabilities" odd:"fault"`
	// Instructions tell a model how to use the server.
	Instructions string `json:"instructions,omitzero"`
	// Meta is additional data. A server says in it who it is: see Meta.ServerInfo.
	Meta Meta `json:"_meta,omitzero"`
}
