package provider

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Turn is what a model answered.
type Turn struct {
	// Text is what it says, the pieces with newlines between; thoughts are not in it.
	Text string
	// Calls are the calls in their order, those with a fault too: then Call.Err says which.
	Calls []Call
	// History is what the next request has to have of the answer, with all that the provider wants
	// back: elements of messages (OpenAI chat, Azure, Anthropic), input (OpenAI responses) or
	// contents (Gemini). What Messages returns comes after it.
	History []protocol.Raw
}

// Calls reads a response of the provider, whole as it came: of several choices or candidates the
// first. A message (OpenAI chat, Azure, Anthropic), the output (OpenAI responses) or a content
// (Gemini) alone is taken too. For anything else the error wraps ErrForm, and has the message of an
// error of the provider.
func (x *Exported) Calls(response protocol.Raw) (Turn, error) {
	text := strings.Trim(string(response), " \t\r\n")
	if !rawjson.Valid(text) || text[0] != '{' && text[0] != '[' {
		return Turn{}, ErrForm
	}
	r := reader{x: x}
	ok := false
	switch x.Provider {
	case OpenAIChat, Azure:
		ok = r.chat(text)
	case OpenAIResponses:
		ok = r.responses(text)
	case Anthropic:
		ok = r.anthropic(text)
	case Gemini:
		ok = r.gemini(text)
	}
	if !ok {
		if said := textOf(memberOf(text, "error"), "message"); said != "" {
			return Turn{}, fmt.Errorf("%w %s; it is an error: %q", ErrForm, x.Provider, rawjson.Clip(said, 200))
		}
		return Turn{}, fmt.Errorf("%w %s", ErrForm, x.Provider)
	}
	r.Text = strings.Join(r.texts, "\n")
	return r.Turn, nil
}

// reader reads a response.
type reader struct {
	Turn
	x     *Exported
	texts []string
}

// text takes a piece of text, if val is one.
func (r *reader) text(val string) {
	if s, ok := rawjson.Unquote(val); ok && s != "" {
		r.texts = append(r.texts, s)
	}
}

// each takes the texts and calls of blocks.
func (r *reader) each(list string) {
	for _, val := range elementsOf(list) {
		switch textOf(val, "type") {
		case "text", "output_text", "refusal":
			r.text(memberOf(val, "text"))
			r.text(memberOf(val, "refusal"))
		case "message": // of responses
			r.each(memberOf(val, "content"))
		case r.x.form().kind:
			r.call(val)
		}
	}
}

func (r *reader) call(val string) {
	c, _ := r.x.Call(protocol.Raw(val))
	r.Calls = append(r.Calls, c)
}

// first returns the member of the first element of a list.
func first(text, list, name string) string {
	for _, val := range elementsOf(memberOf(text, list)) {
		return memberOf(val, name)
	}
	return ""
}

func (r *reader) chat(text string) bool {
	message := text
	if _, whole := rawjson.Get(text, "choices"); whole {
		message = first(text, "choices", "message")
	}
	if textOf(message, "role") != "assistant" {
		return false
	}
	r.text(memberOf(message, "content"))
	r.each(memberOf(message, "content"))
	r.text(memberOf(message, "refusal"))
	for _, val := range elementsOf(memberOf(message, "tool_calls")) {
		r.call(val)
	}
	r.History = append(r.History, protocol.Raw(message))
	return true
}

func (r *reader) responses(text string) bool {
	output := text
	if text[0] == '{' {
		output = memberOf(text, "output")
	}
	if output == "" || output[0] != '[' {
		return false
	}
	r.each(output)
	for _, val := range elementsOf(output) {
		r.History = append(r.History, protocol.Raw(val))
	}
	return true
}

func (r *reader) anthropic(text string) bool {
	content := memberOf(text, "content")
	if content == "" || textOf(text, "role") != "assistant" {
		return false
	}
	r.text(content)
	r.each(content)
	r.History = append(r.History, protocol.Raw(record("role", `"assistant"`, "content", content)))
	return true
}

func (r *reader) gemini(text string) bool {
	content := text
	if _, whole := rawjson.Get(text, "candidates"); whole {
		content = first(text, "candidates", "content")
	}
	parts, there := rawjson.Get(content, "parts")
	if !there || parts[0] != '[' {
		return false
	}
	for _, val := range elementsOf(parts) {
		if _, calls := rawjson.Get(val, "functionCall"); calls {
			r.call(val)
		} else if memberOf(val, "thought") != "true" {
			r.text(memberOf(val, "text"))
		}
	}
	r.History = append(r.History, protocol.Raw(content))
	return true
}

// Messages returns the results of calls as the provider takes them, in their order: elements of
// messages (OpenAI chat, Azure), input (OpenAI responses), messages (Anthropic) or contents
// (Gemini). For the last two that is one element with all results. A result that is nil or missing
// is that of the fault of its call, or an empty one. Of what is lost Message tells.
func (x *Exported) Messages(calls []Call, results []*protocol.CallToolResult) (list []protocol.Raw, lost []Loss) {
	var blocks []string
	for i, c := range calls {
		var r *protocol.CallToolResult
		if i < len(results) {
			r = results[i]
		}
		if r == nil && c.Err != nil && !errors.Is(c.Err, errKeep) {
			r = toolerror.From(c.Name, c.Err).ToolResult()
		}
		m, l := x.Message(c, r)
		lost = append(lost, l...)
		if m == "" {
			continue
		}
		list = append(list, m)
		blocks = append(blocks, string(m))
	}
	member := map[Provider]string{Anthropic: "content", Gemini: "parts"}[x.Provider]
	if len(blocks) == 0 || member == "" {
		return list, lost
	}
	return []protocol.Raw{protocol.Raw(record("role", `"user"`, member, listed(blocks)))}, lost
}
