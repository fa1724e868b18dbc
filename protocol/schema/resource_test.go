package schema_test

import (
	"errors"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
)

// References within and between schemas that have identifiers (JSON Schema Core, 8.2).
func TestIdentifiers(t *testing.T) {
	const null = `{"type":"null"}`
	for _, c := range []struct{ schema, value, want string }{
		{`{"$id":"http://h/a/b","$ref":"c","$defs":{"x":{"$id":"c","type":"null"}}}`, `1`, " type"},
		{`{"$id":"http://h/a/b","$ref":"/a/c","$defs":{"x":{"$id":"c","type":"null"}}}`, `1`, " type"},
		{`{"$id":"http://h/a/b","$ref":"//h/a/c","$defs":{"x":{"$id":"c","type":"null"}}}`, `1`, " type"},
		{`{"$id":"http://h/a/b","$ref":"HTTP://H/a/./d/../c","$defs":{"x":{"$id":"c","type":"null"}}}`, `1`, " type"},
		{`{"$id":"http://h","$ref":"c","$defs":{"x":{"$id":"http://h/c","type":"null"}}}`, `1`, " type"},
		{`{"$id":"http://h/a/","$ref":"../..","$defs":{"x":{"$id":"http://h/","type":"null"}}}`, `1`, " type"},
		{`{"$id":"http://h/a/b","$ref":"c/.","$defs":{"x":{"$id":"http://h/a/c/","type":"null"}}}`, `1`, " type"},
		{`{"$id":"a/b","$ref":"../c","$defs":{"x":{"$id":"/c","type":"null"}}}`, `1`, "/$ref schema"},
		{`{"$id":"a/b","$ref":"../../c","$defs":{"x":{"$id":"http://c","type":"null"}}}`, `1`, "/$ref schema"},
		{`{"$id":"http://h/a?q","$ref":"?r","$defs":{"x":{"$id":"a?r","type":"null"}}}`, `1`, " type"},
		{`{"$id":"http://h/a?q","items":{"$ref":"#"},"type":["array","null"]}`, `[[1]]`, "/0/0 type"},
		{`{"$id":"http://h/a?q","items":{"$ref":"a?q"},"type":["array","null"]}`, `[[1]]`, "/0/0 type"},
		{`{"$id":"urn:x:y","items":{"$ref":"urn:x:y#/$defs/d"},"$defs":{"d":` + null + `}}`, `[1]`, "/0 type"},
		{`{"$ref":"x#/items","$defs":{"x":{"$id":"x","items":` + null + `}}}`, `1`, " type"},
		{`{"$ref":"x#a","$defs":{"x":{"$id":"x","items":{"$anchor":"a","type":"null"}}}}`, `1`, " type"},
		{`{"$ref":"x#b","$defs":{"x":{"$id":"x","items":{"$anchor":"a","type":"null"}}}}`, `1`, "/$ref schema"},
		{`{"$ref":"#/$defs/x/items","$defs":{"x":{"$id":"x","$defs":{"d":` + null + `},"items":{"$ref":"#/$defs/d"}}}}`, `1`, " type"},
		{`{"$ref":"#/$defs/x/allOf/0/items","$defs":{"x":{"allOf":[{"$id":"x","$defs":{"d":` + null + `},"items":{"$ref":"#/$defs/d"}}]}}}`, `1`, " type"},
		{`{"properties":{"a":{"$id":"x","items":{"$ref":"#/$defs/d"},"$defs":{"d":` + null + `}}}}`, `{"a":[1]}`, "/a/0 type"},
		{`{"$ref":"x","$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}`, `1`, "/$ref schema"},
		{`{"$ref":"x","enum":[{"$id":"x"}]}`, `1`, "/$ref schema"},
		{`{"$ref":"#/odd/x","odd":{"x":{"$id":"x","$ref":"#/odd/y"},"y":` + null + `}}`, `1`, " type"},
		{`{"$ref":"x#/%7e0a","$defs":{"b":{"$id":"x","~a":` + null + `}}}`, `1`, " type"},
		{`{"$ref":"x#/%z","$defs":{"b":{"$id":"x"}}}`, `1`, "/$ref schema"},
		{`{"$ref":"\ud800"}`, `1`, "/$ref schema"},
		{`{"$id":"http://h/r","$defs":{"a":{"$id":"a","$dynamicAnchor":"d","items":{"$dynamicRef":"#d"}}},"$dynamicAnchor":"d","$ref":"a","type":["array","null"]}`, `[1]`, "/0 type"},
		{`{"$id":"http://h/r","$defs":{"a":{"$id":"a","$dynamicAnchor":"d","items":{"$dynamicRef":"#d"}}},"$ref":"a","type":["array","null"]}`, `[1]`, ""},
		{`{"$id":"http://h/r","$defs":{"a":{"$id":"a","$dynamicAnchor":"d","type":"null"}},"items":{"$dynamicRef":"a#d"}}`, `[1]`, "/0 type"},
		{`{"$defs":{"a":{"$anchor":"d","type":"null"}},"items":{"$dynamicRef":"#d"}}`, `[1]`, "/0 type"},
		{`{"$defs":{"a":{"type":"null"}},"items":{"$dynamicRef":"#/$defs/a","$ref":"#/$defs/b"},"$defs":{"a":{"type":"null"},"b":{"type":["null","string"]}}}`, `[""]`, "/0 type"},
		{`{"$defs":{"a":{"type":"null"}},"items":{"$recursiveRef":"#"},"type":["array","null"]}`, `[1]`, "/0 type"},
		{`{"$id":"http://h/r","$recursiveAnchor":true,"$ref":"a","type":["array","null"],"$defs":{"a":{"$id":"a","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}}}}`, `[1]`, "/0 type"},
		{`{"$id":"http://h/r","$recursiveAnchor":true,"$ref":"a","type":["array","null"],"$defs":{"a":{"$id":"a","items":{"$recursiveRef":"#"}}}}`, `[1]`, ""},
		{`{"$dynamicRef":"#d","$dynamicAnchor":"d"}`, `1`, " limit"},
	} {
		if got := fault(schema.Basic{}.Validate(jsonrpc.Raw(c.schema), jsonrpc.Raw(c.value))); got != c.want {
			t.Errorf("%s on %s: %q, want %q", c.schema, c.value, got, c.want)
		}
	}
}

// unevaluatedProperties and unevaluatedItems apply to what no other keyword has evaluated. If
// that is unknown, the value is accepted (JSON Schema Core, 11).
func TestUnevaluated(t *testing.T) {
	const unread = `"pattern":"(?i)x"`
	for _, c := range []struct{ schema, value, want string }{
		{`{"properties":{"a":true},"unevaluatedProperties":{"type":"null"}}`, `{"a":1,"b":null}`, ""},
		{`{"properties":{"a":true},"unevaluatedProperties":{"type":"null"}}`, `{"a":1,"b":1}`, "/* type"},
		{`{"properties":{"b":true},"required":["a"],"unevaluatedProperties":{"type":"null"}}`, `{"a":1}`, "/a type"},
		{`{"patternProperties":{"^a":true},"unevaluatedProperties":false}`, `{"ab":1}`, ""},
		{`{"patternProperties":{"(?i)^a":true},"unevaluatedProperties":false}`, `{"b":1}`, ""},
		{`{"patternProperties":{"(?i)^a":true},"unevaluatedProperties":{"type":"null"}}`, `{"b":null}`, ""},
		{`{"anyOf":[{"properties":{"a":true}},{"properties":{"b":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":1}`, ""},
		{`{"anyOf":[{"properties":{"a":{"type":"null"}}},{"properties":{"b":true}}],"unevaluatedProperties":false}`, `{"a":1,"b":1}`, " unevaluatedProperties"},
		{`{"oneOf":[{"properties":{"a":{"const":1}}},{"properties":{"a":{"const":2},"b":true}}],"unevaluatedProperties":false}`, `{"a":2,"b":1}`, ""},
		{`{"not":{"not":{"properties":{"a":true}}},"unevaluatedProperties":false}`, `{"a":1}`, " unevaluatedProperties"},
		{`{"if":{"properties":{"a":true}},"unevaluatedProperties":false}`, `{"a":1}`, ""},
		{`{"if":{"properties":{"a":{"type":"null"}},"required":["a"]},"then":{"properties":{"b":true}},"else":{"properties":{"c":true}},"unevaluatedProperties":false}`, `{"c":1}`, ""},
		{`{"if":{"properties":{"a":{` + unread + `}}},"then":{"properties":{"b":true}},"unevaluatedProperties":false}`, `{"a":"x","b":1,"c":1}`, " unevaluatedProperties"},
		{`{"if":{"properties":{"a":{` + unread + `}}},"then":{"properties":{"b":true}},"unevaluatedProperties":false}`, `{"a":"x","b":1}`, ""},
		{`{"anyOf":[{"properties":{"a":{` + unread + `}}},true],"unevaluatedProperties":{"type":"null"}}`, `{"a":"x"}`, ""},
		{`{"dependentSchemas":{"a":{"properties":{"a":true,"b":true}}},"unevaluatedProperties":false}`, `{"a":1,"b":1}`, ""},
		{`{"allOf":[{"unevaluatedProperties":true}],"unevaluatedProperties":false}`, `{"a":1}`, ""},
		{`{"allOf":[{"properties":{"a":true}},{"unevaluatedProperties":false}]}`, `{"a":1}`, " unevaluatedProperties"},
		{`{"additionalProperties":true,"unevaluatedProperties":false}`, `{"a":1}`, ""},
		{`{"properties":{"a":{"properties":{"b":true}}},"unevaluatedProperties":false}`, `{"a":{"b":1},"b":1}`, " unevaluatedProperties"},
		{`{"unevaluatedProperties":false}`, `{}`, ""},
		{`{"unevaluatedProperties":false,"unevaluatedItems":false}`, `1`, ""},
		{`{"unevaluatedItems":false}`, `[]`, ""},
		{`{"prefixItems":[true],"unevaluatedItems":{"type":"null"}}`, `[1,null]`, ""},
		{`{"prefixItems":[true],"unevaluatedItems":{"type":"null"}}`, `[1,1]`, "/1 type"},
		{`{"prefixItems":[true],"unevaluatedItems":false}`, `[1,1]`, "/1 unevaluatedItems"},
		{`{"contains":{"type":"null"},"unevaluatedItems":{"type":"string"}}`, `[null,"",null]`, ""},
		{`{"contains":{"type":"null"},"unevaluatedItems":{"type":"string"}}`, `[null,1]`, "/1 type"},
		{`{"contains":{` + unread + `},"unevaluatedItems":false}`, `["x"]`, ""},
		{`{"allOf":[{"items":true}],"unevaluatedItems":false}`, `[1,2]`, ""},
		{`{"items":{"unevaluatedItems":false,"prefixItems":[true]}}`, `[[1],[1,2]]`, "/1/1 unevaluatedItems"},
		{`{"properties":{"a":{"type":"null"}},"unevaluatedProperties":false}`, `{"a":1}`, "/a type"},
		{`{"$ref":"#/$defs/x","$defs":{"x":{` + unread + `}},"unevaluatedProperties":false}`, `{"a":1}`, ""},
	} {
		if got := fault(schema.Basic{}.Validate(jsonrpc.Raw(c.schema), jsonrpc.Raw(c.value))); got != c.want {
			t.Errorf("%s on %s: %q, want %q", c.schema, c.value, got, c.want)
		}
	}
}

// A fault names the place of its keyword in the schema, however the check got there.
func TestSchemaPath(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"null"}`, `1`, "/type"},
		{`false`, `1`, ""},
		{`{"allOf":[true,{"not":{}}]}`, `1`, "/allOf/1/not"},
		{`{"anyOf":[false]}`, `1`, "/anyOf"},
		{`{"oneOf":[false]}`, `1`, "/oneOf"},
		{`{"if":true,"then":{"type":"null"}}`, `1`, "/then/type"},
		{`{"if":false,"else":{"type":"null"}}`, `1`, "/else/type"},
		{`{"items":{"type":"null"}}`, `[1]`, "/items/type"},
		{`{"items":[true],"additionalItems":{"type":"null"}}`, `[1,1]`, "/additionalItems/type"},
		{`{"items":[{"type":"null"}]}`, `[1]`, "/items/0/type"},
		{`{"prefixItems":[true,{"type":"null"}]}`, `[1,1]`, "/prefixItems/1/type"},
		{`{"contains":{"type":"null"}}`, `[1]`, "/contains"},
		{`{"properties":{"a/b~":{"type":"null"}}}`, `{"a/b~":1}`, "/properties/a~1b~0/type"},
		{`{"properties":{"a":{"required":true}}}`, `{}`, "/properties/a/required"},
		{`{"additionalProperties":{"type":"null"}}`, `{"a":1}`, "/additionalProperties/type"},
		{`{"patternProperties":{"^a/":{"type":"null"}}}`, `{"a/":1}`, "/patternProperties/^a~1/type"},
		{`{"dependentSchemas":{"a":{"minProperties":2}},"dependentRequired":{"a":["a"]}}`, `{"a":1}`, "/dependentSchemas/a/minProperties"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"minProperties":2}}}`, `{"a":1}`, "/dependencies/a/minProperties"},
		{`{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "/dependentRequired"},
		{`{"unevaluatedProperties":{"type":"null"}}`, `{"a":1}`, "/unevaluatedProperties/type"},
		{`{"unevaluatedItems":{"type":"null"}}`, `[1]`, "/unevaluatedItems/type"},
		{`{"properties":{"a":{"$ref":"#/$defs/d"}},"$defs":{"d":{"items":{"$ref":"#x"}},"e":{"$anchor":"x","type":"null"}}}`, `{"a":[1]}`, "/$defs/e/type"},
		{`{"$defs":{"d":{"items":{"$ref":"#"}}},"type":["array","null"],"$ref":"#/$defs/d"}`, `[1]`, "/type"},
		{`{"items":{"$dynamicRef":"a#d"},"$defs":{"a":{"$id":"a","$defs":{"b":{"$dynamicAnchor":"d","type":"null"}}}}}`, `[1]`, "/$defs/a/$defs/b/type"},
		{`{"$id":"http://h/r","$ref":"a","$defs":{"c":{"$dynamicAnchor":"d","type":"null"},"a":{"$id":"a","items":{"$dynamicRef":"#d"},"$defs":{"b":{"$dynamicAnchor":"d"}}}}}`, `[1]`, "/$defs/c/type"},
		{`{"properties":{"a":{"format":"date"}}}`, `{"a":"x"}`, "/properties/a/format"},
	} {
		err := schema.Basic{Formats: schema.AllFormats}.Validate(jsonrpc.Raw(c.schema), jsonrpc.Raw(c.value))
		var f schema.Fault
		if !errors.As(err, &f) || f.SchemaPath != c.want || f.Keyword == schema.KeywordSchema {
			t.Errorf("%s on %s: %v at %q, want %q", c.schema, c.value, err, f.SchemaPath, c.want)
		}
	}
	for _, c := range [][2]string{{`{"items":5}`, `1`}, {`{}`, `x`}, {`{"$ref":"#"}`, `1`}} {
		err := schema.Basic{}.Validate(jsonrpc.Raw(c[0]), jsonrpc.Raw(c[1]))
		if f := (schema.Fault{}); !errors.As(err, &f) || f.SchemaPath != "" {
			t.Errorf("%s on %s: %v", c[0], c[1], err)
		}
	}
}
