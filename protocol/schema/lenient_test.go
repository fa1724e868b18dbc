package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Unambiguous forms of drafts 3 to 7 are checked as meant.
func TestOlderForms(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"minimum":1,"exclusiveMinimum":true}`, `1`, " exclusiveMinimum"},
		{`{"exclusiveMinimum":true,"minimum":1}`, `1.0`, " exclusiveMinimum"},
		{`{"minimum":1,"exclusiveMinimum":true}`, `1.1`, ""},
		{`{"minimum":1,"exclusiveMinimum":false}`, `1`, ""},
		{`{"minimum":1,"exclusiveMinimum":false}`, `0`, " minimum"},
		{`{"maximum":1,"exclusiveMaximum":true}`, `1`, " exclusiveMaximum"},
		{`{"exclusiveMaximum":true,"maximum":1}`, `0`, ""},
		{`{"exclusiveMaximum":false,"maximum":1}`, `2`, " maximum"},
		{`{"exclusiveMaximum":false,"maximum":1}`, `1`, ""},
		{`{"minimum":1,"exclusiveMinimum":true,"maximum":1}`, `1`, " exclusiveMinimum"},
		{`{"minimum":1,"maximum":2,"exclusiveMaximum":true}`, `1`, ""},
		{`{"minimum":1,"maximum":2,"exclusiveMaximum":true}`, `2`, " exclusiveMaximum"},
		{`{"minimum":1,"exclusiveMinimum":2}`, `1.5`, " exclusiveMinimum"},

		{`{"items":[{"type":"string"},{"type":"number"}]}`, `["a",1,null]`, ""},
		{`{"items":[{"type":"string"},{"type":"number"}]}`, `["a","b"]`, "/1 type"},
		{`{"items":[{"type":"string"}]}`, `[]`, ""},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `["a"]`, ""},
		{`{"items":[{"type":"string"}],"additionalItems":false}`, `["a","b"]`, "/1 additionalItems"},
		{`{"additionalItems":{"type":"null"},"items":[{"type":"string"}]}`, `["a",null,1]`, "/2 type"},
		{`{"items":[],"additionalItems":{"type":"null"}}`, `[1]`, "/0 type"},
		{`{"items":[]}`, `[1]`, ""},
		{`{"items":[{"$ref":"#/definitions/s"}],"definitions":{"s":{"type":"string"}}}`, `[1]`, "/0 type"},
		{`{"items":{"$ref":"#/x/items/0"},"x":{"items":[{"type":"string"}]}}`, `[1]`, "/0 type"},
		{`{"not":{"items":[{"type":"string"}],"additionalItems":false}}`, `["a"]`, " not"},
		// Without a list of items additionalItems is ignored, in every draft.
		{`{"items":{"type":"string"},"additionalItems":false}`, `["a","b"]`, ""},
		{`{"prefixItems":[{"type":"string"}],"additionalItems":false}`, `["a","b"]`, ""},
		{`{"additionalItems":false}`, `["a","b"]`, ""},
		{`{"not":{"additionalItems":false}}`, `["a","b"]`, " not"},

		{`{"id":"http://x/y#","definitions":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/a"}},"dependencies":{"a":["b"]}}`, `{"a":1}`, "/a type"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"]}}`, `{"a":1}`, "/b dependencies"},
	} {
		check(t, c.schema, c.value, c.want)
	}
}

// Each unusable part is omitted and reported, and the rest is checked.
func TestCompileLenient(t *testing.T) {
	for _, c := range []struct{ schema, faults, value, want string }{
		{`{"type":"object","required":["a"]}`, "", `{}`, "/a required"},
		// forms of drafts 3 and 4
		{`{"type":"object","properties":{"a":{"type":"string","required":true},"b":{"type":"number"}}}`, "", `{}`, "/a required"},
		{`{"type":"object","properties":{"a":{"type":"string","required":true},"b":{"type":"number"}}}`, "", `{"a":1}`, "/a type"},
		{`{"type":"object","properties":{"a":{"type":"string","required":true},"b":{"type":"number"}}}`, "", `{"a":"","b":""}`, "/b type"},
		{`{"type":"object","properties":{"a":{"exclusiveMinimum":true,"maximum":3}}}`, "/properties/a/exclusiveMinimum", `{"a":4}`, "/a maximum"},
		{`{"type":"object","properties":{"a":{"type":"any"},"b":{"type":["string",{"type":"null"}]}}}`, "/properties/a/type /properties/b/type", `{"a":1,"b":2}`, ""},
		{`{"type":"object","id":"http://x/y","properties":{"a":{"$ref":"http://x/y#/definitions/n"},"b":{"type":"null"}}}`, "/properties/a/$ref", `{"a":1,"b":1}`, "/b type"},
		// what depends on an omitted part
		{`{"type":"object","properties":[],"additionalProperties":false,"minProperties":2}`, "/properties", `{"a":1}`, " minProperties"},
		{`{"type":"object","properties":[],"additionalProperties":false}`, "/properties", `{"a":1,"b":1}`, ""},
		{`{"type":"object","properties":{"a":{"prefixItems":1,"items":false,"minItems":1}}}`, "/properties/a/prefixItems", `{"a":[1]}`, ""},
		{`{"type":"object","properties":{"a":{"items":false,"prefixItems":1,"minItems":1}}}`, "/properties/a/prefixItems", `{"a":[]}`, "/a minItems"},
		{`{"type":"object","properties":{"a":{"prefixItems":[{"type":"null"}],"items":[{"type":"string"}],"additionalItems":false}}}`, "/properties/a/items", `{"a":[null,1]}`, ""},
		{`{"type":"object","properties":{"a":{"not":{"minimum":""}}}}`, "/properties/a/not/minimum", `{"a":1}`, ""},
		{`{"type":"object","properties":{"a":{"anyOf":[1,{"type":"null"}]}}}`, "/properties/a/anyOf/0", `{"a":1}`, ""},
		{`{"type":"object","properties":{"a":{"oneOf":[{"maxLength":""},true]}}}`, "/properties/a/oneOf/0/maxLength", `{"a":1}`, ""},
		{`{"type":"object","properties":{"a":{"contains":{"type":"null"},"minContains":"","minItems":1}}}`, "/properties/a/minContains", `{"a":[1]}`, ""},
		{`{"type":"object","properties":{"a":{"contains":{"type":"null"},"minContains":"","minItems":1}}}`, "/properties/a/minContains", `{"a":[]}`, "/a minItems"},
		{`{"type":"object","properties":{"a":{"contains":{"type":"null"},"maxContains":""}}}`, "/properties/a/maxContains", `{"a":[1]}`, "/a contains"},
		{`{"type":"object","dependentRequired":{"a":["b"],"c":1}}`, "/dependentRequired/c", `{"c":1}`, ""},
		{`{"type":"object","if":1,"then":false}`, "/if", `{}`, ""},
		{`{"type":"object","required":["a",1]}`, "/required", `{}`, ""},
		{`{"type":"object","enum":1,"properties":{"a":{"$ref":"#/d"}},"d":{"type":"x","minimum":2}}`, "/enum /d/type", `{"a":1}`, "/a minimum"},
		{`{"type":"object","multipleOf":0,"maxProperties":-1,"uniqueItems":2,"required":["a"]}`, "/multipleOf /maxProperties /uniqueItems", `{}`, "/a required"},
		// the whole
		{`{"required":["a"]}`, "/type", `{}`, "/a required"},
		{`{"type":["object","null"],"required":["a"]}`, "/type", `{}`, "/a required"},
		{`{"type":"string","required":["a"]}`, "/type", `{}`, "/a required"},
		{`{"type":"x","required":["a"]}`, "/type", `{}`, "/a required"},
		{`true`, "/type", `{}`, ""},
		{`false`, "/type", `{"a":1}`, ""},
		{`1`, "", `{"a":1}`, ""},
		{`[]`, "", `{"a":1}`, ""},
		{``, "", `{"a":1}`, ""},
		{`{`, "", `{"a":1}`, ""},
		{`{"type":"object","required":["a"]}`, "", ``, "/a required"},
	} {
		s, faults := schema.CompileLenient(jsonrpc.Raw(c.schema))
		var paths []string
		for _, f := range faults {
			if paths = append(paths, f.Path); f.Keyword != schema.KeywordSchema {
				t.Errorf("%s: %v", c.schema, f)
			}
		}
		if got := strings.Join(paths, " "); got != c.faults {
			t.Errorf("%s: faults at %q, want %q", c.schema, got, c.faults)
		}
		if _, err := schema.Compile(jsonrpc.Raw(c.schema)); err == nil != (len(faults) == 0) {
			t.Errorf("%s: faults %v, Compile %v", c.schema, faults, err)
		}
		if got := fault(s.Validate(jsonrpc.Raw(c.value))); got != c.want {
			t.Errorf("%s on %s: %q, want %q", c.schema, c.value, got, c.want)
		}
		if got := fault(schema.Lenient{}.Validate(jsonrpc.Raw(c.schema), jsonrpc.Raw(c.value))); got != c.want && !strings.HasPrefix(c.faults, "/type") {
			t.Errorf("Lenient: %s on %s: %q, want %q", c.schema, c.value, got, c.want)
		}
		if got := fault(s.Validate(`[]`)); got != " type" {
			t.Errorf("%s on an array: %q", c.schema, got)
		}
	}
	// Too much work.
	s, faults := schema.CompileLenient(jsonrpc.Raw(`{"type":"object","minimum":"","anyOf":[` + strings.Repeat("{},", 1<<20) + `true]}`))
	if want := []schema.Fault{{Path: "/minimum", Keyword: schema.KeywordSchema}, {Keyword: schema.KeywordLimit}}; !slices.Equal(faults, want) || !s.IsZero() {
		t.Errorf("%v, want %v", faults, want)
	}
	if err := (schema.Lenient{}).Validate(jsonrpc.Raw(`{"anyOf":[`+strings.Repeat("{},", 1<<20)+`true]}`), `{}`); err != nil {
		t.Error(err)
	}
	if err := (schema.Lenient{}).Validate(`{"type":"object"}`, `{`); fault(err) != " syntax" {
		t.Error(err)
	}
}

// A value that satisfies a schema also satisfies the rest of it when some of its keywords
// cannot be read.
func TestLenientIsSound(t *testing.T) {
	left := 0
	rapid.Check(t, func(t *rapid.T) {
		s := `{"type":"object","allOf":[` + drawSchema(t, 3, true) + `],"properties":{"a":` + drawSchema(t, 2, true) + `},"$defs":{"d":` + drawSchema(t, 2, false) + `}}`
		whole := jsonrpc.Raw(marks.Replace(s))
		part := jsonrpc.Raw(damaged(s))
		lenient, faults := schema.CompileLenient(part)
		if _, err := schema.Compile(part); err == nil != (len(faults) == 0) {
			t.Fatalf("%s: faults %v, Compile %v", part, faults, err)
		}
		if len(faults) == 0 && part == whole {
			return
		}
		left++
		for range 10 {
			value := jsonrpc.Raw("{" + some(t, 0, func() string { return pick(t, `"a"`, `"b"`, `"c"`) + ":" + drawValue(t, 2) }) + "}")
			if (schema.Basic{}).Validate(whole, value) != nil {
				continue
			}
			if err := lenient.Validate(value); err != nil {
				t.Fatalf("%s on %s: %v, but %s takes it", part, value, err, whole)
			}
			if err := (schema.Lenient{}).Validate(part, value); err != nil {
				t.Fatalf("%s on %s: %v, but %s takes it", part, value, err, whole)
			}
		}
	})
	if left == 0 {
		t.Error("nothing was left out")
	}
}

// Zero and empty values.
func TestZeroValues(t *testing.T) {
	var zero schema.Schema
	trivial, _ := schema.Compile(`{"type":"object"}`)
	tight, _ := schema.Compile(`{"type":"object","required":["a"]}`)
	for _, c := range []struct {
		name  string
		check func(value jsonrpc.Raw) error
		want  map[jsonrpc.Raw]string
	}{
		{"the zero Schema", zero.Validate, map[jsonrpc.Raw]string{``: "", `{}`: "", `{"a":1}`: "", `[]`: " type", `null`: " type", ` `: " syntax", `{`: " syntax"}},
		{"a trivial Schema", trivial.Validate, map[jsonrpc.Raw]string{``: "", `{}`: "", `null`: " type"}},
		{"a Schema", tight.Validate, map[jsonrpc.Raw]string{``: "/a required", `{}`: "/a required", `null`: " type"}},
		{"Basic with no schema", func(v jsonrpc.Raw) error { return schema.Basic{}.Validate("", v) }, map[jsonrpc.Raw]string{``: " schema", `{}`: " schema", `null`: " schema"}},
		{"Basic with null", func(v jsonrpc.Raw) error { return schema.Basic{}.Validate("null", v) }, map[jsonrpc.Raw]string{``: " schema", `{}`: " schema"}},
		{"Lenient with no schema", func(v jsonrpc.Raw) error { return schema.Lenient{}.Validate("", v) }, map[jsonrpc.Raw]string{``: "", `{}`: "", `null`: "", `{`: " syntax"}},
		{"None", func(v jsonrpc.Raw) error { return schema.None{}.Validate(`false`, v) }, map[jsonrpc.Raw]string{``: "", `{}`: "", `{`: ""}},
	} {
		for value, want := range c.want {
			if got := fault(c.check(value)); got != want {
				t.Errorf("%s on %q: %q, want %q", c.name, value, got, want)
			}
		}
	}
	if !zero.IsZero() || !trivial.IsZero() || tight.IsZero() {
		t.Error("IsZero is wrong")
	}
	if got := schema.Check(""); fault(got) != " schema" {
		t.Error(got)
	}
	if got := (schema.Fault{}).Error(); got != "schema: the value fails " {
		t.Error(got)
	}
	if a := schema.ReadArguments(""); a.Err() != nil || a.Has("") {
		t.Error("empty arguments are not those of an empty object")
	}
	if got := fmt.Sprint(&schema.ArgumentError{}, schema.ArgumentErrors(nil)); got != "the value of the arguments is wrong " {
		t.Errorf("%q", got)
	}
}
