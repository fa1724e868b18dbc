package provider

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// Provider is one of the interfaces that models with tools have.
type Provider uint8

// The providers. Zero is none.
const (
	OpenAIChat      Provider = 1 + iota // chat completions of OpenAI
	OpenAIResponses                     // responses of OpenAI
	Azure                               // chat completions of Azure OpenAI
	Anthropic                           // messages of Anthropic
	Gemini                              // generateContent of Gemini
)

var providerNames = [...]string{"", "openai", "openai-responses", "azure", "anthropic", "gemini"}

// String returns the name that Named knows.
func (p Provider) String() string {
	if int(p) >= len(providerNames) {
		p = 0
	}
	return providerNames[p]
}

// UnsupportedError says that there is no provider of that name.
type UnsupportedError struct {
	// Name is the name, cut after 64 bytes.
	Name string
}

// Error returns the name and those that there are.
func (e *UnsupportedError) Error() string {
	return "provider: there is no " + strconv.Quote(e.Name) + ", there is " + strings.Join(providerNames[1:], ", ")
}

// Named returns the provider of that name, in any case: openai, openai-responses, azure,
// anthropic or gemini. The error is an *UnsupportedError.
func Named(name string) (Provider, error) {
	for i, known := range providerNames {
		if i > 0 && strings.EqualFold(name, known) {
			return Provider(i), nil
		}
	}
	return 0, &UnsupportedError{Name: cut(name)}
}

// Options say how tools are exported. The zero Options is not strict.
type Options struct {
	// Strict asks the provider to hold the model to the schema, for each tool whose schema it can
	// say. For Gemini that is a mode of the request, so nothing changes.
	Strict bool
	// JSONSchema writes parametersJsonSchema for Gemini in place of parameters: the part of JSON
	// Schema that it takes there, with maps and references. A tool with references in a circle has
	// parameters. For other providers nothing changes.
	JSONSchema bool
}

// Action is what was done with something that a provider cannot express.
type Action string

// The actions.
const (
	LeftOut   Action = "left out"   // a server checks it all the same
	Widened   Action = "widened"    // something that accepts more is in its place
	Narrowed  Action = "narrowed"   // something that accepts less is in its place
	Shortened Action = "shortened"  // a text is too long
	NotStrict Action = "not strict" // this tool goes out as without Options.Strict
)

// Loss is something that a provider cannot express.
type Loss struct {
	// Tool is the name of the tool; "" is all of them.
	Tool string
	// Path is the JSON pointer to the schema that has the keyword, within the inputSchema; of
	// a Message it leads to the block of content.
	Path string
	// Keyword is what the provider does not take. It may be of the provider: tools for a tool too
	// many, id for a result without one, or the limit of a strict schema or request that is
	// exceeded: levels, properties, enum, length, strict, optional, anyOf.
	Keyword string
	// Action is what was done with it.
	Action Action
}

// Exported are tools in the form of a provider, with the way back. It does not change and may
// be shared by goroutines.
type Exported struct {
	// Provider is for whom they are.
	Provider Provider
	// Tools is the JSON array that a request of the provider takes as its tools.
	Tools protocol.Raw
	// Names maps the names of the tools.
	Names Names
	// Lost is what the provider cannot express, tool by tool in the order of their schemas, the
	// first 1000 of each tool.
	Lost []Loss

	inputs map[string]string // the schemas, if Call has to take nulls away
	keys   map[string]Names  // of properties that have other names for the provider
}

// SchemaError says that a tool cannot be exported, because its inputSchema is not one JSON
// object.
type SchemaError struct {
	// Tool is the name of the tool, cut after 64 bytes.
	Tool string
}

// Error returns the name of the tool.
func (e *SchemaError) Error() string {
	return "provider: the inputSchema of " + strconv.Quote(e.Tool) + " is not a JSON object"
}

const (
	maxLost        = 1000 // of a tool
	maxDescription = 1024 // bytes, for Azure
)

// Export returns the tools in the form of a provider, in their order. The error is an
// *UnsupportedError, a *NameError for two tools of one name, or a *SchemaError.
func Export(p Provider, tools []protocol.Tool, o Options) (*Exported, error) {
	if p == 0 || p > Gemini {
		return nil, &UnsupportedError{Name: p.String()}
	}
	names := make([]string, 0, len(tools))
	for i := range tools {
		names = append(names, tools[i].Name)
	}
	all, err := NewNames(p, names)
	if err != nil {
		return nil, err
	}
	x := &Exported{Provider: p, Names: all, inputs: map[string]string{}, keys: map[string]Names{}}
	if o.Strict && p == Gemini {
		x.Lost = append(x.Lost, Loss{Keyword: "strict", Action: LeftOut}) // it is a mode of the request
	}
	if most := perRequest[p].tools; most > 0 && len(tools) > most {
		for _, t := range tools[most:] {
			x.Lost = append(x.Lost, Loss{Tool: t.Name, Keyword: "tools", Action: LeftOut})
		}
		tools = tools[:most]
		x.Names, _ = NewNames(p, names[:most])
	}
	var spent limits
	dst := []byte{'['}
	for i := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = x.tool(dst, &tools[i], o, &spent); err != nil {
			return nil, err
		}
	}
	if p == Gemini && len(tools) > 0 {
		dst = append(append([]byte(`[{"functionDeclarations":`), dst...), ']', '}')
	}
	x.Tools = protocol.Raw(append(dst, ']'))
	return x, nil
}

// tool appends one tool.
func (x *Exported) tool(dst []byte, t *protocol.Tool, o Options, spent *limits) ([]byte, error) {
	input := string(t.InputSchema)
	if input == "" {
		input = `{"type":"object"}`
	}
	input = strings.Trim(input, " \t\r\n")
	if !rawjson.Valid(input) || input[0] != '{' {
		return nil, &SchemaError{Tool: cut(t.Name)}
	}
	c, parameters := x.convert(t.Name, input, o, spent)
	strict := c.rules.strict
	description := t.Description
	if t.OutputSchema != "" {
		c.lose("", "outputSchema", LeftOut)
	}
	if x.Provider == Azure && len(description) > maxDescription {
		c.lose("", "description", Shortened)
		description = rawjson.Clip(description, maxDescription-len("…"))
	}
	name, _ := x.Names.Provider(t.Name)
	switch x.Provider {
	case OpenAIChat, Azure:
		dst = append(dst, `{"type":"function","function":{`...)
		dst = appendTool(dst, name, description, "parameters", parameters)
		dst = append(strconv.AppendBool(append(dst, `,"strict":`...), strict), '}', '}')
	case OpenAIResponses:
		dst = appendTool(append(dst, `{"type":"function",`...), name, description, "parameters", parameters)
		dst = append(strconv.AppendBool(append(dst, `,"strict":`...), strict), '}')
	case Anthropic:
		dst = appendTool(append(dst, '{'), name, description, "input_schema", parameters)
		if strict {
			dst = append(dst, `,"strict":true`...)
		}
		dst = append(dst, '}')
	default:
		member := "parameters"
		if c.rules == &schemaGemini {
			member = "parametersJsonSchema"
		}
		dst = append(appendTool(append(dst, '{'), name, description, member, parameters), '}')
	}
	if c.rules.requireAll {
		x.inputs[t.Name] = input
	}
	if c.renames {
		x.keys[t.Name] = c.keys
	}
	x.Lost = append(x.Lost, c.lost...)
	return dst, nil
}

// convert returns the schema of a tool: a strict one if there is one and the limits of the request
// have room for it.
func (x *Exported) convert(tool, input string, o Options, spent *limits) (*converter, string) {
	try := func(r *dialect) (*converter, string) {
		c := &converter{provider: x.Provider, rules: r, tool: tool, root: input}
		return c, c.parameters()
	}
	c, text := try(x.Provider.rules(o))
	switch {
	case c.rules == &schemaGemini && c.circular():
		return try(&declaredGemini)
	case !c.rules.strict:
		return c, text
	case c.stopped == nil && !c.rules.circles && c.circular():
		c.stop("", "$ref")
	}
	if c.stopped == nil {
		n := countOf(text)
		l := n.above(c.rules.tool)
		n.strict, n.optional, n.unions = spent.strict+1, spent.optional+n.optional, spent.unions+n.unions
		if l == "" {
			l = n.above(perRequest[x.Provider])
		}
		if l == "" {
			*spent = n.limits
			return c, text
		}
		c.stop("", l)
	}
	why := *c.stopped
	o.Strict = false
	c, text = try(x.Provider.rules(o))
	c.lost = append([]Loss{why}, c.lost[:min(len(c.lost), maxLost-1)]...)
	return c, text
}

func appendTool(dst []byte, name, description, member, parameters string) []byte {
	dst = rawjson.AppendQuote(append(dst, `"name":`...), name)
	if description != "" {
		dst = rawjson.AppendQuote(append(dst, `,"description":`...), description)
	}
	if parameters != "" {
		dst = append(rawjson.AppendQuote(append(dst, ','), member), ':')
		dst = append(dst, parameters...)
	}
	return dst
}

// cut returns the first bytes of a name.
func cut(name string) string { return rawjson.Clip(name, 64) }
