package provider

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Call is a call made by a model.
type Call struct {
	// ID is the provider's id of the call; it may be "" for Gemini.
	ID string
	// Name is the provider's name of the tool.
	Name string
	// Params are those of tools/call. Arguments are an object, or "" if absent.
	Params protocol.CallToolParams
	// Keep is a JSON object with the other members of the call that the provider wants back, such as the
	// thoughtSignature of Gemini, for AppendCall; "" without any. At most 1 MiB is kept.
	Keep protocol.Raw
	// Err is the fault of the call: the error that Exported.Call returns.
	Err error
}

// ErrForm is the error for JSON that is neither a call nor a response of the provider.
var ErrForm = errors.New("provider: JSON is not a call or a response of the provider")

// formError is ErrForm with a detail about the JSON.
type formError string

func (e formError) Error() string { return ErrForm.Error() + " " + string(e) }
func (formError) Unwrap() error   { return ErrForm }

const maxKeep = 1 << 20 // bytes kept of a call

var errKeep = errors.New("provider: data beside the call is longer than " + strconv.Itoa(maxKeep) + " bytes and was dropped")

// form is how a provider writes a call.
type form struct {
	kind, id, wrapped, arguments string
	quoted                       bool // arguments are a string
	needsID                      bool
}

var forms = [...]form{
	OpenAIChat:      {kind: "function", id: "id", wrapped: "function", arguments: "arguments", quoted: true, needsID: true},
	OpenAIResponses: {kind: "function_call", id: "call_id", arguments: "arguments", quoted: true, needsID: true},
	Azure:           {kind: "function", id: "id", wrapped: "function", arguments: "arguments", quoted: true, needsID: true},
	Anthropic:       {kind: "tool_use", id: "id", arguments: "input", needsID: true},
	Gemini:          {id: "id", wrapped: "functionCall", arguments: "args"},
}

// form returns the form of the provider's calls.
func (x *Exported) form() form {
	if int(x.Provider) < len(forms) {
		return forms[x.Provider]
	}
	return forms[0]
}

// Call reads a call in the provider's form: an element of tool_calls (OpenAI chat, Azure), an
// item function_call (OpenAI responses), a block tool_use (Anthropic), a part with
// functionCall, or its content (Gemini). The arguments may be an object or a string that
// contains one.
//
// The error is ErrForm for JSON that is not a call, such as a block of text. Otherwise it is a
// *toolerror.Error with the model's name for the tool: UnknownTool, with the exported
// names, for a name that no exported tool has, and InvalidArguments for arguments that are not a
// JSON object. The Call then contains what could be read, so that Message can answer it. If more
// than 1 MiB would have to be kept, the error says so, and only Keep is missing.
func (x *Exported) Call(raw protocol.Raw) (Call, error) {
	c, err := x.call(strings.Trim(string(raw), " \t\r\n"))
	c.Err = err
	return c, err
}

func (x *Exported) call(text string) (c Call, err error) {
	if !rawjson.Valid(text) || text[0] != '{' {
		return c, wrong("", schema.ArgumentSyntax, text)
	}
	f := x.form()
	if kind, typed := rawjson.Get(text, "type"); typed && f.kind != "" && !same(kind, strconv.Quote(f.kind)) {
		return c, ErrForm
	}
	c.ID = textOf(text, f.id)
	inner := text
	if in, there := rawjson.Get(text, f.wrapped); f.wrapped != "" && there && in[0] == '{' {
		inner = in
		if x.Provider == Gemini {
			c.ID = textOf(in, f.id)
		}
		c.Keep, err = kept(text, f, f.wrapped)
	} else if f.wrapped == "" {
		c.Keep, err = kept(text, f, "")
	}
	if _, there := rawjson.Get(inner, "name"); !there {
		return c, ErrForm
	}
	c.Name = textOf(inner, "name")
	tool, known := x.Names.Tool(c.Name)
	if !known {
		return c, toolerror.Unknown(cut(c.Name), x.Names.all())
	}
	c.Params.Name = tool
	val, _ := rawjson.Get(inner, f.arguments)
	if s, isText := rawjson.Unquote(val); isText {
		val = strings.Trim(s, " \t\r\n")
	}
	switch {
	case val == "" || val == "null":
		return c, err
	case !rawjson.Valid(val):
		return c, wrong(c.Name, schema.ArgumentSyntax, "")
	case val[0] != '{':
		return c, wrong(c.Name, schema.ArgumentType, val)
	}
	val = renamed(val, x.keys[tool].Tool)
	if input := x.inputs[tool]; input != "" {
		s := stripper{root: input}
		val = s.value(input, val, 0)
	}
	c.Params.Arguments = protocol.Raw(val)
	return c, err
}

// kept returns the members of a call that AppendCall does not write itself.
func kept(text string, f form, wrapped string) (protocol.Raw, error) {
	var o object
	for _, m := range membersOf(text) {
		switch m.name {
		case "type", wrapped, "index": // the last is of a stream
			continue
		case f.id, "name", f.arguments:
			if wrapped == "" || m.name == f.id && f.kind != "" {
				continue
			}
		}
		o.add(m.name, m.val)
	}
	if len(o.dst) > maxKeep {
		return "", errKeep
	}
	if len(o.dst) == 0 {
		return "", nil
	}
	return protocol.Raw(o.String()), nil
}

// renamed renames those arguments that to knows.
func renamed(arguments string, to func(name string) (string, bool)) string {
	var o object
	changed := false
	for _, m := range membersOf(arguments) {
		if as, ok := to(m.name); ok && as != m.name {
			m.name, changed = as, true
		}
		o.add(m.name, m.val)
	}
	if !changed {
		return arguments
	}
	return o.String()
}

// all returns the names of the tools for the provider.
func (n Names) all() []string { return slices.Sorted(maps.Keys(n.from)) }

// wrong returns the error for arguments that are not an object.
func wrong(tool string, kind schema.ArgumentKind, val string) error {
	e := &schema.ArgumentError{Kind: kind}
	if kind == schema.ArgumentType {
		e.Want, e.Got = "an object", rawjson.Type(val)
	}
	return &toolerror.Error{Kind: toolerror.InvalidArguments, Tool: tool, Parameters: schema.ArgumentErrors{e}}
}

// textOf returns a string, "" without one.
func textOf(raw, name string) string {
	s, _ := rawjson.Unquote(memberOf(raw, name))
	return s
}

// AppendCall appends a call in the provider's form, for a history, with
// what the provider wants back. It uses the provider's name for the tool in Params; ok is false if that
// tool is not exported, the arguments are not a JSON object, or the provider needs
// an ID and there is none. A history with the whole answer of the model, such as Turn.History, does
// not need AppendCall.
func (x *Exported) AppendCall(dst []byte, c Call) (_ []byte, ok bool) {
	name, ok := x.Names.Provider(c.Params.Name)
	arguments := strings.Trim(string(c.Params.Arguments), " \t\r\n")
	if arguments == "" {
		arguments = "{}"
	}
	f := x.form()
	if !ok || !rawjson.Valid(arguments) || arguments[0] != '{' || f.needsID && c.ID == "" {
		return dst, false
	}
	arguments = renamed(arguments, x.keys[c.Params.Name].Provider)
	if f.quoted {
		arguments = quote(arguments)
	}
	var outer, inner object
	if f.kind != "" {
		outer.add("type", strconv.Quote(f.kind))
	}
	in := &outer
	if x.Provider == Gemini {
		in = &inner
	}
	if c.ID != "" {
		in.add(f.id, quote(c.ID))
	}
	if f.wrapped != "" {
		in = &inner
	}
	in.add("name", quote(name))
	in.add(f.arguments, arguments)
	if f.wrapped != "" {
		outer.add(f.wrapped, inner.String())
	}
	if keep := string(c.Keep); rawjson.Valid(keep) {
		for _, m := range membersOf(keep) {
			outer.add(m.name, m.val)
		}
	}
	return append(dst, outer.String()...), true
}
