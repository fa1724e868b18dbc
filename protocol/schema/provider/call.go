package provider

import (
	"maps"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Call is a call that a model makes.
type Call struct {
	// ID is what the provider knows the call by; "" if it has none, as with Gemini it may.
	ID string
	// Name is the name of the tool as the provider has it.
	Name string
	// Params are those of tools/call. Arguments are an object, or "" for none.
	Params protocol.CallToolParams
}

// form says which members of a call have what.
func (p Provider) form() (id, arguments string) {
	switch p {
	case OpenAIResponses:
		return "call_id", "arguments"
	case Anthropic:
		return "id", "input"
	case Gemini:
		return "id", "args"
	}
	return "id", "arguments"
}

// Call reads a call as the provider gives it: an element of tool_calls (OpenAI chat, Azure), an
// item function_call (OpenAI responses), a block tool_use (Anthropic), a part with
// functionCall, or what that has in it (Gemini). The arguments may be an object or a text that
// is one.
//
// The error is a *toolerror.Error: UnknownTool for a name that no exported tool has, with the
// names that there are, and InvalidArguments for arguments that are not a JSON object and for
// a call that is none. The Call has then what could be read, so that Message can answer it.
func (x *Exported) Call(raw protocol.Raw) (Call, error) {
	var c Call
	text := strings.Trim(string(raw), " \t\r\n")
	if !rawjson.Valid(text) || text[0] != '{' {
		return c, malformed("", schema.ArgumentSyntax, text)
	}
	id, arguments := x.Provider.form()
	c.ID = textOf(text, id)
	wrapped := ""
	switch x.Provider {
	case OpenAIChat, Azure:
		wrapped = "function"
	case Gemini:
		wrapped = "functionCall"
	}
	if in, there := rawjson.Get(text, wrapped); wrapped != "" && there && in[0] == '{' {
		text = in
		if x.Provider == Gemini {
			c.ID = textOf(text, id)
		}
	}
	c.Name = textOf(text, "name")
	tool, known := x.Names.Tool(c.Name)
	if !known {
		return c, toolerror.Unknown(cut(c.Name), x.Names.all())
	}
	c.Params.Name = tool
	val, _ := rawjson.Get(text, arguments)
	if s, isText := rawjson.Unquote(val); isText {
		val = strings.Trim(s, " \t\r\n")
	}
	switch {
	case val == "" || val == "null":
		return c, nil
	case !rawjson.Valid(val):
		return c, malformed(tool, schema.ArgumentSyntax, "")
	case val[0] != '{':
		return c, malformed(tool, schema.ArgumentType, val)
	}
	if input := x.inputs[tool]; input != "" {
		s := stripper{root: input}
		val = s.value(input, val, 0)
	}
	c.Params.Arguments = protocol.Raw(val)
	return c, nil
}

// all returns the names that the provider knows.
func (n Names) all() []string { return slices.Sorted(maps.Keys(n.from)) }

func malformed(tool string, kind schema.ArgumentKind, val string) error {
	e := &schema.ArgumentError{Kind: kind}
	if kind == schema.ArgumentType {
		e.Want, e.Got = "an object", rawjson.Type(val)
	}
	return &toolerror.Error{Kind: toolerror.InvalidArguments, Tool: tool, Parameters: schema.ArgumentErrors{e}}
}

// textOf returns a string, "" if there is none.
func textOf(raw, name string) string {
	val, _ := rawjson.Get(raw, name)
	s, _ := rawjson.Unquote(val)
	return s
}

// AppendCall appends a call as the provider gives it, for a history that goes back to it.
// Its name is that of the tool of its Params; ok is false if that is not one of the
// exported ones, or the arguments are not a JSON object.
func (x *Exported) AppendCall(dst []byte, c Call) (_ []byte, ok bool) {
	name, ok := x.Names.Provider(c.Params.Name)
	arguments := strings.Trim(string(c.Params.Arguments), " \t\r\n")
	if arguments == "" {
		arguments = "{}"
	}
	if !ok || !rawjson.Valid(arguments) || arguments[0] != '{' {
		return dst, false
	}
	switch x.Provider {
	case OpenAIResponses:
		dst = rawjson.AppendQuote(append(dst, `{"type":"function_call","call_id":`...), c.ID)
		dst = rawjson.AppendQuote(append(dst, `,"name":`...), name)
		return append(rawjson.AppendQuote(append(dst, `,"arguments":`...), arguments), '}'), true
	case Anthropic:
		dst = rawjson.AppendQuote(append(dst, `{"type":"tool_use","id":`...), c.ID)
		dst = rawjson.AppendQuote(append(dst, `,"name":`...), name)
		return append(append(append(dst, `,"input":`...), arguments...), '}'), true
	case Gemini:
		dst = append(dst, `{"functionCall":{`...)
		if c.ID != "" {
			dst = append(rawjson.AppendQuote(append(dst, `"id":`...), c.ID), ',')
		}
		dst = rawjson.AppendQuote(append(dst, `"name":`...), name)
		return append(append(append(dst, `,"args":`...), arguments...), '}', '}'), true
	}
	dst = rawjson.AppendQuote(append(dst, `{"id":`...), c.ID)
	dst = rawjson.AppendQuote(append(dst, `,"type":"function","function":{"name":`...), name)
	return append(rawjson.AppendQuote(append(dst, `,"arguments":`...), arguments), '}', '}'), true
}
