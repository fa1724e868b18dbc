package protocol

// The methods of the handshake (lifecycle page).
const (
	MethodInitialize  = "initialize"
	MethodInitialized = "notifications/initialized"
)

// Opens reports whether what is sent after a message of the method needs it to have been taken:
// initialize, which opens the session, and notifications/initialized, which opens it for all
// else. Where messages can overtake each other, as HTTP requests do, the sender waits.
func Opens(method string) bool { return method == MethodInitialize || method == MethodInitialized }

// Withdraws reports whether a notification of the method withdraws a request, so that it may
// not overtake it: notifications/cancelled.
func Withdraws(method string) bool { return method == MethodCancelled }

var handshakeRows = []Row{
	{
		// LIFE-002, LIFE-016: before anything else, and once.
		Method: MethodInitialize, Receiver: Server, Send: beforeAny, Serve: beforeAny,
		ages: ages{until: age20260728}, Wait: WaitInitialize, ResultRule: "LIFE-017", params: checkInitializeParams, result: checkInitializeResult,
	},
	{Method: MethodInitialized, Notification: true, Receiver: Server, Send: handshake, Serve: handshake, ages: ages{until: age20260728}, params: checkInitializedParams},
}

// Implementation names a client or server program. It has lists and is not comparable.
type Implementation struct {
	// Name identifies the program.
	Name string `json:"name" mcp:"name"`
	// Title is its name for display.
	Title string `json:"title,omitzero" since:"2025-06-18"`
	// Version is the version of the program.
	Version string `json:"version" mcp:"name"`
	// Description says what it is.
	Description string `json:"description,omitzero" since:"2025-11-25"`
	// WebsiteURL is where to read about it.
	WebsiteURL string `json:"websiteUrl,omitzero" mcp:"uri" since:"2025-11-25"`
	// Icons are images for display.
	Icons []Icon `json:"icons,omitzero" mcp:"lenient" since:"2025-11-25"`
}

// InitializeParams are the params of initialize, the first request of a session (LIFE-003,
// LIFE-004).
type InitializeParams struct {
	// ProtocolVersion is the newest revision that the client speaks.
	ProtocolVersion string `json:"protocolVersion" mcp:"name"`
	// Capabilities is what the client offers.
	Capabilities ClientCapabilities `json:"capabilities"`
	// ClientInfo names the client.
	ClientInfo Implementation `json:"clientInfo"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// InitializeResult is the result of initialize (LIFE-005).
type InitializeResult struct {
	// ProtocolVersion is the revision that the session uses from here on.
	ProtocolVersion string `json:"protocolVersion" mcp:"name"`
	// Capabilities is what the server offers.
	Capabilities ServerCapabilities `json:"capabilities" odd:"fault"`
	// ServerInfo names the server.
	ServerInfo Implementation `json:"serverInfo"`
	// Instructions tell a model how to use the server.
	Instructions string `json:"instructions,omitzero"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// InitializedParams are the params of notifications/initialized, with which the
// client ends the handshake.
type InitializedParams struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// ClientCapabilities is what a client offers. A capability is declared by the
// presence of its object: a non-nil pointer (CAP-002, CAP-007).
type ClientCapabilities struct {
	// Experimental are capabilities outside the specification; every value is an object
	// (CAP-005).
	Experimental map[string]Raw `json:"experimental,omitzero" mcp:"object"`
	// Roots: the server may ask for the roots.
	Roots *RootsCapability `json:"roots,omitzero"`
	// Sampling: the server may ask for messages of the client's model.
	Sampling *SamplingCapability `json:"sampling,omitzero"`
	// Elicitation: the server may ask the user.
	Elicitation *ElicitationCapability `json:"elicitation,omitzero" since:"2025-06-18"`
}

// ServerCapabilities is what a server offers. A capability is declared by the
// presence of its object: a non-nil pointer (CAP-002, CAP-008).
type ServerCapabilities struct {
	// Experimental are capabilities outside the specification; every value is an object
	// (CAP-005).
	Experimental map[string]Raw `json:"experimental,omitzero" mcp:"object"`
	// Logging: the server sends log messages.
	Logging *LoggingCapability `json:"logging,omitzero"`
	// Completions: the server completes arguments.
	Completions *CompletionsCapability `json:"completions,omitzero" since:"2025-03-26"`
	// Prompts: the server has prompts.
	Prompts *PromptsCapability `json:"prompts,omitzero"`
	// Resources: the server has resources.
	Resources *ResourcesCapability `json:"resources,omitzero"`
	// Tools: the server has tools.
	Tools *ToolsCapability `json:"tools,omitzero"`
}

// RootsCapability is the capability roots of a client.
type RootsCapability struct {
	// ListChanged: the client tells when the list changes.
	ListChanged bool `json:"listChanged,omitzero" until:"2026-07-28"`
}

// SamplingCapability is the capability sampling of a client.
type SamplingCapability struct {
	// Context: includeContext may ask for the context of servers.
	Context *Flag `json:"context,omitzero" since:"2025-11-25"`
	// Tools: requests may have tools and toolChoice.
	Tools *Flag `json:"tools,omitzero" since:"2025-11-25"`
}

// ElicitationCapability is the capability elicitation of a client. With neither member it
// means forms.
type ElicitationCapability struct {
	// Form: the server may ask with a form.
	Form *Flag `json:"form,omitzero" since:"2025-11-25"`
	// URL: the server may send the user to a page.
	URL *Flag `json:"url,omitzero" since:"2025-11-25"`
}

// Flag is a capability without members, declared by a non-nil pointer.
type Flag struct{}

// LoggingCapability is the capability logging of a server.
type LoggingCapability struct{}

// CompletionsCapability is the capability completions of a server.
type CompletionsCapability struct{}

// PromptsCapability is the capability prompts of a server.
type PromptsCapability struct {
	// ListChanged: the server tells when the list changes.
	ListChanged bool `json:"listChanged,omitzero"`
}

// ResourcesCapability is the capability resources of a server. An absent member is false
// (CAP-006, RES-002).
type ResourcesCapability struct {
	// Subscribe: the client may subscribe to changes of a resource.
	Subscribe bool `json:"subscribe,omitzero"`
	// ListChanged: the server tells when the list changes.
	ListChanged bool `json:"listChanged,omitzero"`
}

// ToolsCapability is the capability tools of a server.
type ToolsCapability struct {
	// ListChanged: the server tells when the list changes.
	ListChanged bool `json:"listChanged,omitzero"`
}
