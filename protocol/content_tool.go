package protocol

import "github.com/sansmcp/mcp/jsonrpc/rawjson"

// ToolUse is a call that a model wants to make (sampling with tools).
type ToolUse struct {
	// ID names the call; the ToolResult has it.
	ID string `json:"id" mcp:"name"`
	// Name is the tool.
	Name string `json:"name" mcp:"name"`
	// Input is the arguments, an object.
	Input Raw `json:"input" mcp:"object"`
}

// ToolResult is the result of such a call, for the model.
type ToolResult struct {
	// ToolUseID is the ID of the ToolUse.
	ToolUseID string `json:"toolUseId" mcp:"name"`
	// Content is the result, of the types that a CallToolResult can have.
	Content []Content `json:"content" mcp:"ordinary" odd:"fault"`
	// StructuredContent is the result as a value; in a session an object (TOOL-203). "" is absent.
	StructuredContent Raw `json:"structuredContent,omitzero" mcp:"any" any:"2026-07-28"`
	// IsError: the tool failed.
	IsError bool `json:"isError,omitzero" odd:"fault"`
}

// ToolUseContent returns a block by which a model calls a tool. An empty input is {}.
func ToolUseContent(id, name string, input Raw) Content {
	return Content{Type: ContentToolUse, ToolUse: &ToolUse{ID: id, Name: name, Input: input}}
}

// ToolResultContent returns the block that answers the call named id with the result of a
// tool.
func ToolResultContent(id string, r CallToolResult) Content {
	return Content{Type: ContentToolResult, Meta: r.Meta, ToolResult: &ToolResult{
		ToolUseID: id, Content: r.Content, StructuredContent: r.StructuredContent, IsError: r.IsError,
	}}
}

// appendTool is AppendJSON for a use of a tool or its result.
func (v *Content) appendTool(dst []byte) []byte {
	dst = append(dst, `{"type":"`...)
	dst = append(append(dst, v.Type...), '"')
	n := len(dst)
	if v.Type == ContentToolUse {
		var use ToolUse
		if v.ToolUse != nil {
			use = *v.ToolUse
		}
		dst = use.AppendJSON(dst)
	} else {
		var r ToolResult
		if v.ToolResult != nil {
			r = *v.ToolResult
		}
		dst = rawjson.AppendQuote(append(dst, `{"toolUseId":`...), r.ToolUseID)
		dst = append(dst, `,"content":[`...)
		for i := range r.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = r.Content[i].appendOrdinary(dst)
		}
		dst = append(dst, ']')
		if r.StructuredContent != "" {
			dst = append(append(dst, `,"structuredContent":`...), r.StructuredContent...)
		}
		if r.IsError {
			dst = append(dst, `,"isError":true`...)
		}
		dst = append(dst, '}')
	}
	dst[n] = ',' // the members are those of the block
	if v.Meta != "" {
		dst = append(append(dst[:len(dst)-1], `,"_meta":`...), v.Meta...)
		dst = append(dst, '}')
	}
	return dst
}

// toolBlock reports whether the block is of a type that stands in sampling alone.
func (v *Content) toolBlock() bool { return v.Type == ContentToolUse || v.Type == ContentToolResult }

// CheckToolUse reports whether the messages are a conversation in which every tool that
// the model called has answered (sampling, Tool Use and Tool Result Balance): a message of
// the assistant that uses tools is followed by one of the user that has the result of each
// use and nothing else, in any order. The ids in one message differ, and every
// result answers a use (SAMP-112, SAMP-113, SAMP-114, SAMP-120). The error is a *DecodeError
// of CreateMessageParams.
func CheckToolUse(messages []SamplingMessage) error {
	var open map[string]bool // the uses of the message before, true until they are answered
	for i := range messages {
		m := &messages[i]
		at := func(j int) string { return item("messages", i) + "." + item("content", j) }
		uses := map[string]bool{}
		for j := range m.Content {
			switch c := &m.Content[j]; {
			case c.ToolUse != nil && (m.Role != RoleAssistant || uses[c.ToolUse.ID]):
				return fault("CreateMessageParams", at(j), ReasonConflict)
			case c.ToolUse != nil:
				uses[c.ToolUse.ID] = true
			case c.ToolResult != nil && (m.Role != RoleUser || !open[c.ToolResult.ToolUseID]):
				return fault("CreateMessageParams", at(j), ReasonConflict)
			case c.ToolResult != nil:
				open[c.ToolResult.ToolUseID] = false
			}
			if len(open) > 0 && m.Content[j].ToolResult == nil {
				return fault("CreateMessageParams", at(j), ReasonConflict)
			}
		}
		for _, id := range sortedKeys(open) {
			if open[id] {
				return fault("CreateMessageParams", item("messages", i)+".content", ReasonMissing)
			}
		}
		open = uses
	}
	if len(open) > 0 {
		return fault("CreateMessageParams", "messages", ReasonMissing)
	}
	return nil
}

// validateSampling is Validate for a block of a message to or from a model (SAMP-026).
func (v Content) validateSampling() error {
	if err := v.Validate(); err != nil {
		return err
	}
	if !v.samplingType() {
		return fault("Content", "type", ReasonValue)
	}
	return nil
}

// validateOrdinary is Validate for a block of any other content.
func (v Content) validateOrdinary() error {
	if v.toolBlock() {
		return fault("Content", "type", ReasonValue)
	}
	return v.Validate()
}

// samplingType reports whether the block is of a type that a model can be given or can
// answer with.
func (v *Content) samplingType() bool {
	switch v.Type {
	case ContentText, ContentImage, ContentAudio, ContentToolUse, ContentToolResult:
		return true
	}
	return false
}
