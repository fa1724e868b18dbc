package protocol

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
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
		Lists: ToolList, ResultRule: "TOOL-003", ItemRule: "TOOL-004", items: &items{"tools", checkTool},
		params: checkListToolsParams, result: checkListToolsResult, accept: acceptTools,
	},
	{
		Method: MethodToolsCall, Receiver: Server, Gate: CapTools, Declares: CapTools, Send: ready, Serve: early, Cancellable: true,
		Names: ToolList, ResultRule: "TOOL-014", ItemRule: "SCHEMA-012", items: &items{"content", checkContent},
		params: checkCallToolParams, result: checkCallToolResult, info: readCallToolResult, telling: [2]string{"name", "arguments"},
		structured: true, terms: toolTerms, possible: possibleTool, accept: acceptToolResult, complete: completeToolResult,
	},
	{
		Method: MethodToolsListChanged, Notification: true, Receiver: Client, Gate: CapTools | CapToolsListChanged, Send: ready, Serve: ready,
		Lists: ToolList, params: checkToolListChangedParams,
	},
}

// ListToolsParams are the params of tools/list.
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
	NextCursor *Cursor `json:"nextCursor,omitzero" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// Tool is a tool that the client can call.
type Tool struct {
	// Name identifies the tool within its server.
	Name string `json:"name" mcp:"name"`
	// Title is its name for display; see DisplayName.
	Title string `json:"title,omitzero" since:"2025-06-18"`
	// Description tells a model what the tool does.
	Description string `json:"description,omitzero"`
	// InputSchema is the JSON Schema of the arguments, an object with "type":"object".
	// "" is sent as {"type":"object"}. All its keywords are kept byte for byte.
	InputSchema Raw `json:"inputSchema" mcp:"schema"`
	// OutputSchema is the JSON Schema of CallToolResult.StructuredContent.
	OutputSchema Raw `json:"outputSchema,omitzero" mcp:"schema" since:"2025-06-18"`
	// Annotations describe the behaviour of the tool.
	Annotations *ToolAnnotations `json:"annotations,omitzero" since:"2025-03-26"`
	// Icons are images for display.
	Icons []Icon `json:"icons,omitzero" mcp:"lenient" since:"2025-11-25"`
	// Execution says how it can be called; see TaskSupport.
	Execution *ToolExecution `json:"execution,omitzero" since:"2025-11-25"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" since:"2025-06-18"`
}

// ToolExecution says how a tool can be called.
type ToolExecution struct {
	// TaskSupport says whether calls may, or have to, become tasks; absent means TaskForbidden.
	TaskSupport TaskSupport `json:"taskSupport,omitzero"`
}

// TaskSupport says whether calls of a tool may become tasks.
type TaskSupport string

// The values of TaskSupport.
const (
	TaskForbidden TaskSupport = "forbidden"
	TaskOptional  TaskSupport = "optional"
	TaskRequired  TaskSupport = "required"
)

// Valid reports whether s is one of the three values.
func (s TaskSupport) Valid() bool {
	return s == TaskForbidden || s == TaskOptional || s == TaskRequired
}

// TaskSupport returns the taskSupport of the tool, TaskForbidden if absent.
func (v Tool) TaskSupport() TaskSupport {
	if v.Execution == nil || v.Execution.TaskSupport == "" {
		return TaskForbidden
	}
	return v.Execution.TaskSupport
}

// ValidToolName reports whether name is what a tool should be called: 1 to 128 ASCII
// letters, digits, underscores, hyphens and dots (tools, Tool Names). Other names are sent
// and taken all the same.
func ValidToolName(name string) bool {
	return 1 <= len(name) && len(name) <= 128 && consists(name, "_-.")
}

// ToolAnnotations are hints about the behaviour of a tool. They come from the
// server and prove nothing. Each hint is true, false or absent; the methods give
// the value that an absent hint stands for, also on a nil pointer.
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

// CallToolParams are the params of tools/call.
type CallToolParams struct {
	// Name is the tool to call.
	Name string `json:"name" mcp:"name"`
	// Arguments is an object; absent means {}.
	Arguments Raw `json:"arguments,omitzero" mcp:"object"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// CallToolResult is the result of tools/call. A tool that fails says so here,
// with IsError, so that the model sees it.
type CallToolResult struct {
	// Content is the result for the model.
	Content []Content `json:"content" mcp:"ordinary"`
	// StructuredContent is the result as an object that fits Tool.OutputSchema.
	StructuredContent Raw `json:"structuredContent,omitzero" mcp:"object" since:"2025-06-18"`
	// IsError: the tool failed.
	IsError bool `json:"isError,omitzero"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// ToolListChangedParams are the params of notifications/tools/list_changed.
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
// destroys nothing, whatever the hint says.
func (v *ToolAnnotations) Destructive() bool {
	return !v.ReadOnly() && (v == nil || hint(v.DestructiveHint, true))
}

// Idempotent returns the idempotentHint, false if absent. A tool that is ReadOnly
// changes nothing, however often it is called.
func (v *ToolAnnotations) Idempotent() bool {
	return v.ReadOnly() || v != nil && hint(v.IdempotentHint, false)
}

// OpenWorld returns the openWorldHint, true if absent.
func (v *ToolAnnotations) OpenWorld() bool { return v == nil || hint(v.OpenWorldHint, true) }

// anyObject is the schema of a tool without arguments.
const anyObject Raw = `{"type":"object"}`

// setSchema reads an inputSchema or outputSchema: an object with type "object",
// properties that map to objects, and a required that lists strings. It is kept
// whole, whatever else is in it.
func setSchema(p *Raw, raw string, need bool) Reason {
	if r := setObject(p, raw, need); r != 0 || !given(raw) {
		return r
	}
	var kind, properties, required string
	o, _ := rawjson.Members(raw)
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "type":
			kind = val
		case "properties":
			properties = val
		case "required":
			required = val
		}
	}
	if o.Bad() {
		return ReasonSyntax
	}
	var name string
	if r := setString(&name, kind, true); r != 0 {
		return r
	}
	if name != "object" {
		return ReasonValue
	}
	if r := eachObject(properties); r != 0 {
		return r
	}
	return eachString(required)
}

func eachObject(raw string) Reason {
	if !given(raw) {
		return 0
	}
	o, _ := rawjson.Members(raw)
	for {
		_, val, ok := o.Next()
		if !ok {
			break
		}
		if !startsObject(val[0]) {
			return ReasonType
		}
	}
	if o.Bad() {
		return ReasonType
	}
	return 0
}

func eachString(raw string) Reason {
	if !given(raw) {
		return 0
	}
	a, _ := rawjson.Elements(raw)
	for {
		val, ok := a.Next()
		if !ok {
			break
		}
		if val[0] != '"' {
			return ReasonType
		}
	}
	if a.Bad() {
		return ReasonType
	}
	return 0
}

func verifySchema(v Raw) Reason {
	if v == "" {
		return 0
	}
	if r := verifyText(v); r != 0 {
		return r
	}
	text := string(v[rawjson.Space(string(v), 0):])
	if dialect, ok := rawjson.Get(text, "$schema"); ok && dialect[0] != '"' {
		return ReasonType
	}
	return setSchema(new(Raw), text, true)
}

// toolTerms: what the answer is held against is the output schema that the caller gave.
func toolTerms(_ *Row, a Ask) Terms { return Terms{Subject: string(a.OutputSchema)} }

// possibleTool: of a call that is received the server keeps the name, if it checks the
// result.
func possibleTool(_ *Row, subject string, received bool) bool { return received || rawjson.Valid(subject) }

// acceptToolResult checks structured content against the output schema that the caller
// gave (tools, Output Schema). A revision without structured content has no promise to
// break.
func acceptToolResult(r *Row, a Reply) Reply {
	if a.Subject == "" || a.Info.Failed || !r.Revision().Structured() {
		return a
	}
	if a.Info.Structured == "" {
		a.Rule, a.Err = "TOOL-029", errNotStructured
		return a
	}
	err := a.Schemas.Validate(Raw(a.Subject), a.Info.Structured)
	if err == nil {
		return a
	}
	var f schema.Fault
	if errors.As(err, &f) && f.Keyword == schema.KeywordSchema {
		a.Found = append(a.Found, Finding{Rule: "TOOL-028", Local: err}) // a schema that cannot be used says nothing of the result
		return a
	}
	a.Rule, a.Err = "TOOL-028", err
	return a
}

var errNotStructured = errors.New("a result without the structured content that its tool promises")

// completeToolResult twins structured content in a text block where there is no other
// content (tools, Structured Content).
func completeToolResult(_ *Row, a Reply) Reply {
	if a.Info.Bare && a.Info.Structured != "" {
		block := TextContent(string(a.Info.Structured)).AppendJSON([]byte{'['})
		a.Body = Raw(rawjson.Set(string(a.Body), "content", string(append(block, ']'))))
	}
	return a
}

func checkTool(raw Raw, a age) error {
	return new(Tool).read(raw, jsonrpc.Span{}, mode{age: a, skim: true})
}

// readCallToolResult checks a result without building it.
func readCallToolResult(raw Raw, span jsonrpc.Span, a age) (info ResultInfo, err error) {
	const typ = "CallToolResult"
	o, ok := members(raw, span)
	if !ok {
		return info, fault(typ, "", ReasonType)
	}
	var content, structured, failed, meta string
	for {
		key, val, ok := o.Next()
		if !ok {
			break
		}
		switch key {
		case "content":
			content = val
		case "structuredContent":
			structured = val
		case "isError":
			failed = val
		case "_meta":
			meta = val
		}
	}
	if o.Bad() {
		return info, fault(typ, "", ReasonSyntax)
	}
	if err := info.readContent(content, a); err != nil {
		return info, err
	}
	if r := setObject(&info.Structured, structured, false); r != 0 {
		return info, fault(typ, "structuredContent", r)
	}
	if r := setBool(&info.Failed, failed); r != 0 {
		return info, fault(typ, "isError", r)
	}
	var m Meta
	if r := setMeta(&m, meta); r != 0 {
		return info, fault(typ, "_meta", r)
	}
	return info, nil
}

func (info *ResultInfo) readContent(raw string, a age) error {
	const typ = "CallToolResult"
	if !given(raw) {
		return fault(typ, "content", lack(raw, true))
	}
	blocks, _ := rawjson.Elements(raw)
	n := 0
	for ; ; n++ {
		val, ok := blocks.Next()
		if !ok {
			break
		}
		var block Content
		if err := block.read(Raw(val), jsonrpc.Span{}, mode{age: a, place: ordinary, skim: true}); err != nil {
			return within(typ, item("content", n), err)
		}
		info.Unknown = info.Unknown || block.unknown()
		info.Embeds = info.Embeds || block.Type == ContentEmbedded
	}
	if blocks.Bad() {
		return fault(typ, "content", ReasonType)
	}
	info.Bare = n == 0
	return nil
}

// acceptTools finds tools whose names break the rules and takes them all the same: they
// can be called (TOOL-108).
func acceptTools(r *Row, a Reply) Reply {
	if !r.of.age.in(ages{since: age20251125}) {
		return a
	}
	list, _ := rawjson.Get(string(a.Body), "tools")
	tools, ok := rawjson.Elements(list)
	for ok {
		var val string
		if val, ok = tools.Next(); !ok {
			break
		}
		quoted, _ := rawjson.Get(val, "name")
		if name, _ := rawjson.Unquote(quoted); !ValidToolName(name) {
			a.find("TOOL-108")
			break
		}
	}
	return a
}
