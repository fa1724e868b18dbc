package protocol

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
	NextCursor *Cursor `json:"nextCursor,omitzero" mcp:"name"`
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
}

// GetPromptResult is the result of prompts/get.
type GetPromptResult struct {
	// Description says what the prompt is for.
	Description string `json:"description,omitzero"`
	// Messages is the prompt.
	Messages []PromptMessage `json:"messages"`
	// Meta is additional data.
	Meta Meta `json:"_meta,omitzero"`
}

// PromptMessage is one message of a prompt.
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
