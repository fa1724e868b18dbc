package provider

import (
	"errors"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Turn is the answer of a model.
type Turn struct {
	// Text is its text, the pieces joined by newlines, without thoughts.
	Text string
	// Calls are the calls in order, including faulty ones: Call.Err is the fault.
	Calls []Call
	// History is the part of the answer that the next request must repeat, with all that the provider wants
	// back: elements of messages (OpenAI chat, Azure, Anthropic), input (OpenAI responses) or
	// contents (Gemini). The result of Messages comes after it.
	History []protocol.Raw
}

// Calls reads a whole response of the provider; of several choices or candidates only the
// first. It also accepts only a message (OpenAI chat, Azure, Anthropic), the output (OpenAI responses) or
// a content (Gemini). For anything else the error wraps ErrForm, with the message of a
// provider's error.
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
			return Turn{}, formError(x.Provider.String() + "; it is an error: " + strconv.Quote(rawjson.Clip(said, 200)))
		}
		return Turn{}, formError(x.Provider.String())
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

// text adds a piece of text, if val is one.
func (r *reader) text(val string) {
	if s, ok := rawjson.Unquote(val); ok && s != "" {
		r.texts = append(r.texts, s)
	}
}

// each adds the texts and calls of blocks.
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

// first returns a member of the first element of a list.
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

// Messages returns the results of calls in the provider's form, in order: elements of
// messages (OpenAI chat, Azure), input (OpenAI responses), messages (Anthropic) or contents
// (Gemini). For the last two it is one element with all results. A nil or missing result
// becomes that of the call's fault, or an empty one. lost is as for Message.
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
