package provider_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// nulled returns the arguments of a call for a strict schema.
func nulled(t *testing.T, input, args string) string {
	t.Helper()
	x, err := provider.Export(provider.OpenAIChat, []protocol.Tool{{Name: "t", InputSchema: protocol.Raw(input)}}, provider.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := x.Call(protocol.Raw(`{"id":"c","function":{"name":"t","arguments":` + args + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return string(c.Params.Arguments)
}

// D16: Export also makes members of alternatives required, so their nulls are removed too.
func TestStrictNullsOfAlternatives(t *testing.T) {
	const (
		named = `{"type":"object","properties":{"y":{"type":"string"}}}`
		other = `{"type":"object","properties":{"z":{"type":"string"}}}`
	)
	for _, c := range []struct{ input, args, want string }{
		{`{"type":"object","properties":{"x":{"anyOf":[` + named + `,{"type":"null"}]}}}`, `{"x":{"y":null}}`, `{"x":{}}`},
		{`{"type":"object","properties":{"x":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}},"$defs":{"a":` + named + `}}`, `{"x":{"y":null}}`, `{"x":{}}`},
		{`{"type":"object","properties":{"x":{"oneOf":[` + other + `,` + named + `]}},"required":["x"]}`, `{"x":{"y":null}}`, `{"x":{}}`},
		{`{"type":"object","properties":{"x":{"allOf":[` + named + `]}},"required":["x"]}`, `{"x":{"y":null}}`, `{"x":{}}`},
		{`{"type":"object","properties":{"x":{"anyOf":[{"type":"array","items":` + named + `},{"type":"null"}]}}}`, `{"x":[{"y":null},{"y":"a"}]}`, `{"x":[{},{"y":"a"}]}`},
		{`{"allOf":[` + named + `]}`, `{"y":null}`, `{}`},
		{`{"anyOf":[{"anyOf":[` + other + `,` + named + `]}],"type":"object"}`, `{"y":null}`, `{"y":null}`}, // not strict
		// A const tells alternatives apart.
		{`{"type":"object","properties":{"x":{"anyOf":[
			{"type":"object","properties":{"k":{"const":"a"},"v":{"type":["string","null"]}},"required":["k"]},
			{"type":"object","properties":{"k":{"enum":["b"]},"v":{"type":"string"}},"required":["k"]}]}}}`,
			`{"x":{"k":"\u0062","v":null}}`, `{"x":{"k":"\u0062"}}`},
		{`{"type":"object","properties":{"x":{"anyOf":[
			{"type":"object","properties":{"k":{"const":"a"},"v":{"type":["string","null"]}},"required":["k"]},
			{"type":"object","properties":{"k":{"enum":["b"]},"v":{"type":"string"}},"required":["k"]}]}}}`,
			`{"x":{"k":"a","v":null}}`, `{"x":{"k":"a","v":null}}`},
		{`{"type":"object","properties":{"x":{"anyOf":[
			{"type":"object","properties":{"k":{"enum":["a","c"]},"v":{"type":["string","null"]}},"required":["k"]},
			{"type":"object","properties":{"k":{"enum":["b"]},"v":{"type":"string"}},"required":["k"]}]}}}`, `{"x":{"k":"c","v":null}}`, `{"x":{"k":"c","v":null}}`},
		{`{"type":"object","properties":{"x":{"anyOf":[
			{"type":"object","properties":{"k":{"enum":["a","c"]},"v":{"type":["string","null"]}},"required":["k"]},
			{"type":"object","properties":{"k":{"enum":["b"]},"v":{"type":"string"}},"required":["k"]}]}}}`, `{"x":{"k":"b","v":null}}`, `{"x":{"k":"b"}}`},
		// Of two that fit, the one with all its members.
		{`{"type":"object","properties":{"x":{"anyOf":[
			{"type":"object","properties":{"v":{"type":"string"},"w":{"type":"string"}}},
			{"type":"object","properties":{"v":{"type":["string","null"]}}}]}}}`,
			`{"x":{"v":null}}`, `{"x":{"v":null}}`},
		// A value that fits none stays.
		{`{"type":"object","properties":{"x":{"anyOf":[` + named + `,{"type":"string"},{"type":"object"},true]}}}`, `{"x":{"q":null}}`, `{"x":{"q":null}}`},
		// null is a value where a reference leads to a schema that accepts it.
		{`{"type":"object","properties":{"y":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":["string","null"]}}}`, `{"y":null}`, `{"y":null}`},
		{`{"type":"object","properties":{"y":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"string"}}}`, `{"y":null}`, `{}`},
		{`{"type":"object","properties":{"y":{"$ref":"#/nowhere"}}}`, `{"y":null}`, `{"y":null}`}, // not strict
	} {
		if got := nulled(t, c.input, c.args); got != c.want {
			t.Errorf("%s of %s: %s, want %s", c.args, c.input, got, c.want)
		}
	}
}

// Alternatives that contain themselves take bounded time: each level tries
// three, so that without a bound this would not end.
func TestStrictNullsOfHostileAlternatives(t *testing.T) {
	self := `{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}`
	args := `{"x":` + strings.Repeat(`{"x":[`, 100) + `null` + strings.Repeat(`]}`, 100) + `}`
	if got := nulled(t, `{"type":"object","properties":{"x":`+self+`},"$defs":{"a":`+self+`}}`, args); got != args {
		t.Error(got)
	}
}

// A member without a name is not a provider's wrapper of a call.
func TestCallWithNamelessMember(t *testing.T) {
	x, err := provider.Export(provider.Anthropic, []protocol.Tool{{Name: "t", InputSchema: `{"type":"object"}`}}, provider.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := x.Call(`{"":{"name":"other"},"id":"1","name":"t","input":{"a":1}}`)
	if err != nil || c.Name != "t" || c.Params.Arguments != `{"a":1}` {
		t.Error(c, err)
	}
}
