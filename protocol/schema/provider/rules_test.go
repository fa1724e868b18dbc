package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// written exports one tool and returns its exported schema, and what is lost of it.
func written(t *testing.T, p provider.Provider, o provider.Options, input string) (schema string, strict bool, lost []provider.Loss) {
	t.Helper()
	x, err := provider.Export(p, []protocol.Tool{{Name: "t", InputSchema: protocol.Raw(input)}}, o)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := rawjson.Elements(string(x.Tools))
	tool, _ := list.Next()
	if p == provider.Gemini {
		all, _ := rawjson.Get(tool, "functionDeclarations")
		list, _ = rawjson.Elements(all)
		tool, _ = list.Next()
	}
	if f, there := rawjson.Get(tool, "function"); there {
		tool = f
	}
	for _, name := range []string{"parameters", "input_schema", "parametersJsonSchema"} {
		if s, there := rawjson.Get(tool, name); there {
			schema = s
		}
	}
	s, _ := rawjson.Get(tool, "strict")
	return schema, s == "true", x.Lost
}

// property returns what a schema becomes as the only property of a tool.
func property(t *testing.T, p provider.Provider, o provider.Options, s string) (text string, strict bool, lost string) {
	t.Helper()
	schema, strict, list := written(t, p, o, `{"type":"object","properties":{"a":`+s+`},"required":["a"],"$defs":{"d":{"type":"string","title":"d"},"m":{"type":"object"},"c":{"type":"object","properties":{"c":{"$ref":"#/$defs/c"}}},"l":[1]}}`)
	properties, _ := rawjson.Get(schema, "properties")
	text, _ = rawjson.Get(properties, "a")
	for _, l := range list {
		lost += fmt.Sprintf("%s %s %s;", strings.TrimPrefix(l.Path, "/properties"), l.Keyword, l.Action)
	}
	return text, strict, lost
}

// 28 to 30, 52: what each mode makes of a form that some provider refuses. "-" means that the tool is
// not strict.
func TestForms(t *testing.T) {
	strict := provider.Options{Strict: true}
	for _, c := range []struct{ in, openai, anthropic, gemini string }{
		{`{}`, "-", "-", `{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"},{"type":"OBJECT"},{"type":"ARRAY","items":{"type":"STRING"}}]}`},
		{`true`, "-", "-", `{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"},{"type":"OBJECT"},{"type":"ARRAY","items":{"type":"STRING"}}]}`},
		{`{"const":"x"}`, `{"const":"x","type":"string"}`, `{"const":"x","type":"string"}`, `{"type":"STRING","enum":["x"]}`},
		{`{"enum":["x",1]}`, `{"enum":["x",1],"type":["string","integer"]}`, `{"enum":["x",1],"type":["string","integer"]}`, `{"anyOf":[{"type":"STRING"},{"type":"INTEGER"}]}`},
		{`{"enum":["x",null]}`, `{"enum":["x",null],"type":["string","null"]}`, `{"enum":["x",null],"type":["string","null"]}`, `{"type":"STRING","enum":["x"],"nullable":true}`},
		{`{"enum":["x","","y"],"type":"string"}`, `{"enum":["x","","y"],"type":"string"}`, `{"enum":["x","","y"],"type":"string"}`, `{"type":"STRING","enum":["x","y"]}`},
		{`{"enum":[1,2],"type":"integer"}`, `{"enum":[1,2],"type":"integer"}`, `{"enum":[1,2],"type":"integer"}`, `{"type":"INTEGER"}`},
		{`{"enum":[1,"x"],"type":"integer"}`, `{"enum":[1],"type":"integer"}`, `{"enum":[1],"type":"integer"}`, `{"type":"INTEGER"}`},
		{`{"enum":[{}]}`, "-", "-", `{"type":"OBJECT"}`},
		{`{"type":"array"}`, "-", "-", `{"type":"ARRAY","items":{"type":"STRING"}}`},
		{`{"type":"array","items":[{"type":"string"},{"type":"integer"}]}`, "-", "-", `{"type":"ARRAY","items":{"anyOf":[{"type":"STRING"},{"type":"INTEGER"}]}}`},
		{`{"type":"array","items":{"type":"string"},"minItems":2}`, `{"type":"array","items":{"type":"string"},"minItems":2}`, `{"type":"array","items":{"type":"string"}}`, `{"type":"ARRAY","items":{"type":"STRING"},"minItems":2}`},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, "-", "-", `{"type":"OBJECT"}`},
		{`{"type":"object"}`, "-", "-", `{"type":"OBJECT"}`},
		{`{"type":"object","properties":{}}`, "-", "-", `{"type":"OBJECT"}`},
		{`{"type":"object","additionalProperties":false}`, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`, `{"type":"OBJECT"}`},
		{`{"type":"object","properties":{"b":{"type":"null"}},"required":["c"]}`, "-", "-", `{"type":"OBJECT","properties":{"b":{"type":"NULL"}},"propertyOrdering":["b"]}`},
		{`{"type":"number","minimum":0,"exclusiveMinimum":true}`, `{"type":"number","exclusiveMinimum":0}`, `{"type":"number"}`, `{"type":"NUMBER","minimum":0}`},
		{`{"type":"number","maximum":9,"exclusiveMaximum":false}`, `{"type":"number","maximum":9}`, `{"type":"number"}`, `{"type":"NUMBER","maximum":9}`},
		{`{"not":{"type":"string"}}`, "-", "-", `{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"},{"type":"OBJECT"},{"type":"ARRAY","items":{"type":"STRING"}}]}`},
		{`{"type":"string","not":{"const":"x"}}`, `{"type":"string"}`, `{"type":"string"}`, `{"type":"STRING"}`},
		{`{"minLength":1}`, `{"type":"string"}`, `{"type":"string"}`, `{"type":"STRING","minLength":1}`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}],"title":"A","description":"text"}`, `{"title":"A","description":"text","anyOf":[{"type":"string"},{"type":"null"}]}`, `{"title":"A","description":"text","anyOf":[{"type":"string"},{"type":"null"}]}`,
			`{"type":"STRING","title":"A","description":"text","nullable":true}`},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}],"description":"text"}`, `{"description":"text","anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"description":"text","anyOf":[{"type":"string"},{"type":"integer"}]}`,
			`{"anyOf":[{"type":"STRING","description":"text"},{"type":"INTEGER"}]}`},
		{`{"type":["string","integer","null"],"minLength":1}`, `{"type":["string","integer","null"]}`, `{"type":["string","integer","null"]}`,
			`{"anyOf":[{"type":"STRING","minLength":1,"nullable":true},{"type":"INTEGER","nullable":true}]}`},
		{`{"type":"string","anyOf":[{"enum":["x"]},{"pattern":"y"}]}`, `{"anyOf":[{"enum":["x"],"type":"string"},{"pattern":"y","type":"string"}]}`, `{"anyOf":[{"enum":["x"],"type":"string"},{"pattern":"y","type":"string"}]}`,
			`{"anyOf":[{"type":"STRING","enum":["x"]},{"type":"STRING","pattern":"y"}]}`},
		{`{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"anyOf":[{"required":["b"]},{"minProperties":1}]}`, `{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`,
			`{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false}`, `{"type":"OBJECT","properties":{"b":{"type":"STRING"}},"required":["b"],"propertyOrdering":["b"]}`},
		{`{"$ref":"#/$defs/d"}`, `{"$ref":"#/$defs/d"}`, `{"$ref":"#/$defs/d"}`, `{"type":"STRING","title":"d"}`},
		{`{"$ref":"#/$defs/d","description":"text"}`, `{"description":"text","anyOf":[{"$ref":"#/$defs/d"}]}`, `{"$ref":"#/$defs/d"}`, `{"type":"STRING","description":"text","title":"d"}`},
		{`{"$ref":"#/$defs/d","minLength":2}`, `{"type":"string","title":"d"}`, `{"type":"string","title":"d"}`, `{"type":"STRING","minLength":2,"title":"d"}`},
		{`{"$ref":"#/$defs/c"}`, `{"$ref":"#/$defs/c"}`, "-", `{"type":"OBJECT","properties":{"c":{"type":"OBJECT"}},"propertyOrdering":["c"]}`},
		{`{"anyOf":[{"type":"object"},{"type":"null"}]}`, "-", "-", `{"type":"OBJECT","nullable":true}`},
		{`{"type":["array","string"],"items":{"type":"integer"},"enum":[[1],"x"]}`, "-", "-", `{"anyOf":[{"type":"ARRAY","items":{"type":"INTEGER"}},{"type":"STRING"}]}`},
		{`{"type":"string","enum":[[1],"x"]}`, `{"type":"string","enum":["x"]}`, `{"type":"string","enum":["x"]}`, `{"type":"STRING"}`},
		{`{"$ref":"#/$defs/m"}`, "-", "-", `{"type":"OBJECT"}`},
		{`{"$ref":"#/nowhere"}`, "-", "-", `{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"},{"type":"OBJECT"},{"type":"ARRAY","items":{"type":"STRING"}}]}`},
		{`{"allOf":[{"$ref":"#/$defs/d"}],"description":"text"}`, `{"description":"text","type":"string","title":"d"}`, `{"description":"text","type":"string","title":"d"}`, `{"type":"STRING","description":"text","title":"d"}`},
		{`{"allOf":[{"type":"number"},{"type":"integer","minimum":1}]}`, `{"type":"integer","minimum":1}`, `{"type":"integer"}`, `{"type":"INTEGER","minimum":1}`},
		{`{"oneOf":[{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]},{"type":"string"}]}`,
			`{"anyOf":[{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false},{"type":"string"}]}`,
			`{"anyOf":[{"type":"object","properties":{"b":{"type":"string"}},"required":["b"],"additionalProperties":false},{"type":"string"}]}`,
			`{"anyOf":[{"type":"OBJECT","properties":{"b":{"type":"STRING"}},"required":["b"],"propertyOrdering":["b"]},{"type":"STRING"}]}`},
		// Siblings.
		{`{"description":"o","anyOf":[{"type":"string","description":"i","minLength":1},{"type":"null"}]}`, `{"description":"o","anyOf":[{"type":"string","description":"i"},{"type":"null"}]}`, `{"description":"o","anyOf":[{"type":"string","description":"i"},{"type":"null"}]}`, `{"type":"STRING","minLength":1,"description":"o","nullable":true}`},
		{`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}`, `{"anyOf":[{"type":"STRING","nullable":true},{"type":"INTEGER","nullable":true}]}`},
		{`{"anyOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]},{"type":"null"}]}`, `{"anyOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]},{"type":"null"}]}`, `{"anyOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]},{"type":"null"}]}`, `{"anyOf":[{"type":"STRING"},{"type":"BOOLEAN"}]}`},
		{`{"anyOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]}]}`, `{"anyOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]}]}`, `{"anyOf":[{"anyOf":[{"type":"string"},{"type":"boolean"}]}]}`, `{"anyOf":[{"type":"STRING"},{"type":"BOOLEAN"}]}`},
		{`{"anyOf":[{"type":"null"}]}`, `{"anyOf":[{"type":"null"}]}`, `{"anyOf":[{"type":"null"}]}`, `{"type":"NULL"}`},
		{`{"anyOf":[{"type":"string"}],"oneOf":[{"type":"string"}],"default":"x"}`, `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"string"}]}`, `{"type":"STRING","default":"x"}`},
		{`{"type":"object","properties":{"b":{"type":"null"}},"anyOf":[{"properties":{"c":{"type":"null"}}},{"required":["b"]}]}`, "-", "-", `{"anyOf":[{"type":"OBJECT","properties":{"c":{"type":"NULL"},"b":{"type":"NULL"}},"propertyOrdering":["c","b"]},{"type":"OBJECT","properties":{"b":{"type":"NULL"}},"required":["b"],"propertyOrdering":["b"]}]}`},
		{`{"type":["string","integer"],"minimum":1,"format":"int32","minItems":1}`, `{"type":["string","integer"],"minimum":1}`, `{"type":["string","integer"]}`, `{"anyOf":[{"type":"STRING"},{"type":"INTEGER","minimum":1}]}`},
		{`{"type":["integer","number"],"maximum":1}`, `{"type":["integer","number"],"maximum":1}`, `{"type":["integer","number"]}`, `{"type":"NUMBER","maximum":1}`},
		{`{"type":"string","enum":["x","y"],"const":"y"}`, `{"type":"string","const":"y"}`, `{"type":"string","const":"y"}`, `{"type":"STRING","enum":["x","y"]}`},
		{`{"type":"string","enum":[""]}`, `{"type":"string","enum":[""]}`, `{"type":"string","enum":[""]}`, `{"type":"STRING"}`},
		{`{"type":"string","required":["x"],"properties":{"x":true},"default":null,"title":"t"}`, `{"type":"string","title":"t"}`, `{"type":"string","default":null,"title":"t"}`, `{"type":"STRING","title":"t"}`},
		{`{"type":"object","properties":{"b":{"type":"null"}},"required":["b"],"propertyNames":{"minLength":1},"unevaluatedProperties":false}`, `{"type":"object","properties":{"b":{"type":"null"}},"required":["b"],"additionalProperties":false}`,
			`{"type":"object","properties":{"b":{"type":"null"}},"required":["b"],"additionalProperties":false}`, `{"type":"OBJECT","properties":{"b":{"type":"NULL"}},"required":["b"],"propertyOrdering":["b"]}`},
		{`{"type":"object","properties":{"b":{"type":"null"}},"patternProperties":{"x":{}}}`, "-", "-", `{"type":"OBJECT","properties":{"b":{"type":"NULL"}},"propertyOrdering":["b"]}`},
		{`{"type":"object","properties":{"b":{"type":"null"}},"unevaluatedProperties":{}}`, "-", "-", `{"type":"OBJECT","properties":{"b":{"type":"NULL"}},"propertyOrdering":["b"]}`},
		{`{"type":"object","properties":{"b":{"type":"null"}},"additionalProperties":true}`, "-", "-", `{"type":"OBJECT","properties":{"b":{"type":"NULL"}},"propertyOrdering":["b"]}`},
		{`{"allOf":[{"type":["string","integer","null"]},{"type":["null","number","string"]}]}`, `{"type":["string","integer","null"]}`, `{"type":["string","integer","null"]}`, `{"anyOf":[{"type":"STRING","nullable":true},{"type":"INTEGER","nullable":true}]}`},
		{`{"allOf":[{"type":"string","enum":["x"]},{"type":"integer","enum":["y"]}]}`, `{"type":"string","enum":["x"]}`, `{"type":"string","enum":["x"]}`, `{"type":"STRING","enum":["x"]}`},
		{`{"allOf":[{"enum":[[1,{"a":2}]],"title":"t"},{"enum":[[1,{"a":2.0}]],"title":"u"}],"type":"string","minLength":1}`, "-", "-", `{"type":"STRING","minLength":1,"title":"t"}`},
		{`{"allOf":[{"properties":{"b":{"type":"number"}},"required":["b"]},{"properties":{"b":{"minimum":1},"c":{"type":"null"}},"required":["c","b"]}]}`,
			`{"type":"object","properties":{"b":{"type":"number","minimum":1},"c":{"type":"null"}},"required":["b","c"],"additionalProperties":false}`, `{"type":"object","properties":{"b":{"type":"number"},"c":{"type":"null"}},"required":["b","c"],"additionalProperties":false}`,
			`{"type":"OBJECT","properties":{"b":{"type":"NUMBER","minimum":1},"c":{"type":"NULL"}},"required":["b","c"],"propertyOrdering":["b","c"]}`},
		{`{"type":"string","format":"uri"}`, `{"type":"string"}`, `{"type":"string","format":"uri"}`, `{"type":"STRING"}`},
		{`{"type":"integer","format":"int32"}`, `{"type":"integer"}`, `{"type":"integer"}`, `{"type":"INTEGER","format":"int32"}`},
	} {
		for p, want := range map[provider.Provider]string{provider.OpenAIChat: c.openai, provider.Anthropic: c.anthropic, provider.Gemini: c.gemini} {
			got, isStrict, lost := property(t, p, strict, c.in)
			if want == "-" {
				if isStrict || !strings.Contains(lost, string(provider.NotStrict)) {
					t.Errorf("%s of %s: strict %v: %s, lost %s", p, c.in, isStrict, got, lost)
				}
				continue
			}
			if got != want || isStrict != (p != provider.Gemini) {
				t.Errorf("%s of %s: strict %v\n%s, want\n%s, lost %s", p, c.in, isStrict, got, want, lost)
			}
		}
	}
}

// 29, 31, 34, 52: a schema that cannot be strict is unchanged, except for what the provider refuses.
func TestLooseForms(t *testing.T) {
	for _, c := range []struct{ in, want, lost string }{
		{`{"type":"array"}`, `{"type":"array","items":{}}`, ""},
		{`{"type":["array","null"],"prefixItems":[true]}`, `{"type":["array","null"],"prefixItems":[{}],"items":{}}`, ""},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `{"prefixItems":[{"type":"string"}],"items":{"not":{}}}`, ""},
		{`{"minimum":1,"exclusiveMinimum":true,"multipleOf":0}`, `{"exclusiveMinimum":1}`, "/a multipleOf left out;"},
		{`{"type":["string","string","any"],"enum":[],"required":true}`, `{"type":"string"}`, "/a type narrowed;/a enum left out;/a required left out;"},
		{`{"$id":"x","$schema":"y","$comment":"z","x-own":{"$ref":1}}`, `{"x-own":{"$ref":1}}`, ""},
		{`{"$ref":"#/$defs/d","description":"text"}`, `{"description":"text","$ref":"#/$defs/d"}`, ""},
		{`{"$ref":"#/properties/a"}`, `{}`, "/a $ref left out;"},
		{`{"pattern":"(?=a)b","patternProperties":{"^(?!x)":true,"^y":false}}`, `{"patternProperties":{"^y":{"not":{}}}}`, "/a pattern left out;/a patternProperties left out;"},
		{`3`, `{}`, "/a schema left out;"},
		{`{"items":[],"additionalItems":{"type":"string"}}`, `{"items":{"type":"string"}}`, ""},
		{`{"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{}}}`, `{"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{}}}`, ""},
		{`{"dependentRequired":{"a":["b","b"]},"dependentSchemas":{"a":1},"if":3,"not":[],"anyOf":[],"oneOf":[1],"uniqueItems":1,"examples":{},"title":1,"minimum":"1","minLength":-1,"maxLength":1.5}`, `{}`,
			"/a dependentRequired left out;/a dependentSchemas left out;/a if left out;/a not left out;/a anyOf left out;/a oneOf left out;/a uniqueItems left out;/a examples left out;/a title left out;/a minimum left out;/a minLength left out;/a maxLength left out;"},
		{`{"required":["x",1,"x"],"properties":3}`, `{"required":["x"]}`, "/a required left out;/a properties left out;"},
		{`{"additionalProperties":true,"unevaluatedItems":false,"propertyNames":{"pattern":"\\d\\s"},"multipleOf":0.0e1}`, `{"additionalProperties":true,"unevaluatedItems":false,"propertyNames":{"pattern":"\\d\\s"}}`, "/a multipleOf left out;"},
		{`{"$ref":"#/$defs/c","minProperties":1}`, `{"minProperties":1,"type":"object","properties":{"c":{"$ref":"#/$defs/c"}}}`, ""},
		{`{"$ref":"#/$defs/d","$dynamicRef":"#x","$recursiveRef":"#"}`, `{"$ref":"#/$defs/d"}`, "/a $dynamicRef left out;/a $recursiveRef left out;"},
		{`{"$ref":"#/$defs/l/5"}`, `{}`, "/a $ref left out;"},
	} {
		if got, _, lost := property(t, provider.OpenAIChat, provider.Options{}, c.in); got != c.want || lost != c.lost {
			t.Errorf("%s: %s\nwant %s\nlost %s", c.in, got, c.want, lost)
		}
	}
	if got, _, lost := property(t, provider.Anthropic, provider.Options{}, `{"pattern":"(?=a)b"}`); got != `{"pattern":"(?=a)b"}` || lost != "" {
		t.Error(got, lost)
	}
}

// Gemini's parametersJsonSchema has references and maps; circular ones use parameters.
func TestJSONSchemaForms(t *testing.T) {
	o := provider.Options{JSONSchema: true}
	for _, c := range []struct{ in, want, lost string }{
		{`{"$ref":"#/$defs/d","description":"text"}`, `{"$ref":"#/$defs/d"}`, "/a description left out;"},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, ""},
		{`{"type":"object","additionalProperties":false,"required":["x"]}`, `{"type":"object","additionalProperties":false}`, "/a required left out;"},
		{`{"const":"x"}`, `{"enum":["x"]}`, ""},
		{`{"const":"x","enum":["y"]}`, `{"enum":["y"]}`, "/a const left out;"},
		{`{"const":true,"minLength":1}`, `{}`, "/a minLength left out;/a const left out;"},
		{`{"type":"number","exclusiveMinimum":1}`, `{"type":"number","minimum":1}`, "/a exclusiveMinimum widened;"},
		{`{"$ref":"#/$defs/c"}`, `{"type":"OBJECT","properties":{"c":{"type":"OBJECT"}},"propertyOrdering":["c"]}`, "/$defs/c/properties/c $ref left out;"},
	} {
		if got, _, lost := property(t, provider.Gemini, o, c.in); got != c.want || strings.ReplaceAll(lost, "/properties", "") != strings.ReplaceAll(c.lost, "/properties", "") {
			t.Errorf("%s: %s\nwant %s\nlost %s", c.in, got, c.want, lost)
		}
	}
}

// 30, 31: alternatives of the root become one object with the properties of all, in every mode.
func TestRootAlternatives(t *testing.T) {
	const input = `{"type":"object","anyOf":[{"properties":{"a":{"type":"string"},"k":{"const":1}},"required":["a","k"]},{"$ref":"#/$defs/b"}],"$defs":{"b":{"properties":{"b":{"type":"string"},"k":{"const":2}},"required":["b","k"]}}}`
	for _, p := range providers {
		for _, o := range []provider.Options{{}, {Strict: true}, {JSONSchema: true}} {
			got, strict, lost := written(t, p, o, input)
			for _, want := range []string{`"a":{`, `"b":{`, `"k":{"anyOf":[`, `"required":["k"]`} {
				if !strings.Contains(got, want) {
					t.Errorf("%s %v: %s lacks %s", p, o, got, want)
				}
			}
			stopped := slices.ContainsFunc(lost, func(l provider.Loss) bool { return l.Action == provider.NotStrict })
			if strict || stopped != (o.Strict && p != provider.Gemini) || !slices.Contains(lost, provider.Loss{Tool: "t", Keyword: "anyOf", Action: provider.Widened}) {
				t.Errorf("%s %v: strict %v, lost %v", p, o, strict, lost)
			}
		}
	}
	if got, _, lost := written(t, provider.OpenAIChat, provider.Options{}, `{"type":["string","null"]}`); got != `{"type":"object","properties":{}}` || len(lost) != 1 || lost[0].Action != provider.Widened {
		t.Error(got, lost)
	}
	got, strict, lost := written(t, provider.OpenAIChat, provider.Options{Strict: true}, `{"allOf":[{"properties":{"a":{"type":"string"}}},{"required":["a"]}],"enum":[{}],"oneOf":[{"required":["a"]}]}`)
	if !strict || got != `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}` || len(lost) != 2 {
		t.Error(got, strict, lost)
	}
}
