package protocol

import (
	"github.com/sansmcp/mcp/jsonrpc"
)

// The methods of prompts (prompts page).
const (
	MethodPromptsList        = "prompts/list"
	MethodPromptsGet         = "prompts/get"
	MethodPromptsListChanged = "notifications/prompts/list_changed"
)

// PromptList is the list of prompts.
var PromptList = &List{
	Member: "prompts", Key: "name", Method: MethodPromptsList, Use: MethodPromptsGet, Cap: CapPrompts,
	Changed: MethodPromptsListChanged, Change: CapPromptsListChanged,
	unknown: func(string) jsonrpc.Error { return InvalidParams("unknown prompt") },
}

var promptRows = []Row{
	{
		Method: MethodPromptsList, Receiver: Server, Gate: CapPrompts, Declares: CapPrompts, Send: ready, Serve: early, Cancellable: true,
		Lists: PromptList, Cached: true, ResultRule: "PROMPT-002", ItemRule: "PROMPT-003",
		params: checkListPromptsParams, result: checkListPromptsResult, accept: acceptList,
	},
	{
		Method: MethodPromptsGet, Receiver: Server, Gate: CapPrompts, Declares: CapPrompts, Send: ready, Serve: early, Cancellable: true,
		Names: PromptList, Asks: true, ResultRule: "PROMPT-006", telling: [2]string{"name", "arguments"},
		params: checkGetPromptParams, result: checkGetPromptResult, info: readGetPromptResult,
	},
	{
		Method: MethodPromptsListChanged, Notification: true, Receiver: Client, Gate: CapPrompts | CapPromptsListChanged, Send: ready, Serve: ready,
		Lists: PromptList, params: checkPromptListChangedParams,
	},
}

func readGetPromptResult(raw Raw, span jsonrpc.Span, a age) (ResultInfo, error) {
	var v GetPromptResult
	err := v.read(raw, span, mode{age: a, skim: true}) // which leaves an item of an unknown kind, if there is one
	return ResultInfo{Unknown: len(v.Messages) > 0}, err
}

// unknown reports whether the content is of a kind that the schema does not have.
func (v *PromptMessage) unknown() bool { return v.Content.unknown() }

// ListPromptsParams are the params of prompts/list.
type ListPromptsParams struct {
	// Cursor is where to go on; nil asks for the first page.
	Cursor *Cursor `json:"cursor,omitzero" mcp:"name"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
}

// ListPromptsResult is the result of prompts/list.
type ListPromptsResult struct {
	// Prompts is one page of the prompts.
	Prompts []Prompt `json:"prompts"`
	// NextCursor is where the next page starts; nil on the last one.
	NextCursor *Cursor `json:"nextCursor,omitzero" mcp:"name" odd:"fault"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// Prompt is a prompt, or a template of one, that the server offers.
type Prompt struct {
	// Name identifies the prompt within its server.
	Name string `json:"name" mcp:"name"`
	// Title is its name for display.
	Title string `json:"title,omitzero" since:"2025-06-18"`
	// Description says what it is for.
	Description string `json:"description,omitzero"`
	// Arguments are what the template can be filled with.
	Arguments []PromptArgument `json:"arguments,omitzero"`
	// Icons are images for display.
	Icons []Icon `json:"icons,omitzero" mcp:"lenient" since:"2025-11-25"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" since:"2025-06-18"`
}

// PromptArgument is an argument of a prompt.
type PromptArgument struct {
	// Name identifies the argument within its prompt.
	Name string `json:"name" mcp:"name"`
	// Title is its name for display.
	Title string `json:"title,omitzero" since:"2025-06-18"`
	// Description says what to give.
	Description string `json:"description,omitzero"`
	// Required: the argument must be given.
	Required bool `json:"required,omitzero"`
}

// GetPromptParams are the params of prompts/get.
type GetPromptParams struct {
	// Name is the prompt to get.
	Name string `json:"name" mcp:"name"`
	// Arguments fill the template. They are sent in the order of their names.
	Arguments map[string]string `json:"arguments,omitzero"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero" mcp:"request"`
	// Input is what the client has answered to questions so far, for Ask. It is not sent.
	Input *InputResponses `json:"-"`
}

// GetPromptResult is the result of prompts/get.
type GetPromptResult struct {
	// Description says what the prompt is for.
	Description string `json:"description,omitzero"`
	// Messages is the prompt.
	Messages []PromptMessage `json:"messages" odd:"fault"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// PromptMessage is one message of a prompt (PROMPT-007).
type PromptMessage struct {
	// Role is who says it.
	Role Role `json:"role"`
	// Content is what is said, of any type.
	Content Content `json:"content" mcp:"ordinary"`
}

// PromptListChangedParams are the params of notifications/prompts/list_changed.
type PromptListChangedParams struct {
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}
