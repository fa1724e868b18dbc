package protocol

import "github.com/sansmcp/mcp/jsonrpc"

var (
	live      = PhaseSet(Uninitialized, Initializing, Ready, ShuttingDown)
	beforeAny = PhaseSet(Uninitialized)
	handshake = PhaseSet(Initializing)
	ready     = PhaseSet(Ready)
	// A request of the client may overtake notifications/initialized, which a
	// transport with several streams can reorder.
	early = PhaseSet(Initializing, Ready)
	pings = PhaseSet(Initializing, Ready, ShuttingDown)
)

type (
	paramsCheck = func(Raw, jsonrpc.Span, age) (ParamsInfo, error)
	resultCheck = func(Raw, jsonrpc.Span, age) error
	resultInfo  = func(Raw, jsonrpc.Span, age) (ResultInfo, error)
)

func request(m Method, receiver Party, gate Capability, send, serve Phases, params paramsCheck, result resultCheck) Row {
	return Row{
		Method: m, Receiver: receiver, Gate: gate, Send: send, Serve: serve,
		Cancellable: m != MethodInitialize, params: params, result: result,
	}
}

func paginated(r Row) Row {
	r.Paginated = true
	return r
}

func informed(r Row, read resultInfo) Row {
	r.info = read
	return r
}

func notification(m Method, receiver Party, gate Capability, send, serve Phases, params paramsCheck) Row {
	return Row{Method: m, Notification: true, Receiver: receiver, Gate: gate, Send: send, Serve: serve, params: params}
}

// rows20251125 has the notification by which an elicitation by url ends (schema.ts of
// 2025-11-25, ServerNotification).
func rows20251125() [methodCount]Row {
	rows := rows20250618()
	rows[MethodElicitationComplete] = notification(MethodElicitationComplete, Client, 0, ready, ready, checkElicitationCompleteParams)
	return rows
}

// rows20250618 is the method table of 2025-06-18 (schema.ts, ClientRequest,
// ServerRequest, ClientNotification, ServerNotification).
func rows20250618() [methodCount]Row {
	return [methodCount]Row{
		MethodInitialize: request(MethodInitialize, Server, 0, beforeAny, beforeAny, checkInitializeParams, checkInitializeResult),
		MethodPing:       request(MethodPing, BothParties, 0, pings, live, checkPingParams, checkEmptyResult),

		MethodToolsList:             paginated(request(MethodToolsList, Server, CapTools, ready, early, checkListToolsParams, checkListToolsResult)),
		MethodToolsCall:             informed(request(MethodToolsCall, Server, CapTools, ready, early, checkCallToolParams, checkCallToolResult), readCallToolResult),
		MethodResourcesList:         paginated(request(MethodResourcesList, Server, CapResources, ready, early, checkListResourcesParams, checkListResourcesResult)),
		MethodResourceTemplatesList: paginated(request(MethodResourceTemplatesList, Server, CapResources, ready, early, checkListResourceTemplatesParams, checkListResourceTemplatesResult)),
		MethodResourcesRead:         request(MethodResourcesRead, Server, CapResources, ready, early, checkReadResourceParams, checkReadResourceResult),
		MethodResourcesSubscribe:    request(MethodResourcesSubscribe, Server, CapResources|CapResourcesSubscribe, ready, early, checkSubscribeParams, checkEmptyResult),
		MethodResourcesUnsubscribe:  request(MethodResourcesUnsubscribe, Server, CapResources|CapResourcesSubscribe, ready, early, checkUnsubscribeParams, checkEmptyResult),
		MethodPromptsList:           paginated(request(MethodPromptsList, Server, CapPrompts, ready, early, checkListPromptsParams, checkListPromptsResult)),
		MethodPromptsGet:            informed(request(MethodPromptsGet, Server, CapPrompts, ready, early, checkGetPromptParams, checkGetPromptResult), readGetPromptResult),
		MethodCompletionComplete:    request(MethodCompletionComplete, Server, CapCompletions, ready, early, checkCompleteParams, checkCompleteResult),
		MethodLoggingSetLevel:       request(MethodLoggingSetLevel, Server, CapLogging, ready, early, checkSetLevelParams, checkEmptyResult),

		MethodRootsList:             request(MethodRootsList, Client, CapRoots, ready, ready, checkListRootsParams, checkListRootsResult),
		MethodSamplingCreateMessage: request(MethodSamplingCreateMessage, Client, CapSampling, ready, ready, checkCreateMessageParams, checkCreateMessageResult),
		MethodElicitationCreate:     request(MethodElicitationCreate, Client, CapElicitation, ready, ready, checkElicitParams, checkElicitResult),

		MethodInitialized:      notification(MethodInitialized, Server, 0, handshake, handshake, checkInitializedParams),
		MethodCancelled:        notification(MethodCancelled, BothParties, 0, pings, live, checkCancelledParams),
		MethodProgress:         notification(MethodProgress, BothParties, 0, live, live, checkProgressParams),
		MethodRootsListChanged: notification(MethodRootsListChanged, Server, CapRoots|CapRootsListChanged, ready, ready, checkRootsListChangedParams),

		MethodLoggingMessage:       notification(MethodLoggingMessage, Client, CapLogging, early, early, checkLoggingMessageParams),
		MethodResourcesUpdated:     notification(MethodResourcesUpdated, Client, CapResources|CapResourcesSubscribe, ready, ready, checkResourceUpdatedParams),
		MethodResourcesListChanged: notification(MethodResourcesListChanged, Client, CapResources|CapResourcesListChanged, ready, ready, checkResourceListChangedParams),
		MethodToolsListChanged:     notification(MethodToolsListChanged, Client, CapTools|CapToolsListChanged, ready, ready, checkToolListChangedParams),
		MethodPromptsListChanged:   notification(MethodPromptsListChanged, Client, CapPrompts|CapPromptsListChanged, ready, ready, checkPromptListChangedParams),
	}
}

// rows20250326 has no elicitation.
func rows20250326() [methodCount]Row {
	rows := rows20250618()
	rows[MethodElicitationCreate] = Row{}
	return rows
}

// rows20241105 has no completions capability either: completion is not gated.
func rows20241105() [methodCount]Row {
	rows := rows20250326()
	rows[MethodCompletionComplete].Gate = 0
	return rows
}

// The capabilities that each revision added.
const (
	caps20241105 = ServerCaps&^CapCompletions | CapRoots | CapRootsListChanged | CapSampling
	caps20250326 = caps20241105 | CapCompletions
	caps20250618 = caps20250326 | CapElicitation | CapElicitationForm
	caps20251125 = caps20250618 | CapSamplingContext | CapSamplingTools | CapElicitationURL
)

var (
	revision20251125 = newRevision(revision{name: "2025-11-25", age: age20251125, reads: age20251125, structured: true, caps: caps20251125, rows: rows20251125()})
	// The first three are read alike: an odd member that came with the last of them is a
	// fault in all, since programs decode it in all.
	revision20250618 = newRevision(revision{name: "2025-06-18", age: age20250618, reads: age20250618, handshake: true, nullID: true, structured: true, caps: caps20250618, rows: rows20250618()})
	revision20250326 = newRevision(revision{name: "2025-03-26", age: age20250326, reads: age20250618, caps: caps20250326, handshake: true, nullID: true, batches: true, rows: rows20250326()})
	revision20241105 = newRevision(revision{name: "2024-11-05", age: age20241105, reads: age20250618, caps: caps20241105, handshake: true, nullID: true, rows: rows20241105()})
)

// Methods that no revision defines are served like those of the table that need
// no capability. Of their results the schema knows _meta only.
var (
	customToServer = custom(Server, early)
	customToClient = custom(Client, ready)
	customNotes    = Row{Notification: true, Receiver: BothParties, Send: ready, Serve: early, params: acceptParams}
)

func custom(receiver Party, serve Phases) Row {
	return Row{Receiver: receiver, Send: ready, Serve: serve, Cancellable: true, params: acceptParams, result: checkEmptyResult}
}

// CustomRow returns the row that holds for requests outside the table that the
// given party receives.
func CustomRow(receiver Party) *Row {
	if receiver == Client {
		return &customToClient
	}
	return &customToServer
}

// CustomNotificationRow returns the row that holds for notifications outside the
// table.
func CustomNotificationRow() *Row { return &customNotes }

// acceptParams accepts any object with a good _meta and, since params may be absent,
// nothing.
func acceptParams(raw Raw, span jsonrpc.Span, a age) (ParamsInfo, error) {
	if raw == "" {
		return ParamsInfo{}, nil
	}
	return checkPingParams(raw, span, a)
}
