package protocol

// Method numbers the methods that some revision defines. The number is local to
// this version of the library; only the name goes over the wire.
type Method uint8

// The methods of the handshake revisions, requests first.
const (
	MethodUnknown Method = iota // a method that no known revision defines

	MethodInitialize
	MethodPing
	MethodToolsList
	MethodToolsCall
	MethodResourcesList
	MethodResourceTemplatesList
	MethodResourcesRead
	MethodResourcesSubscribe
	MethodResourcesUnsubscribe
	MethodPromptsList
	MethodPromptsGet
	MethodCompletionComplete
	MethodLoggingSetLevel
	MethodRootsList
	MethodSamplingCreateMessage
	MethodElicitationCreate

	MethodInitialized
	MethodCancelled
	MethodProgress
	MethodRootsListChanged
	MethodLoggingMessage
	MethodResourcesUpdated
	MethodResourcesListChanged
	MethodToolsListChanged
	MethodPromptsListChanged
	MethodElicitationComplete

	methodCount
)

// MethodCount is the number of methods, MethodUnknown included.
const MethodCount = int(methodCount)

var methodNames = [methodCount]string{
	MethodInitialize:            "initialize",
	MethodPing:                  "ping",
	MethodToolsList:             "tools/list",
	MethodToolsCall:             "tools/call",
	MethodResourcesList:         "resources/list",
	MethodResourceTemplatesList: "resources/templates/list",
	MethodResourcesRead:         "resources/read",
	MethodResourcesSubscribe:    "resources/subscribe",
	MethodResourcesUnsubscribe:  "resources/unsubscribe",
	MethodPromptsList:           "prompts/list",
	MethodPromptsGet:            "prompts/get",
	MethodCompletionComplete:    "completion/complete",
	MethodLoggingSetLevel:       "logging/setLevel",
	MethodRootsList:             "roots/list",
	MethodSamplingCreateMessage: "sampling/createMessage",
	MethodElicitationCreate:     "elicitation/create",
	MethodInitialized:           "notifications/initialized",
	MethodCancelled:             "notifications/cancelled",
	MethodProgress:              "notifications/progress",
	MethodRootsListChanged:      "notifications/roots/list_changed",
	MethodLoggingMessage:        "notifications/message",
	MethodResourcesUpdated:      "notifications/resources/updated",
	MethodResourcesListChanged:  "notifications/resources/list_changed",
	MethodToolsListChanged:      "notifications/tools/list_changed",
	MethodPromptsListChanged:    "notifications/prompts/list_changed",
	MethodElicitationComplete:   "notifications/elicitation/complete",
}

// String returns the name of the method as it goes over the wire, "" for
// MethodUnknown.
func (m Method) String() string {
	if m < methodCount {
		return methodNames[m]
	}
	return ""
}

// OfResource reports whether requests of the method are about the one resource whose uri
// they name (resources page).
func (m Method) OfResource() bool {
	return m == MethodResourcesRead || m == MethodResourcesSubscribe || m == MethodResourcesUnsubscribe
}

// NamesOne reports whether requests of the method are about the one tool or prompt that
// they name (tools, Calling Tools; prompts, Getting a Prompt).
func (m Method) NamesOne() bool { return m == MethodToolsCall || m == MethodPromptsGet }

// MethodOf returns the number of the method called name, MethodUnknown if no
// known revision defines it. Names are case-sensitive.
func MethodOf(name string) Method {
	switch name {
	case "initialize":
		return MethodInitialize
	case "ping":
		return MethodPing
	case "tools/list":
		return MethodToolsList
	case "tools/call":
		return MethodToolsCall
	case "resources/list":
		return MethodResourcesList
	case "resources/templates/list":
		return MethodResourceTemplatesList
	case "resources/read":
		return MethodResourcesRead
	case "resources/subscribe":
		return MethodResourcesSubscribe
	case "resources/unsubscribe":
		return MethodResourcesUnsubscribe
	case "prompts/list":
		return MethodPromptsList
	case "prompts/get":
		return MethodPromptsGet
	case "completion/complete":
		return MethodCompletionComplete
	case "logging/setLevel":
		return MethodLoggingSetLevel
	case "roots/list":
		return MethodRootsList
	case "sampling/createMessage":
		return MethodSamplingCreateMessage
	case "elicitation/create":
		return MethodElicitationCreate
	case "notifications/initialized":
		return MethodInitialized
	case "notifications/cancelled":
		return MethodCancelled
	case "notifications/progress":
		return MethodProgress
	case "notifications/roots/list_changed":
		return MethodRootsListChanged
	case "notifications/message":
		return MethodLoggingMessage
	case "notifications/resources/updated":
		return MethodResourcesUpdated
	case "notifications/resources/list_changed":
		return MethodResourcesListChanged
	case "notifications/tools/list_changed":
		return MethodToolsListChanged
	case "notifications/prompts/list_changed":
		return MethodPromptsListChanged
	case "notifications/elicitation/complete":
		return MethodElicitationComplete
	}
	return MethodUnknown
}
