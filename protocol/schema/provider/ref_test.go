package provider_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// References lead to the same target from everywhere, any number of times: to definitions of both
// keywords and with one name, to properties, over others, with escapes, and to the root.
func TestReferences(t *testing.T) {
	const input = `{"type":"object","properties":{
		"one":{"$ref":"#/$defs/x"},"two":{"$ref":"#/$defs/x"},"old":{"$ref":"#/definitions/x"},"in":{"type":"object","properties":{"deep":{"$ref":"#/$defs/x"}},"required":["deep"]},
		"over":{"$ref":"#/$defs/y"},"prop":{"$ref":"#/properties/in"},"item":{"type":"array","items":{"$ref":"#/properties/in/properties/deep"}},
		"esc":{"$ref":"#/$defs/a~1b%3Cc%3E"},"index":{"$ref":"#/$defs/l/anyOf/1"}},
		"required":["one","two","old","in","over","prop","item","esc","index"],
		"$defs":{"x":{"type":"string","title":"new"},"y":{"$ref":"#/$defs/z"},"z":{"type":"integer"},"a/b<c>":{"type":"boolean"},"l":{"anyOf":[{"type":"null"},{"type":"number"}]},"unused":{"type":"wrong"}},
		"definitions":{"x":{"type":"string","title":"former"}}}`
	for p, want := range map[provider.Provider]string{
		provider.OpenAIChat: `{"one":{"$ref":"#/$defs/x"},"two":{"$ref":"#/$defs/x"},"old":{"$ref":"#/$defs/x_2"},"in":{"type":"object","properties":{"deep":{"$ref":"#/$defs/x"}},"required":["deep"],"additionalProperties":false},` +
			`"over":{"$ref":"#/$defs/z"},"prop":{"$ref":"#/$defs/in"},"item":{"type":"array","items":{"$ref":"#/$defs/x"}},"esc":{"$ref":"#/$defs/a_1b_3Cc_3E"},"index":{"$ref":"#/$defs/1"}}`,
		provider.Gemini: `{"one":{"type":"STRING","title":"new"},"two":{"type":"STRING","title":"new"},"old":{"type":"STRING","title":"former"},"in":{"type":"OBJECT","properties":{"deep":{"type":"STRING","title":"new"}},"required":["deep"],"propertyOrdering":["deep"]},` +
			`"over":{"type":"INTEGER"},"prop":{"type":"OBJECT","properties":{"deep":{"type":"STRING","title":"new"}},"required":["deep"],"propertyOrdering":["deep"]},"item":{"type":"ARRAY","items":{"type":"STRING","title":"new"}},"esc":{"type":"BOOLEAN"},"index":{"type":"NUMBER"}}`,
	} {
		schema, strict, lost := written(t, p, provider.Options{Strict: true}, input)
		got, _ := rawjson.Get(schema, "properties")
		if got != want || strict != (p == provider.OpenAIChat) || p == provider.OpenAIChat && len(lost) > 0 {
			t.Errorf("%s: strict %v, lost %v\n%s\nwant\n%s", p, strict, lost, got, want)
		}
		defs, _ := rawjson.Get(schema, "$defs")
		if want := `{"x":{"type":"string","title":"new"},"x_2":{"type":"string","title":"former"},"z":{"type":"integer"},"in":{"type":"object","properties":{"deep":{"$ref":"#/$defs/x"}},"required":["deep"],"additionalProperties":false},"a_1b_3Cc_3E":{"type":"boolean"},"1":{"type":"number"}}`; p == provider.OpenAIChat && defs != want {
			t.Errorf("%s\nwant\n%s", defs, want)
		}
	}
	for _, o := range []provider.Options{{}, {Strict: true}} { // the root within itself, and a circle of two
		got, strict, lost := written(t, provider.OpenAIChat, o, `{"type":"object","properties":{"self":{"$ref":"#"},"a":{"$ref":"#/$defs/a"}},"required":["self","a"],"$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/b"}},"b":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"required":["a"]}}}`)
		if strict != o.Strict || len(lost) > 0 || strings.Count(got, `"$ref":"#/$defs/root"`) != 2 || strings.Count(got, `"$ref":"#/$defs/a"`) != 3 || strings.Count(got, `"root":{`) != 1 {
			t.Error(got, strict, lost)
		}
	}
	for _, p := range []provider.Provider{provider.OpenAIChat, provider.Gemini} { // written out each time something stands next to them
		got, _, _ := written(t, p, provider.Options{}, `{"type":"object","properties":{"a":{"$ref":"#/$defs/d","minLength":1},"b":{"$ref":"#/$defs/d","minLength":2},"c":{"$ref":"#/$defs/d","minLength":3}},"$defs":{"d":{"type":"string","title":"`+strings.Repeat("t", 100)+`"}}}`)
		if strings.Count(got, "tttt") != 3*25 {
			t.Errorf("%s: %s", p, got)
		}
	}
	// For Gemini at most 1 MiB is written, and what exceeds it becomes a string.
	got, _, lost := written(t, provider.Gemini, provider.Options{}, `{"type":"object","properties":{`+repeated(`"p%d":{"$ref":"#/$defs/d"}`, 30)+`},"$defs":{"d":{"type":"integer","title":"`+strings.Repeat("t", 100_000)+`"}}}`)
	if n := strings.Count(got, `{"type":"STRING"}`); len(got) > 1_300_000 || n != 30-11 || len(lost) != n || lost[0] != (provider.Loss{Tool: "t", Path: "/properties/p11", Keyword: "limit", Action: provider.Widened}) {
		t.Error(len(got), n, lost)
	}
	for keyword, in := range map[string]string{"$recursiveRef": `{"$recursiveRef":"#"}`, "$dynamicRef": `{"$dynamicRef":"#/$defs/a"}`} {
		got, _, lost := written(t, provider.Anthropic, provider.Options{}, `{"type":"object","properties":{"p":`+in+`},"$defs":{"a":{"type":"string"}}}`)
		if !strings.Contains(got, `"p":{"$ref":"#/$defs/`) || len(lost) > 0 {
			t.Error(keyword, got, lost)
		}
	}
	if got, _, lost := written(t, provider.Anthropic, provider.Options{}, `{"type":"object","properties":{"p":{"$dynamicRef":"#here"},"q":{"$ref":"#/$defs/c"}},"$defs":{"c":{"$ref":"#/$defs/c"}}}`); !strings.Contains(got, `"p":{},"q":{}`) || len(lost) != 2 {
		t.Error(got, lost)
	}
}

// Exported tools share no memory with the caller's, and results of calls share none with each
// other.
func TestNothingIsShared(t *testing.T) {
	for _, p := range providers {
		tools := []protocol.Tool{{Name: "a.b", InputSchema: `{"type":"object","properties":{"$x":{"type":"string"},"y":{"type":"string"}}}`}, {Name: "c"}}
		x, err := provider.Export(p, tools, provider.Options{Strict: true})
		if err != nil {
			t.Fatal(err)
		}
		name, _ := x.Names.Provider("a.b")
		call := provider.Call{ID: "i", Name: name, Params: protocol.CallToolParams{Name: "a.b", Arguments: `{"$x":"v"}`}}
		first, _ := x.AppendCall(make([]byte, 0, 1000), call)
		before := string(first)
		tools[0], tools[1] = protocol.Tool{Name: "z", InputSchema: "{}"}, protocol.Tool{}
		other, _ := x.AppendCall(first[:0:0], provider.Call{ID: "j", Params: protocol.CallToolParams{Name: "c"}})
		if back, err := x.Call(protocol.Raw(before)); err != nil || back != call || string(first) != before || string(other) == before {
			t.Errorf("%s: %+v, %v", p, back, err)
		}
		results := []*protocol.CallToolResult{{Content: []protocol.Content{protocol.TextContent("one")}}, nil}
		calls := []provider.Call{call, call}
		list, _ := x.Messages(calls, results)
		kept := string(list[0])
		calls[0], results[0] = provider.Call{}, nil
		if again, _ := x.Messages(calls, results); string(list[0]) != kept || len(again) == len(list) && again[0] == list[0] {
			t.Errorf("%s: %s", p, list[0])
		}
	}
}

// The names in a reference are escaped as in a JSON pointer: ~01 is ~1, not /.
func TestEscapedReferences(t *testing.T) {
	const input = `{"type":"object","properties":{"a":{"$ref":"#/$defs/~01"},"b":{"$ref":"#/$defs/~1"},"c":{"$ref":"#/$defs/~0~1"}},"$defs":{"~1":{"type":"string"},"/":{"type":"integer"},"~/":{"type":"boolean"}}}`
	got, _, lost := written(t, provider.Gemini, provider.Options{}, input)
	if want := `{"a":{"type":"STRING"},"b":{"type":"INTEGER"},"c":{"type":"BOOLEAN"}}`; !strings.Contains(got, want) || len(lost) > 0 {
		t.Errorf("%s, %v, want %s", got, lost, want)
	}
}
