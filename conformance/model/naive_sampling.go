package model

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// said returns the blocks of the content of a message to or from a model.
func said(content any) []any {
	if list, ok := content.([]any); ok {
		return list
	}
	return []any{content}
}

// contentFits reports whether content is what a message to or from a model can have, in a
// session of 2025-11-25 or before.
func contentFits(content any, late bool) bool {
	if isKind(content, "array") && !late {
		return false
	}
	known := []string{"text", "image", "audio"}
	if late {
		known = append(known, "tool_use", "tool_result")
	}
	return !slices.ContainsFunc(said(content), func(b any) bool {
		block, _ := b.(map[string]any)
		kind, _ := block["type"].(string)
		shape := map[string]string{
			"tool_use": "id! string, name! string, input! object", "tool_result": "toolUseId! string, content! []block, structuredContent object, isError bool",
		}[kind]
		return !slices.Contains(known, kind) || !isKind(block, "block") || !shaped(shape, block, false)
	})
}

// samplingFits reports whether the params of sampling/createMessage have the shape beyond
// their members.
func samplingFits(text string, late bool) bool {
	params, _ := members(text)
	messages, _ := params["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		if message["role"] != "user" && message["role"] != "assistant" || !contentFits(message["content"], late) {
			return false
		}
	}
	return !late || shaped("tools []tool, toolChoice choosing", params, true)
}

// plainTalk reports whether a message can be said before 2025-11-25: as one block, which has
// nothing to do with tools.
func plainTalk(content any) bool {
	blocks := said(content)
	return len(blocks) == 1 && !strings.HasPrefix(blocks[0].(map[string]any)["type"].(string), "tool_")
}

// usesTool reports whether some block of content uses a tool.
func usesTool(content any) bool {
	return slices.ContainsFunc(said(content), func(b any) bool { return b.(map[string]any)["type"] == "tool_use" })
}

// toolsAnswered reports whether every use of a tool is answered by the next message, which
// has nothing else, and every answer is to such a use.
func toolsAnswered(text string) bool {
	params, _ := members(text)
	messages, _ := params["messages"].([]any)
	var waiting []any
	for _, m := range messages {
		message := m.(map[string]any)
		var uses []any
		answering := len(waiting) > 0
		for _, b := range said(message["content"]) {
			switch block := b.(map[string]any); block["type"] {
			case "tool_use":
				if message["role"] != "assistant" || answering || slices.Contains(uses, block["id"]) {
					return false
				}
				uses = append(uses, block["id"])
			case "tool_result":
				i := slices.Index(waiting, block["toolUseId"])
				if message["role"] != "user" || i < 0 {
					return false
				}
				waiting = slices.Delete(waiting, i, i+1)
			default:
				if answering {
					return false
				}
			}
		}
		if len(waiting) > 0 {
			return false
		}
		waiting = uses
	}
	return len(waiting) == 0
}

// choosing returns how a request in a session of 2025-11-25 lets the model use tools, "" for
// not at all.
func choosing(text string) string {
	params, _ := members(text)
	choice, _ := params["toolChoice"].(map[string]any)
	mode, _ := choice["mode"].(string)
	switch {
	case params["tools"] == nil && params["toolChoice"] == nil:
		return ""
	case mode == "":
		return "auto"
	}
	return mode
}

// wantsContext reports whether a request wants context of servers.
func wantsContext(text string) bool {
	scope := str(text, "includeContext")
	return scope != "" && scope != "none"
}

// sample says why a request to a model cannot be sent.
func (n *Naive) sample(text string, refuse func(bool, error)) {
	if !samplingFits(text, true) {
		return // which is said already
	}
	if n.late() {
		refuse(!toolsAnswered(text), lifecycle.ErrParams)
		refuse(choosing(text) != "" && !slices.Contains(n.peerCaps, "sampling.tools"), lifecycle.ErrCapability)
		return
	}
	params, _ := members(text)
	messages, _ := params["messages"].([]any)
	refuse(slices.ContainsFunc(messages, func(m any) bool { return !plainTalk(m.(map[string]any)["content"]) }), lifecycle.ErrRevision)
}

// sampled looks at a request of the peer to the model.
func (n *Naive) sampled(m *jsonrpc.Message, x *Expect) (refused bool) {
	text := string(m.Body)
	switch {
	case !n.late():
	case choosing(text) != "" && !slices.Contains(n.caps, "sampling.tools"):
		n.reply(m, jsonrpc.CodeInvalidParams, nil, x)
		x.blame("SAMP-104", m)
		return true
	case wantsContext(text) && !slices.Contains(n.caps, "sampling.context"):
		x.blame("SAMP-106", m) // and delivered
	}
	return false
}

// misused returns the row that an answer of a model breaks, given how it was let use tools,
// and whether it is no answer for that.
func misused(content any, mode string) (rule string, fatal bool) {
	switch uses := usesTool(content); {
	case uses && mode == "":
		return "SAMP-117", true
	case mode == "required" && !uses, mode == "none" && uses:
		return "SAMP-118", false
	}
	return "", false
}

// olderTalk takes out of the params of sampling/createMessage what revisions before
// 2025-11-25 do not have, and reports whether that says something.
func olderTalk(params map[string]any) (lossy bool) {
	for _, name := range []string{"tools", "toolChoice"} {
		lossy = lossy || params[name] != nil
		delete(params, name)
	}
	messages, _ := params["messages"].([]any)
	for _, m := range messages {
		message := m.(map[string]any)
		lossy = lossy || message["_meta"] != nil
		delete(message, "_meta")
		message["content"] = said(message["content"])[0]
	}
	return lossy
}
