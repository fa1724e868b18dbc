package exportcheck_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/exportcheck"
)

// Everything that a provider is known to refuse is found; a similar accepted form is not.
func TestRefusals(t *testing.T) {
	tool := map[string]string{
		"openai":           `[{"type":"function","function":{"name":"t","parameters":%s,"strict":false}}]`,
		"openai-strict":    `[{"type":"function","function":{"name":"t","parameters":%s,"strict":true}}]`,
		"azure-strict":     `[{"type":"function","function":{"name":"t","parameters":%s,"strict":true}}]`,
		"openai-responses": `[{"type":"function","name":"t","parameters":%s,"strict":false}]`,
		"anthropic":        `[{"name":"t","input_schema":%s}]`,
		"anthropic-strict": `[{"name":"t","input_schema":%s,"strict":true}]`,
		"gemini":           `[{"functionDeclarations":[{"name":"t","parameters":%s}]}]`,
		"gemini-json":      `[{"functionDeclarations":[{"name":"t","parametersJsonSchema":%s}]}]`,
	}
	one := func(s string) string { return `{"type":"object","properties":{"a":` + s + `}}` }
	strict := func(s string) string {
		return `{"type":"object","properties":{"a":` + s + `},"required":["a"],"additionalProperties":false,"$defs":{"d":{"type":"string"}}}`
	}
	schema := func(s string) string { return `{"type":"OBJECT","properties":{"a":` + s + `}}` }
	for _, c := range []struct{ mode, good, bad, says string }{
		{"openai", `{"type":"object","properties":{}}`, `{"type":"object"}`, "missing properties"},
		{"openai", `{"type":"object","properties":{}}`, `{"properties":{}}`, "type object"},
		{"openai", one(`{"anyOf":[{}]}`), `{"type":"object","properties":{},"anyOf":[{}]}`, "top level"},
		{"openai", one(`{"not":{}}`), `{"type":"object","properties":{},"not":{}}`, "top level"},
		{"openai", one(`{"type":"array","items":{}}`), one(`{"type":"array"}`), "missing items"},
		{"openai-responses", one(`{"type":["array","null"],"items":true}`), one(`{"type":["array","null"]}`), "missing items"},
		{"openai", one(`{"exclusiveMinimum":1}`), one(`{"minimum":1,"exclusiveMinimum":true}`), "2020-12"},
		{"openai", one(`{"pattern":"(?:a)"}`), one(`{"pattern":"(?=a)"}`), "lookaround"},
		{"openai", one(`{"pattern":"a{1,2000}\\u0041"}`), one(`{"pattern":"("}`), "2020-12"},
		{"openai-strict", strict(`{"type":"string"}`), strict(`{}`), "must have a type"},
		{"openai-strict", strict(`{"type":"string","const":"x"}`), strict(`{"const":"x"}`), "must have a type"},
		{"openai-strict", strict(`{"type":"string"}`), strict(`true`), "no object"},
		{"openai-strict", strict(`{"type":"string","pattern":"a"}`), strict(`{"type":"string","minLength":1}`), "not permitted"},
		{"openai-strict", strict(`{"$ref":"#/$defs/d"}`), strict(`{"$ref":"#/$defs/d","description":"x"}`), "cannot have keywords"},
		{"openai-strict", strict(`{"$ref":"#"}`), strict(`{"$ref":"#/properties/a"}`), "$ref to"},
		{"openai-strict", strict(`{"anyOf":[{"type":"null"}],"description":"x"}`), strict(`{"anyOf":[{"type":"null"}],"type":"null"}`), "beside anyOf"},
		{"openai-strict", strict(`{"type":"string"}`), one(`{"type":"string"}`), "additionalProperties"},
		{"openai-strict", strict(`{"type":"string"}`), strings.Replace(strict(`{"type":"string"}`), `["a"]`, `[]`, 1), "required does not have"},
		{"openai-strict", strict(`{"type":"string","format":"uuid"}`), strict(`{"type":"string","format":"uri"}`), "format"},
		{"openai-strict", strict(`{"type":"string","enum":["a"]}`), strict(`{"type":"string","enum":[1]}`), "not of the type"},
		{"openai-strict", strict(strings.Repeat(`{"type":"array","items":`, 9) + `{"type":"string"}` + strings.Repeat("}", 9)), strict(strings.Repeat(`{"type":"array","items":`, 10) + `{"type":"string"}` + strings.Repeat("}", 10)), "levels"},
		{"azure-strict", strict(`{"type":"string"}`), strict(`{"type":"string","pattern":"a"}`), "not permitted"},
		{"anthropic", one(`{"oneOf":[{}]}`), `{"type":"object","oneOf":[{}]}`, "top level"},
		{"anthropic", one(`{"prefixItems":[{}]}`), one(`{"items":[{}]}`), "2020-12"},
		{"anthropic", `{"type":"object","properties":{"a.b-c":{}}}`, `{"type":"object","properties":{"a[b]":{}}}`, "property key"},
		{"anthropic-strict", strict(`{"type":"array","items":{"type":"null"},"minItems":1}`), strict(`{"type":"array","items":{"type":"null"},"minItems":2}`), "minItems"},
		{"anthropic-strict", strict(`{"$ref":"#/$defs/d"}`), strict(`{"$ref":"#"}`), "recursive"},
		{"anthropic-strict", strict(`{"type":"string","format":"uri"}`), strict(`{"type":"integer","minimum":1}`), "not permitted"},
		{"gemini", schema(`{"type":"STRING"}`), schema(`{}`), "type field"},
		{"gemini", schema(`{"anyOf":[{"type":"STRING"}]}`), schema(`{"anyOf":[{"type":"STRING"}],"description":"x"}`), "alongside any_of"},
		{"gemini", schema(`{"type":"ARRAY","items":{"type":"STRING"}}`), schema(`{"type":"ARRAY"}`), "missing field"},
		{"gemini", schema(`{"type":"STRING","enum":["a"]}`), schema(`{"type":"INTEGER","enum":["1"]}`), "not allowed for"},
		{"gemini", schema(`{"type":"STRING","enum":["a"]}`), schema(`{"type":"STRING","enum":[""]}`), "cannot be empty"},
		{"gemini", schema(`{"type":"STRING","format":"date-time"}`), schema(`{"type":"STRING","format":"uri"}`), "format"},
		{"gemini", schema(`{"type":"OBJECT","properties":{"b":{"type":"NULL"}},"required":["b"]}`), schema(`{"type":"OBJECT","required":["b"]}`), "not defined"},
		{"gemini", schema(`{"type":"STRING"}`), `{"type":"OBJECT","properties":{"a-b":{"type":"STRING"}}}`, "parameter name"},
		{"gemini", schema(`{"type":"STRING"}`), schema(`{"type":"STRING","additionalProperties":false}`), "not allowed for"},
		{"gemini-json", one(`{"additionalProperties":{}}`), one(`{"pattern":"a"}`), "unknown field"},
		{"gemini-json", one(`{"enum":["a",1]}`), one(`{"enum":[true]}`), "enum of"},
	} {
		name, _, _ := strings.Cut(c.mode, "-strict")
		name = strings.TrimSuffix(name, "-json")
		if got := exportcheck.Check(name, fmt.Appendf(nil, tool[c.mode], c.good)); len(got) > 0 {
			t.Errorf("%s: %s: %q", c.mode, c.good, got)
		}
		if got := exportcheck.Check(name, fmt.Appendf(nil, tool[c.mode], c.bad)); !strings.Contains(strings.Join(got, "\n"), c.says) {
			t.Errorf("%s: %s: %q", c.mode, c.bad, got)
		}
	}
}

// The limits of a request are counted over its tools.
func TestRefusedRequests(t *testing.T) {
	list := func(n int, tool string) []byte {
		var tools []string
		for i := range n {
			tools = append(tools, strings.ReplaceAll(tool, "N", fmt.Sprint(i)))
		}
		return []byte("[" + strings.Join(tools, ",") + "]")
	}
	const (
		chat   = `{"type":"function","function":{"name":"tN","parameters":{"type":"object","properties":{}}}}`
		strict = `{"name":"tN","strict":true,"input_schema":{"type":"object","properties":{},"additionalProperties":false}}`
		option = `{"name":"tN","strict":true,"input_schema":{"type":"object","properties":{"a":{"type":"null"},"b":{"type":"null"}},"additionalProperties":false}}`
		union  = `{"name":"tN","strict":true,"input_schema":{"type":"object","properties":{"a":{"type":["null","string"]}},"required":["a"],"additionalProperties":false}}`
	)
	for _, c := range []struct {
		provider, tool string
		most           int
	}{{"openai", chat, 128}, {"anthropic", strict, 20}, {"anthropic", option, 12}, {"anthropic", union, 16}} {
		for extra := range 2 {
			if got := exportcheck.Check(c.provider, list(c.most+extra, c.tool)); len(got) != extra {
				t.Errorf("%s, %d of %s: %q", c.provider, c.most+extra, c.tool, got)
			}
		}
	}
	for _, bad := range []string{"", "{}", "[3]", `[{"name":"a b","input_schema":{"type":"object"}}]`, `[{"name":"a","input_schema":{"type":"object"}},{"name":"a","input_schema":{"type":"object"}}]`} {
		if len(exportcheck.Check("anthropic", []byte(bad))) == 0 {
			t.Errorf("%q is taken", bad)
		}
	}
	if len(exportcheck.Check("other", []byte("[]"))) == 0 {
		t.Error("an unknown provider")
	}
}
