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

// Options say how tools are exported.
type Options struct {
	// Strict asks the provider to hold the model to the schema.
	Strict bool
}

// Loss is something that a provider cannot express.
type Loss struct {
	// Tool is the name of the tool; "" is all of them.
	Tool string
	// Path is the JSON pointer to the schema that has the keyword, within the inputSchema; of
	// a Message it leads to the block of content.
	Path string
	// Keyword is what was left out or widened.
	Keyword string
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
	mapped, err := NewNames(p, names)
	if err != nil {
		return nil, err
	}
	x := &Exported{Provider: p, Names: mapped}
	if o.Strict && p == Gemini {
		x.Lost = append(x.Lost, Loss{Keyword: "strict"}) // it is a mode of the request
	}
	if o.Strict && p.requiresAll() {
		x.inputs = map[string]string{}
	}
	dst := []byte{'['}
	for i := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = x.tool(dst, &tools[i], o.Strict); err != nil {
			return nil, err
		}
	}
	if p == Gemini && len(tools) > 0 {
		dst = append(append([]byte(`[{"functionDeclarations":`), dst...), ']', '}')
	}
	x.Tools = protocol.Raw(append(dst, ']'))
	return x, nil
}

// requiresAll reports whether the provider requires every property if it is strict.
func (p Provider) requiresAll() bool { return p == OpenAIChat || p == OpenAIResponses || p == Azure }

// tool appends one tool.
func (x *Exported) tool(dst []byte, t *protocol.Tool, strict bool) ([]byte, error) {
	input := string(t.InputSchema)
	if input == "" {
		input = `{"type":"object"}`
	}
	input = strings.Trim(input, " \t\r\n")
	if !rawjson.Valid(input) || input[0] != '{' {
		return nil, &SchemaError{Tool: cut(t.Name)}
	}
	c := &converter{provider: x.Provider, strict: strict, tool: t.Name, root: input}
	description := t.Description
	if t.OutputSchema != "" {
		c.lose("", "outputSchema")
	}
	if x.Provider == Azure && len(description) > maxDescription {
		c.lose("", "description")
		description = clip(description, maxDescription)
	}
	name, _ := x.Names.Provider(t.Name)
	parameters := c.parameters()
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
		dst = append(appendTool(append(dst, '{'), name, description, "parameters", parameters), '}')
	}
	if x.inputs != nil {
		x.inputs[t.Name] = input
	}
	x.Lost = append(x.Lost, c.lost...)
	return dst, nil
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
func cut(name string) string { return clip(name, 64) }

func clip(s string, most int) string {
	const more = "…"
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most-len(more)], "") + more
}
