package provider

import (
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Provider is an API of models with tools.
type Provider uint8

// The providers. The zero Provider names none of them.
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

// UnsupportedError says that no provider has that name.
type UnsupportedError struct {
	// Name is the name, cut after 64 bytes.
	Name string
}

// Error returns the name and the supported names.
func (e *UnsupportedError) Error() string {
	return "provider: unknown provider " + strconv.Quote(e.Name) + "; available: " + strings.Join(providerNames[1:], ", ")
}

// Named returns the provider with that name, in any letter case: openai, openai-responses, azure,
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
	// Strict asks the provider to enforce the schema on the model, for each tool whose schema can be
	// written for that. For Gemini this is a mode of the request, so Strict has no effect.
	Strict bool
	// JSONSchema writes parametersJsonSchema for Gemini instead of parameters: the part of JSON
	// Schema that it accepts there, with maps and references. A tool with circular references still
	// gets parameters. For other providers it has no effect.
	JSONSchema bool
}

// Action is what was done with something that a provider cannot express.
type Action string

// The actions.
const (
	LeftOut   Action = "left out"   // a server still checks it
	Widened   Action = "widened"    // replaced by something that accepts more
	Narrowed  Action = "narrowed"   // replaced by something that accepts less
	Shortened Action = "shortened"  // a text was too long
	NotStrict Action = "not strict" // this tool goes out as without Options.Strict
)

// Loss is something that a provider cannot express.
type Loss struct {
	// Tool is the name of the tool; "" means all of them.
	Tool string
	// Path is the JSON pointer to the schema that has the keyword, within the inputSchema; of
	// a Message it leads to the block of content.
	Path string
	// Keyword is what the provider does not accept. It may be a word of its own: tools for a tool too
	// many, id for a result without one, or the exceeded limit of a strict schema or
	// request: levels, properties, enum, length, strict, optional, anyOf.
	Keyword string
	// Action is what was done with it.
	Action Action
}

// cut returns the first 64 bytes of a name.
func cut(name string) string { return rawjson.Clip(name, 64) }

const (
	maxLost        = 1000      // of a tool
	maxDescription = 1024      // bytes, for Azure
	maxDepth       = 100       // nested schemas
	maxSchemas     = 10_000    // of a tool
	maxBytes       = 1 << 20   // of a schema for Gemini
	maxRefs        = 32        // nested written-out references
	maxBook        = 128 << 20 // bytes of schemas read to follow references
)
