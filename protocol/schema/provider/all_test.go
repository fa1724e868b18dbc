package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// modes are the providers, with what Options make of each.
func modes(f func(p provider.Provider, o provider.Options)) {
	for _, p := range providers {
		f(p, provider.Options{})
		f(p, provider.Options{Strict: true})
	}
	f(provider.Gemini, provider.Options{JSONSchema: true})
}

// Each pair of what a schema may say becomes what it became, for each provider and mode, and the same
// is told to be lost.
func TestAllPairsOfKeywords(t *testing.T) {
	exported := func(input string) string {
		var b strings.Builder
		modes(func(p provider.Provider, o provider.Options) {
			x, err := provider.Export(p, []protocol.Tool{{Name: "t", Title: "T", Description: "d", InputSchema: protocol.Raw(input)}}, o)
			if err != nil {
				fmt.Fprint(&b, err, "|")
				return
			}
			fmt.Fprint(&b, x.Tools, x.Lost, "|")
		})
		return b.String()
	}
	within := func(s string) string {
		return exported(`{"type":"object","properties":{"a":` + s + `,"b":{"type":"string"}},"required":["a"],"$defs":{"d":{"type":"string","title":"d"},"m":{"type":"object"},"c":{"type":"object","properties":{"c":{"$ref":"#/$defs/c"}}},"l":[1]}}`)
	}
	texts.Same(t, "2971 of 2971, 54374a74", texts.Members(2,
		`"type":"string",`, `"type":["string","null"],`, `"type":"object",`, `"type":"array",`, `"type":["integer","object","null"],`, `"type":"number",`, `"const":"x",`, `"const":null,`, `"enum":["x","y",null],`, `"enum":[1,2.5,{}],`,
		`"properties":{"p":{"type":"integer"},"q":{}},`, `"required":["p","z"],`, `"additionalProperties":false,`, `"additionalProperties":{"type":"string"},`, `"patternProperties":{"^a":{"type":"null"}},`, `"propertyNames":{"pattern":"x"},`, `"minProperties":1,`, `"maxProperties":3,`,
		`"items":{"type":"string"},`, `"items":false,`, `"prefixItems":[{"type":"string"},{"type":"integer"}],`, `"minItems":1,`, `"maxItems":2,`, `"uniqueItems":true,`, `"contains":{"const":1},`,
		`"minimum":1,`, `"maximum":10,`, `"exclusiveMinimum":0,`, `"exclusiveMaximum":11.5,`, `"multipleOf":2,`, `"minLength":1,`, `"maxLength":5,`, `"pattern":"^a+$",`, `"format":"date-time",`, `"format":"odd",`,
		`"anyOf":[{"type":"string"},{"type":"integer"}],`, `"anyOf":[{"type":"null"},{"$ref":"#/$defs/m"}],`, `"oneOf":[{"const":1},{"const":2}],`, `"allOf":[{"minLength":2},{"maxLength":3}],`, `"allOf":[{"type":"object","properties":{"r":{}},"required":["r"]}],`, `"not":{"type":"null"},`, `"if":{"type":"string"},"then":{"minLength":1},`,
		`"$ref":"#/$defs/d",`, `"$ref":"#/$defs/c",`, `"$ref":"#/$defs/none",`, `"$ref":"#",`, `"title":"t",`, `"description":"what it is",`, `"default":1,`, `"examples":["x"],`, `"deprecated":true,`, `"x-own":1,`, `"nullable":true,`, `"$comment":"c",`,
	), within)
	texts.Same(t, "1885 of 1885, dee56328", texts.Members(3,
		`"type":"object",`, `"properties":{"p":{"type":["integer","null"]},"q":{"const":1}},`, `"required":["p"],`, `"additionalProperties":{"type":"string"},`, `"minProperties":1,`, `"propertyNames":{"enum":["p","x"]},`,
		`"allOf":[{"properties":{"p":{"minimum":1}}},{"required":["q"]}],`, `"anyOf":[{"required":["p"]},{"required":["q"]}],`, `"dependentRequired":{"p":["q"]},`, `"$ref":"#/$defs/m",`, `"$defs":{"m":{"type":"object","properties":{"m":{}}}},`, `"description":"d",`,
	), exported)
}

// What is near an answer of a model is read as it was.
func TestAllNearAnswers(t *testing.T) {
	read := func(p provider.Provider) func(string) string {
		x := export(t, p, false)
		return func(raw string) string {
			turn, err := x.Calls(protocol.Raw(raw))
			return fmt.Sprintf("%+v %v", turn, err)
		}
	}
	texts.Same(t, "83593 of 83593, b1bb10d5", texts.Near(turns[provider.OpenAIChat].response), read(provider.OpenAIChat))
	texts.Same(t, "94429 of 94429, 742a579f", texts.Near(turns[provider.OpenAIResponses].response), read(provider.OpenAIResponses))
	texts.Same(t, "75079 of 75079, 7e2a712e", texts.Near(turns[provider.Anthropic].response), read(provider.Anthropic))
	texts.Same(t, "68113 of 68113, 841282f2", texts.Near(turns[provider.Gemini].response), read(provider.Gemini))
}

// What is near a name becomes the name that it became.
func TestAllNearNames(t *testing.T) {
	texts.Same(t, "20130 of 20130, b1f5dfe0", texts.Near("a.b/c", "é", "9a", strings.Repeat("x", 64), "-_", "a_b"), func(s string) string { return named(provider.OpenAIChat, s) })
	texts.Same(t, "20130 of 20130, 5c2ee931", texts.Near("a.b/c", "é", "9a", strings.Repeat("x", 64), ".x", "a_b"), func(s string) string { return named(provider.Gemini, s) })
}

// named is what a name becomes beside others that are much like it.
func named(p provider.Provider, s string) string {
	n, err := provider.NewNames(p, []string{"a_b", s, "a.b", "A_b"})
	if err != nil {
		return err.Error()
	}
	name, ok := n.Provider(s)
	tool, is := n.Tool(name)
	return fmt.Sprint(name, ok, tool == s, is)
}
