package protocol

import (
	"cmp"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The methods of tools (tools page).
const (
	MethodToolsList        = "tools/list"
	MethodToolsCall        = "tools/call"
	MethodToolsListChanged = "notifications/tools/list_changed"
)

// ToolList is the list of tools.
var ToolList = &List{
	Member: "tools", Key: "name", Method: MethodToolsList, Use: MethodToolsCall, Cap: CapTools,
	Changed: MethodToolsListChanged, Change: CapToolsListChanged,
	unknown: func(string) jsonrpc.Error { return InvalidParams("unknown tool") },
}

var toolRows = []Row{
	{
		Method: MethodToolsList, Receiver: Server, Gate: CapTools, Declares: CapTools, Send: ready, Serve: early, Cancellable: true,
		Lists: ToolList, Cached: true, ResultRule: "TOOL-003", ItemRule: "TOOL-004",
		params: checkListToolsParams, result: checkListToolsResult, accept: acceptList, complete: completeTools,
	},
	{
		Method: MethodToolsCall, Receiver: Server, Gate: CapTools, Declares: CapTools, Send: ready, Serve: early, Cancellable: true,
		Names: ToolList, Asks: true, ResultRule: "TOOL-014", ItemRule: "SCHEMA-012",
		params: checkCallToolParams, result: checkCallToolResult, info: readCallToolResult, telling: [2]string{"name", "arguments"},
		structured: true, possible: possibleTool, accept: acceptToolResult, complete: completeToolResult,
	},
	{
		Method: MethodToolsListChanged, Notification: true, Receiver: Client, Gate: CapTools | CapToolsListChanged, Send: ready, Serve: ready,
		Lists: ToolList, params: checkToolListChangedParams,
	},
}

// ListToolsParams are the params of tools/list (TOOL-002).
type ListToolsParams struct {
	// Cursor is where to go on; nil asks for the first page.
	Cursor *Cursor `json:"cursor,omitzero" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// ListToolsResult is the result of tools/list.
type ListToolsResult struct {
	// Tools is one page of the tools.
	Tools []Tool `json:"tools"`
	// NextCursor is where the next page starts; nil on the last one.
	NextCursor *Cursor `json:"nextCursor,omitzero" mcp:"name" odd:"fault"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// Tool is a tool that the client can call.
type Tool struct {
	// Name identifies the tool within its server (TOOL-106).
	Name string `json:"name" mcp:"name"`
	// Title is its name for display; see DisplayName.
	Title string `json:"title,omitzero" since:"2025-06-18"`
	// Description tells a model what the tool does.
	Description string `json:"description,omitzero"`
	// InputSchema is the JSON Schema of the arguments, an object with "type":"object".
	// "" is sent as {"type":"object"}. All its keywords are kept byte for byte (TOOL-109).
	InputSchema Raw `json:"inputSchema" mcp:"schema"`
	// OutputSchema is the JSON Schema of CallToolResult.StructuredContent. In a session it is that of an
	// object, and one that is not is left out (TOOL-116, TOOL-204).
	OutputSchema Raw `json:"outputSchema,omitzero" mcp:"output" since:"2025-06-18" any:"2026-07-28"`
	// Annotations describe the behaviour of the tool.
	Annotations *ToolAnnotations `json:"annotations,omitzero" since:"2025-03-26"`
	// Icons are images for display.
	Icons []Icon `json:"icons,omitzero" mcp:"lenient" since:"2025-11-25"`
	// Execution says how it can be called; see TaskSupport.
	Execution *ToolExecution `json:"execution,omitzero" since:"2025-11-25" until:"2026-07-28"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" since:"2025-06-18"`
}

// ToolAnnotations are hints about the behaviour of a tool. They come from the
// server and prove nothing. Each hint is true, false or absent; the methods give
// the value that an absent hint stands for, also on a nil pointer (TOOL-008).
type ToolAnnotations struct {
	// Title is the name of the tool for display.
	Title string `json:"title,omitzero"`
	// ReadOnlyHint: the tool changes nothing. Default false.
	ReadOnlyHint *bool `json:"readOnlyHint,omitzero"`
	// DestructiveHint: the tool may delete or overwrite, not just add. Default true.
	DestructiveHint *bool `json:"destructiveHint,omitzero"`
	// IdempotentHint: calling it again with the same arguments changes nothing more. Default false.
	IdempotentHint *bool `json:"idempotentHint,omitzero"`
	// OpenWorldHint: the tool deals with things outside a closed set. Default true.
	OpenWorldHint *bool `json:"openWorldHint,omitzero"`
}

// CallToolParams are the params of tools/call (TOOL-012).
type CallToolParams struct {
	// Name is the tool to call.
	Name string `json:"name" mcp:"name"`
	// Arguments is an object; absent means {} (TOOL-013).
	Arguments Raw `json:"arguments,omitzero" mcp:"object"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
	// Input is what the client has answered to questions so far, for Ask. It is not sent.
	Input *InputResponses `json:"-"`
}

// CallToolResult is the result of tools/call. A tool that fails says so here,
// with IsError, so that the model sees it.
type CallToolResult struct {
	// Content is the result for the model.
	Content []Content `json:"content" mcp:"ordinary"`
	// StructuredContent is the result as a value that fits Tool.OutputSchema. In a session it is an
	// object, and what is not is left out, as text alone (TOOL-024, TOOL-203). "" is absent; null that
	// comes reads as "", as sessions have it.
	StructuredContent Raw `json:"structuredContent,omitzero" mcp:"any" since:"2025-06-18" any:"2026-07-28"`
	// IsError: the tool failed. Absent means that it succeeded (TOOL-015).
	IsError bool `json:"isError,omitzero" odd:"fault"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// ToolListChangedParams are the params of notifications/tools/list_changed (TOOL-021).
type ToolListChangedParams struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

type textResult struct {
	CallToolResult
	block [1]Content
}

func newTextResult(text string, failed bool) *CallToolResult {
	// One object: the answer to most calls is one text.
	r := &textResult{block: [1]Content{{Type: ContentText, Text: text}}}
	r.CallToolResult = CallToolResult{Content: r.block[:], IsError: failed}
	return &r.CallToolResult
}

// TextResult returns a tool result with one text block.
func TextResult(text string) *CallToolResult { return newTextResult(text, false) }

// ErrorResult returns a tool result with one text block that says why the tool
// failed, and IsError set.
func ErrorResult(text string) *CallToolResult { return newTextResult(text, true) }

func hint(p *bool, absent bool) bool {
	if p == nil {
		return absent
	}
	return *p
}

// ReadOnly returns the readOnlyHint, false if absent.
func (v *ToolAnnotations) ReadOnly() bool { return v != nil && hint(v.ReadOnlyHint, false) }

// Destructive returns the destructiveHint, true if absent. A tool that is ReadOnly
// destroys nothing, whatever the hint says (TOOL-009).
func (v *ToolAnnotations) Destructive() bool {
	return !v.ReadOnly() && (v == nil || hint(v.DestructiveHint, true))
}

// Idempotent returns the idempotentHint, false if absent. A tool that is ReadOnly
// changes nothing, however often it is called (TOOL-009).
func (v *ToolAnnotations) Idempotent() bool {
	return v.ReadOnly() || v != nil && hint(v.IdempotentHint, false)
}

// OpenWorld returns the openWorldHint, true if absent.
func (v *ToolAnnotations) OpenWorld() bool { return v == nil || hint(v.OpenWorldHint, true) }

// anyObject is the schema of a tool without arguments (TOOL-110).
const anyObject Raw = `{"type":"object"}`

// setSchema reads an inputSchema, or an outputSchema as sessions have it: an object with type "object",
// properties that map to schemas, which are objects or booleans, and a required that lists strings. It is kept
// whole, whatever else is in it (TOOL-005, TOOL-006, TOOL-115, TOOL-116).
func setSchema(p *Raw, raw string, need bool) Reason {
	return setOutputSchema(p, raw, need, false)
}

// setOutputSchema reads an outputSchema. If it is loose its type is not looked at (TOOL-204).
func setOutputSchema(p *Raw, raw string, need, loose bool) Reason {
	if r := setObject(p, raw, need); r != 0 || !given(raw) {
		return r
	}
	var kind, properties, required, name string
	if scan("Tool", Raw(raw), jsonrpc.Span{}, want{"type", &kind}, want{"properties", &properties}, want{"required", &required}) != nil {
		return ReasonSyntax
	}
	var r Reason
	if !loose {
		if r = setString(&name, kind, true); r == 0 && name != "object" {
			r = ReasonValue
		}
	}
	return cmp.Or(r, setRawMap(nil, properties, func(val string) bool { return startsSchema(val[0]) }), setStrings(nil, required, false))
}

// verifySchema is setSchema for what goes out, whose $schema has to name a dialect.
func verifySchema(v Raw) Reason { return verifyDialect(v, false) }

// verifyOutputSchema is verifySchema for an outputSchema.
func verifyOutputSchema(v Raw) Reason { return verifyDialect(v, true) }

func verifyDialect(v Raw, loose bool) Reason {
	if v == "" {
		return 0
	}
	if r := verifyText(v); r != 0 {
		return r
	}
	text := string(v[rawjson.Space(string(v), 0):])
	if dialect, ok := rawjson.Get(text, "$schema"); ok && dialect[0] != '"' {
		return ReasonType // SCHEMA-109
	}
	return setOutputSchema(new(Raw), text, true, loose)
}
