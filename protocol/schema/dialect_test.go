package schema_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// named is an object schema of a dialect, "" for one without $schema.
func named(dialect, rest string) jsonrpc.Raw {
	if dialect != "" {
		dialect = `"$schema":"` + dialect + `",`
	}
	return jsonrpc.Raw(`{` + dialect + `"type":"object"` + rest + `}`)
}

// The documentation lists exactly the dialects that are read.
//
// rows: SCHEMA-107
func TestDialectsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^//   - (\S+)$`).FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, m[1])
	}
	if want := []string{schema.Dialect202012, schema.Dialect201909, schema.DialectDraft07, schema.DialectDraft06, schema.DialectDraft04}; !slices.Equal(listed, schema.Dialects()) || !slices.Equal(listed, want) {
		t.Errorf("doc.go lists %q, Dialects %q, want %q", listed, schema.Dialects(), want)
	}
	for _, d := range schema.Dialects() {
		if _, err := schema.Compile(named(d, "")); err != nil {
			t.Error(err)
		}
	}
}

// The same schema means different things in different dialects, and is read in its own;
// without $schema in 2020-12. If the meaning is ambiguous, the
// schema is refused, with the name of the dialect.
//
// rows: SCHEMA-103 SCHEMA-104 SCHEMA-105
func TestDialects(t *testing.T) {
	const d20, d19, d07, d06, d04 = schema.Dialect202012, schema.Dialect201909, schema.DialectDraft07, schema.DialectDraft06, schema.DialectDraft04
	for _, c := range []struct {
		rest, value string
		want        map[string]string // by dialect; "refused" if Compile refuses it
	}{
		{`,"properties":{"a":{"prefixItems":[{"type":"string"}]}}`, `{"a":[1]}`, map[string]string{"": "/a/0 type", d20: "/a/0 type", d19: "refused", d07: "refused"}},
		{`,"properties":{"a":{"items":[{"type":"string"}]}}`, `{"a":[1]}`, map[string]string{"": "/a/0 type", d20: "refused", d19: "/a/0 type", d07: "/a/0 type"}},
		{`,"properties":{"a":{"items":[true],"additionalItems":false}}`, `{"a":[1,2]}`, map[string]string{"": "/a/1 additionalItems", d20: "refused", d19: "/a/1 additionalItems", d07: "/a/1 additionalItems"}},
		{`,"properties":{"a":{"additionalItems":false}}`, `{"a":[1]}`, map[string]string{"": "", d20: "", d19: "", d07: ""}},
		{`,"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}`, `{"a":1}`, map[string]string{"": "/a exclusiveMinimum", d20: "refused", d19: "refused", d07: "refused"}},
		{`,"properties":{"a":{"exclusiveMinimum":1}}`, `{"a":1}`, map[string]string{"": "/a exclusiveMinimum", d20: "/a exclusiveMinimum", d19: "/a exclusiveMinimum", d07: "/a exclusiveMinimum"}},
		{`,"$defs":{"n":{}},"properties":{"a":{"$ref":"#/$defs/n","type":"null"}}`, `{"a":1}`, map[string]string{"": "/a type", d20: "/a type", d19: "/a type", d07: ""}},
		{`,"$defs":{"n":{"required":["b"]}},"$ref":"#/$defs/n","required":["a"]`, `{"b":1}`, map[string]string{"": "/a required", d20: "/a required", d19: "/a required", d07: ""}},
		{`,"dependentRequired":{"a":["b"]}`, `{"a":1}`, map[string]string{"": "/b dependentRequired", d20: "/b dependentRequired", d19: "/b dependentRequired", d07: ""}},
		{`,"dependentSchemas":{"a":{"required":["b"]}}`, `{"a":1}`, map[string]string{"": "/b required", d20: "/b required", d19: "/b required", d07: ""}},
		{`,"dependencies":{"a":["b"],"c":{"minProperties":2}}`, `{"a":1}`, map[string]string{"": "", d20: "", d19: "", d07: "/b dependencies"}},
		{`,"dependencies":{"a":["b"],"c":{"minProperties":2}}`, `{"c":1}`, map[string]string{"": "", d20: "", d19: "", d07: " minProperties"}},
		{`,"properties":{"a":{"contains":{"type":"null"},"minContains":0}}`, `{"a":[]}`, map[string]string{"": "", d20: "", d19: "", d07: "/a contains"}},
		{`,"properties":{"a":{"contains":{"type":"null"},"maxContains":1}}`, `{"a":[null,null]}`, map[string]string{"": "/a maxContains", d20: "/a maxContains", d19: "/a maxContains", d07: ""}},
		{`,"properties":{"a":{"$id":"x","$ref":"#/$defs/n"}},"$defs":{"n":{"type":"null"}}`, `{"a":1}`, map[string]string{"": "refused", d20: "refused", d19: "refused", d07: "/a type"}},
		{`,"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}`, `{"a":1}`, map[string]string{d06: "refused", d04: "/a exclusiveMinimum"}},
		{`,"properties":{"a":{"required":true}}`, `{}`, map[string]string{"": "/a required", d20: "refused", d19: "refused", d07: "refused", d06: "refused", d04: "refused"}},
		{`,"properties":{"a":{"const":2}}`, `{"a":1}`, map[string]string{d06: "/a const", d04: ""}},
		{`,"properties":{"a":{"contains":{"type":"null"}}}`, `{"a":[1]}`, map[string]string{d06: "/a contains", d04: ""}},
		{`,"propertyNames":{"maxLength":2}`, `{"aaa":[1]}`, map[string]string{d06: " propertyNames", d04: ""}},
		{`,"if":{"required":["a"]},"then":{"required":["b"]}`, `{"a":1}`, map[string]string{d07: "/b required", d06: "", d04: ""}},
		{`,"if":5`, `{"a":1}`, map[string]string{d07: "refused", d06: "", d04: ""}},
		{`,"properties":{"a":{"$ref":"#n"}},"definitions":{"x":{"$id":"#n","type":"null"}}`, `{"a":1}`, map[string]string{"": "refused", d20: "refused", d07: "/a type", d06: "/a type", d04: "refused"}},
		{`,"properties":{"a":{"$ref":"#n"}},"definitions":{"x":{"id":"#n","type":"null"}}`, `{"a":1}`, map[string]string{"": "refused", d06: "refused", d04: "/a type"}},
		{`,"properties":{"a":{"$ref":"x.json#/items"}},"definitions":{"x":{"id":"x.json","items":{"type":"null"}}}`, `{"a":1}`, map[string]string{"": "refused", d04: "/a type"}},
		{`,"properties":{"a":{"$ref":"x.json#/items"}},"definitions":{"x":{"$id":"x.json","items":{"type":"null"}}}`, `{"a":1}`, map[string]string{"": "/a type", d20: "/a type", d19: "/a type", d07: "/a type", d06: "/a type", d04: "refused"}},
		{`,"unevaluatedProperties":false`, `{"a":1}`, map[string]string{"": " unevaluatedProperties", d20: " unevaluatedProperties", d19: " unevaluatedProperties", d07: "", d06: "", d04: ""}},
		{`,"properties":{"a":{"contains":{"type":"null"},"unevaluatedItems":false}}`, `{"a":[null]}`, map[string]string{"": "", d20: "", d19: "/a/0 unevaluatedItems", d07: ""}},
		{`,"properties":{"a":{"$ref":"#n"}},"$defs":{"x":{"$anchor":"n","type":"null"}}`, `{"a":1}`, map[string]string{"": "/a type", d20: "/a type", d19: "/a type", d07: "refused"}},
	} {
		for dialect, want := range c.want {
			s, err := schema.Compile(named(dialect, c.rest))
			got := "refused"
			if err == nil {
				got = fault(s.Validate(jsonrpc.Raw(c.value)))
			}
			if got != want {
				t.Errorf("%q: %s on %s: %q (%v), want %q", dialect, c.rest, c.value, got, err, want)
			}
		}
	}
}

// The error names an unknown dialect, and its schemas are not read.
//
// rows: SCHEMA-104 SCHEMA-106
func TestUnknownDialects(t *testing.T) {
	long := "https://example.com/" + strings.Repeat("x", 100)
	for _, c := range []struct{ schema, path, dialect string }{
		{`{"$schema":"https://example.com/mine","type":"object","required":["a"]}`, "/$schema", "https://example.com/mine"},
		{`{"type":"object","required":["a"],"$schema":"http://json-schema.org/draft-03/schema#"}`, "/$schema", "http://json-schema.org/draft-03/schema#"},
		{`{"$schema":"http://json-schema.org/schema","required":5}`, "/$schema", "http://json-schema.org/schema"},
		{`{"$schema":"","type":"object"}`, "/$schema", ""},
		{`{"$schema":7,"type":"object","required":["a"]}`, "/$schema", ""},
		{`{"$schema":"` + long + `","type":"object"}`, "/$schema", long[:64] + "…"},
	} {
		want := schema.Fault{Path: c.path, Keyword: schema.KeywordSchema, Dialect: c.dialect}
		if _, err := schema.Compile(jsonrpc.Raw(c.schema)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", c.schema, err, want)
		}
		for _, value := range []jsonrpc.Raw{`{}`, `{"a":1}`, `[]`} {
			if err := (schema.Basic{}).Validate(jsonrpc.Raw(c.schema), value); !errors.Is(err, want) {
				t.Errorf("Basic: %s: %v, want %v", c.schema, err, want)
			}
			if err := (schema.Lenient{}).Validate(jsonrpc.Raw(c.schema), value); err != nil {
				t.Errorf("Lenient: %s: %v", c.schema, err)
			}
		}
		s, faults := schema.CompileLenient(jsonrpc.Raw(c.schema))
		if !slices.Equal(faults, []schema.Fault{want}) || !s.IsZero() {
			t.Errorf("%s: %v, want %v", c.schema, faults, want)
		}
	}
	text := schema.Fault{Path: "/$schema", Keyword: schema.KeywordSchema, Dialect: "urn:x"}.Error()
	if want := `schema: the schema is not usable at "/$schema": the dialect "urn:x" is not known`; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	text = schema.Fault{Path: "/prefixItems", Keyword: schema.KeywordSchema, Dialect: "urn:x"}.Error()
	if want := `schema: the schema is not usable at "/prefixItems": the dialect "urn:x" does not have it`; text != want {
		t.Errorf("%q, want %q", text, want)
	}
	// Each spelling of the name means the dialect.
	for _, name := range []string{"http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema#", "http://json-schema.org/draft/2020-12/schema#", `https:\/\/json-schema.org\/draft\/2019-09\/schema`} {
		if _, err := schema.Compile(named(name, "")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The lenient reader omits and reports what a dialect lacks, and within
// a schema only its own dialect may be named.
//
// rows: SCHEMA-104 SCHEMA-106
func TestPartsOfOtherDialects(t *testing.T) {
	const d20, d07 = schema.Dialect202012, schema.DialectDraft07
	for _, c := range []struct {
		schema jsonrpc.Raw
		fault  schema.Fault
		value  jsonrpc.Raw
		want   string // what the rest still checks
	}{
		{named(d07, `,"properties":{"a":{"prefixItems":[true],"items":false,"minItems":2}}`), schema.Fault{Path: "/properties/a/prefixItems", Dialect: d07}, `{"a":[1]}`, "/a minItems"},
		{named(d07, `,"properties":{"a":{"prefixItems":[true],"items":false,"minItems":2}}`), schema.Fault{Path: "/properties/a/prefixItems", Dialect: d07}, `{"a":[1,2]}`, ""},
		{named(d20, `,"properties":{"a":{"items":[false],"minItems":2}}`), schema.Fault{Path: "/properties/a/items", Dialect: d20}, `{"a":[1,2]}`, ""},
		{named(d20, `,"properties":{"a":{"items":[false],"additionalItems":false}}`), schema.Fault{Path: "/properties/a/items", Dialect: d20}, `{"a":[1,2]}`, ""},
		{named(d20, `,"properties":{"a":{"minimum":1,"exclusiveMinimum":true}}`), schema.Fault{Path: "/properties/a/exclusiveMinimum", Dialect: d20}, `{"a":0}`, "/a minimum"},
		{named(d20, `,"properties":{"a":{"exclusiveMaximum":true,"maximum":1}}`), schema.Fault{Path: "/properties/a/exclusiveMaximum", Dialect: d20}, `{"a":1}`, ""},
		{named(d07, `,"properties":{"a":{"$schema":"`+d07+`","type":"null"}}`), schema.Fault{}, `{"a":1}`, "/a type"},
		{named("", `,"properties":{"a":{"$schema":"`+d20+`","type":"null"}}`), schema.Fault{}, `{"a":1}`, "/a type"},
		{named("", `,"properties":{"a":{"$schema":"`+d07+`","type":"null"},"b":{"type":"null"}}`), schema.Fault{Path: "/properties/a/$schema", Dialect: d07}, `{"a":1,"b":null}`, ""},
		{named("", `,"properties":{"a":{"$schema":"urn:x","type":"null"},"b":{"type":"null"}}`), schema.Fault{Path: "/properties/a/$schema", Dialect: "urn:x"}, `{"a":1,"b":1}`, "/b type"},
		{named("", `,"properties":{"a":{"$schema":[],"type":"null"}}`), schema.Fault{Path: "/properties/a/$schema"}, `{"a":1}`, ""},
	} {
		if c.fault != (schema.Fault{}) {
			c.fault.Keyword = schema.KeywordSchema
		}
		s, faults := schema.CompileLenient(c.schema)
		if c.fault == (schema.Fault{}) && len(faults) != 0 || c.fault != (schema.Fault{}) && !slices.Equal(faults, []schema.Fault{c.fault}) {
			t.Errorf("%s: %v, want %v", c.schema, faults, c.fault)
		}
		if _, err := schema.Compile(c.schema); err == nil && c.fault.Path != "" || err != nil && !errors.Is(err, c.fault) {
			t.Errorf("%s: %v, want %v", c.schema, err, c.fault)
		}
		if got := fault(s.Validate(c.value)); got != c.want {
			t.Errorf("%s on %s: %q, want %q", c.schema, c.value, got, c.want)
		}
	}
}

// The vocabulary of 2020-12 is enforced or, if not, ignored and reported.
//
// rows: SCHEMA-105 TOOL-115
func TestVocabulary(t *testing.T) {
	for _, c := range []struct{ rest, value, want, ignored string }{
		{`"$defs":{"n":{"type":"null"}},"properties":{"a":{"$ref":"#/$defs/n"}}`, `{"a":1}`, "/a type", ""},
		{`"$defs":{"n":{"$anchor":"here","type":"null"}},"properties":{"a":{"$ref":"#here"}}`, `{"a":1}`, "/a type", ""},
		{`"$defs":{"n":{"$dynamicAnchor":"here","type":"null"}},"properties":{"a":{"$ref":"#here"}}`, `{"a":1}`, "/a type", ""},
		{`"$anchor":"me","properties":{"a":{"$ref":"#me"}}`, `{"a":{"a":1}}`, "/a/a type", ""},
		{`"allOf":[{"oneOf":[true,{"$anchor":"x","type":"null"}]},{"minProperties":0}],"properties":{"a":{"items":{"$ref":"#x"}}}`, `{"a":[1]}`, "/a/0 type", ""},
		{`"properties":{"a":{"items":{"$ref":"#x"}},"b":{"prefixItems":[true,{"$anchor":"x","type":"null"}]}}`, `{"a":[1]}`, "/a/0 type", ""},
		{`"allOf":[{"required":["a"]}]`, `{}`, "/a required", ""},
		{`"anyOf":[{"required":["a"]},{"required":["b"]}]`, `{}`, " anyOf", ""},
		{`"oneOf":[{"required":["a"]},{"required":["b"]}]`, `{"a":1,"b":1}`, " oneOf", ""},
		{`"not":{"required":["a"]}`, `{"a":1}`, " not", ""},
		{`"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}`, `{"a":1}`, "/b required", ""},
		{`"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}`, `{}`, "/c required", ""},
		{`"properties":{"a":{"prefixItems":[true,{"type":"null"}],"items":false}}`, `{"a":[1,null,2]}`, "/a/2 items", ""},
		{`"dependentRequired":{"a":["b","c"],"z":["y"]}`, `{"a":1,"b":1}`, "/c dependentRequired", ""},
		{`"dependentRequired":{"a":["b","c"],"z":["y"]}`, `{"a":1,"b":1,"c":1}`, "", ""},
		{`"dependentRequired":{"a":["b"]},"properties":{"b":{"type":"null"}},"required":["b"]`, `{"a":1,"b":1}`, "/b type", ""},
		{`"dependentRequired":{"a":["a"]}`, `{"a":1}`, "", ""},
		{`"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{"maxProperties":2}}`, `{"a":1,"b":1,"c":1}`, " maxProperties", ""},
		{`"dependentSchemas":{"a":{"properties":{"b":{"type":"null"}}}}`, `{"b":1,"a":1}`, "/b type", ""},
		{`"dependentSchemas":{"a":{"properties":{"b":{"type":"null"}}}}`, `{"b":1}`, "", ""},
		{`"dependentSchemas":{"a":false}`, `{"a":1}`, " false", ""},
		{`"propertyNames":{"maxLength":2}`, `{"aaa":1}`, " propertyNames", ""},
		{`"propertyNames":{"enum":["a","b\n"]}`, `{"a":1,"b\u000a":1}`, "", ""},
		{`"propertyNames":{"pattern":"^a"}`, `{"b":1}`, " propertyNames", ""},
		{`"propertyNames":{"pattern":"(?i)^a"}`, `{"b":1}`, "", "/propertyNames/pattern"},
		{`"propertyNames":false`, `{}`, "", ""},
		{`"not":{"propertyNames":{"const":"\ufffd"}}`, `{"\ud800":1}`, "", ""},
		{`"properties":{"a":{"contains":{"type":"null"}}}`, `{"a":[1]}`, "/a contains", ""},
		{`"properties":{"a":{"contains":{"type":"null"}}}`, `{"a":[]}`, "/a contains", ""},
		{`"properties":{"a":{"contains":{"type":"null"}}}`, `{"a":[1,null]}`, "", ""},
		{`"properties":{"a":{"contains":{"type":"null"},"minContains":2}}`, `{"a":[1,null]}`, "/a minContains", ""},
		{`"properties":{"a":{"contains":{"type":"null"},"minContains":2,"maxContains":2}}`, `{"a":[null,null]}`, "", ""},
		{`"properties":{"a":{"contains":{"type":"null"},"minContains":0,"maxContains":1}}`, `{"a":[null,null]}`, "/a maxContains", ""},
		{`"properties":{"a":{"minContains":2,"maxContains":0}}`, `{"a":[]}`, "", ""},
		{`"properties":{"a":{"contains":{"pattern":"(?i)x"}}}`, `{"a":[1]}`, "", "/properties/a/contains/pattern"},
		{`"properties":{"a":{"not":{"contains":{"format":"x"},"maxContains":1}}}`, `{"a":[1]}`, "", ""},
		{`"properties":{"a":{"pattern":"(?i)^a$"}}`, `{"a":"b"}`, "", "/properties/a/pattern"},
		{`"properties":{"a":{"pattern":"^a$"}}`, `{"a":"b"}`, "/a pattern", ""},
		{`"patternProperties":{"^a":{"type":"null","not":{"pattern":"(?i)x"}},"(?i)b":{}},"additionalProperties":false`, `{"c":1}`, "", "/patternProperties/^a/not/pattern /patternProperties/(?i)b"},
		{`"unevaluatedProperties":false,"properties":{"b":{"unevaluatedItems":false,"format":"uri"}}`, `{"a":1}`, " unevaluatedProperties", ""},
		{`"\u0024dynamicRef":"#me"`, `{"a":1}`, "", "/$dynamicRef"},
		{`"dependencies":{"a":["b"],"c":{"pattern":"(?i)x"}}`, `{"a":1}`, "", "/dependencies/c/pattern /dependencies"},
	} {
		s := `{"type":"object",` + c.rest + `}`
		check(t, s, c.value, c.want)
		if err := schema.Check(jsonrpc.Raw(s)); err != nil {
			t.Errorf("%s: %v", s, err)
		}
		if got := strings.Join(schema.Ignored(jsonrpc.Raw(s)), " "); got != c.ignored {
			t.Errorf("%s ignores %q, want %q", s, got, c.ignored)
		}
	}
	many := jsonrpc.Raw(`{"allOf":[` + strings.Repeat(`{"pattern":"(?i)x"},`, 20) + `true]}`)
	if got := schema.Ignored(many); len(got) != schema.MaxFaults || got[15] != "/allOf/15/pattern" {
		t.Error(got)
	}
}

// Schemas that are invalid in their dialect are refused, at any depth.
//
// rows: SCHEMA-108
func TestInvalidSchemas(t *testing.T) {
	for rest, path := range map[string]string{
		`"properties":5`: "/properties", `"properties":{"a":{"$ref":"#/$defs/no"}},"$defs":{"a":{}}`: "/properties/a/$ref",
		`"properties":{"a":{"pattern":"("}}`: "/properties/a/pattern", `"pattern":5`: "/pattern", `"patternProperties":{"[":{}}`: "/patternProperties/[", `"patternProperties":{"a":5}`: "/patternProperties/a",
		`"patternProperties":[]`: "/patternProperties", `"format":5`: "/format", `"$id":5`: "/$id", `"$anchor":[]`: "/$anchor", `"$defs":5`: "/$defs", `"definitions":[]`: "/definitions",
		`"contains":5`: "/contains", `"minContains":-1`: "/minContains", `"maxContains":"1"`: "/maxContains", `"propertyNames":"a"`: "/propertyNames",
		`"dependentRequired":[]`: "/dependentRequired", `"dependentRequired":{"a":{}}`: "/dependentRequired/a", `"dependentRequired":{"a":[1]}`: "/dependentRequired/a",
		`"dependentSchemas":{"a":[]}`: "/dependentSchemas/a", `"dependentSchemas":1`: "/dependentSchemas", `"dependencies":{"a":"b"}`: "/dependencies/a",
		`"unevaluatedItems":[]`: "/unevaluatedItems", `"unevaluatedProperties":1`: "/unevaluatedProperties", `"$dynamicRef":{}`: "/$dynamicRef",
		`"$dynamicRef":"#me"`: "/$dynamicRef", `"$recursiveRef":"#me"`: "/$recursiveRef", `"$recursiveRef":5`: "/$recursiveRef",
		`"$ref":"#no"`: "/$ref", `"$ref":"#a","$defs":{"x":{"$anchor":"a"},"y":{"$anchor":"a"}}`: "/$ref", `"$ref":"#a","enum":[{"$anchor":"a"}]`: "/$ref",
		`"$ref":"#a","$defs":{"x":{"$id":"x","$defs":{"y":{"$anchor":"a"}}}}`: "/$ref",
		// A pointer below an $id is not looked up in the whole schema.
		`"$defs":{"d":{}},"properties":{"a":{"$id":"x","items":{"$ref":"#/$defs/d"}}}`: "/properties/a/items/$ref",
	} {
		check(t, `{"type":"object",`+rest+`}`, `{}`, path+" schema")
		faults := []string{}
		_, list := schema.CompileLenient(jsonrpc.Raw(`{"type":"object",` + rest + `}`))
		for _, f := range list {
			faults = append(faults, f.Path)
		}
		if !slices.Equal(faults, []string{path}) {
			t.Errorf("%s: %q, want %q", rest, faults, path)
		}
	}
	for _, rest := range []string{
		`"$id":"https://example.com/s","$ref":"#/$defs/d","$defs":{"d":{}}`, `"properties":{"a":{"$id":"#x","$ref":"#/$defs/d"}},"$defs":{"d":{}}`,
		`"properties":{"a":{"$id":"x"},"b":{"$ref":"#/$defs/d"}},"$defs":{"d":{}}`, `"properties":{"$id":{"$ref":"#/$defs/d"},"$schema":{},"$ref":{}},"$defs":{"d":{}}`,
		`"properties":{"a":{"$ref":"#/properties/$id"},"$id":{}}`,
		`"allOf":[{"$ref":"#/$defs/x/not"},{"$ref":"#/$defs/y"}],"$defs":{"x":{"$id":"x","not":{}},"y":{"items":{"$ref":"#/$defs/y"}}}`,
	} {
		check(t, `{"type":"object",`+rest+`}`, `{}`, "")
	}
}

// Arguments of tools without parameters.
//
// rows: TOOL-110 TOOL-112 TOOL-116
func TestToolsWithoutParameters(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"object","additionalProperties":false}`, `{}`, ""},
		{`{"type":"object","additionalProperties":false}`, ``, ""},
		{`{"type":"object","additionalProperties":false}`, `{"a":1}`, " additionalProperties"},
		{`{"type":"object"}`, `{"a":1}`, ""},
	} {
		check(t, c.schema, c.value, c.want)
	}
	for _, s := range []jsonrpc.Raw{`{"type":"array"}`, `{}`, `{"type":["object","null"]}`} {
		if err := schema.Check(s); fault(err) != "/type schema" {
			t.Errorf("%s: %v", s, err)
		}
	}
}

// The names in a reference are escaped as in a JSON pointer: ~01 is ~1, not / (D28).
func TestEscapedReferences(t *testing.T) {
	const defs = `"$defs":{"~1":{"const":1},"/":{"const":2},"~0":{"const":3},"~":{"const":4},"~/":{"const":5},"/~":{"const":6},"%":{"const":7}}`
	for i, ref := range []string{"~01", "~1", "~00", "~0", "~0~1", "~1~0", "%25"} {
		s, err := schema.Compile(jsonrpc.Raw(`{"type":"object","properties":{"a":{"$ref":"#/$defs/` + ref + `"}},` + defs + `}`))
		if err != nil {
			t.Errorf("%s: %v", ref, err)
			continue
		}
		for n := range 9 {
			if err := s.Validate(jsonrpc.Raw(fmt.Sprintf(`{"a":%d}`, n))); (err == nil) != (n == i+1) {
				t.Errorf("%s, %d: %v", ref, n, err)
			}
		}
	}
}
