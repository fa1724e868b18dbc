package provider

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// Exported are tools in the form of a provider, and the way back. It does not change and may
// be shared by goroutines.
type Exported struct {
	// Provider is the provider of the form.
	Provider Provider
	// Tools is the JSON array for the tools of a request.
	Tools protocol.Raw
	// Names maps the names of the tools.
	Names Names
	// Lost is what the provider cannot express, tool by tool in the order of their schemas, at
	// most 1000 for each tool.
	Lost []Loss

	inputs map[string]string // the schemas, if Call must remove nulls
	keys   map[string]Names  // of properties renamed for the provider
}

// SchemaError says that a tool cannot be exported because its inputSchema is not a JSON
// object.
type SchemaError struct {
	// Tool is the name of the tool, cut after 64 bytes.
	Tool string
}

// Error returns the name of the tool.
func (e *SchemaError) Error() string {
	return "provider: the inputSchema of " + strconv.Quote(e.Tool) + " is not a JSON object"
}

// Export returns the tools in the form of a provider, in their order. The error is an
// *UnsupportedError, a *NameError for two tools with the same name, or a *SchemaError.
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
	fields := []string{"name", quote(name), "description", "", "parameters", parameters}
	if description != "" {
		fields[3] = quote(description)
	}
	says := strconv.FormatBool(strict)
	switch x.Provider {
	case OpenAIChat, Azure:
		dst = append(dst, record("type", `"function"`, "function", record(append(fields, "strict", says)...))...)
	case OpenAIResponses:
		dst = append(dst, record(append(append([]string{"type", `"function"`}, fields...), "strict", says)...)...)
	case Anthropic:
		fields[4] = "input_schema"
		if strict {
			fields = append(fields, "strict", says)
		}
		dst = append(dst, record(fields...)...)
	default:
		if c.rules == &schemaGemini {
			fields[4] = "parametersJsonSchema"
		}
		dst = append(dst, record(fields...)...)
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

// convert returns the schema of a tool: a strict one if possible within the limits of the
// request.
func (x *Exported) convert(tool, input string, o Options, spent *limits) (*converter, string) {
	try := func(r *dialect) (*converter, string) {
		c := &converter{rules: r, tool: tool, root: input}
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

// parameters returns the schema in the provider's form, "" for none.
func (c *converter) parameters() string {
	n := c.rooted()
	switch {
	case c.rules == &declaredGemini:
		return c.declared(n)
	case c.rules.strict:
		return c.defining(c.strictly(n, true), c.below)
	}
	return c.defining(c.loosely(n, true), c.loose)
}

// defining adds the definitions to the root.
func (c *converter) defining(root string, write func(raw, at string) string) string {
	var all object
	for i := 0; i < len(c.defs) && c.stopped == nil; i++ {
		ref := c.defs[i].ref
		c.current, c.refs = ref, nil
		target, _ := c.resolve(ref)
		text := write(target, ref[1:])
		all.add(c.defs[i].name, text)
	}
	if all.dst == nil {
		return root
	}
	return strings.TrimSuffix(root, "}") + `,"$defs":` + all.String() + "}"
}
