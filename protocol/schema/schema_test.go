package schema_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// check compares the outcome with want: "" means valid, otherwise "path keyword".
func check(t *testing.T, s, value, want string) {
	t.Helper()
	if got := fault((schema.Basic{}).Validate(jsonrpc.Raw(s), jsonrpc.Raw(value))); got != want {
		t.Errorf("%.200s on %.200s: %q, want %q", s, value, got, want)
	}
	compiled(t, s, value)
}

// fault writes an error as "path keyword".
func fault(err error) string {
	var f schema.Fault
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &f):
		return err.Error()
	}
	return f.Path + " " + f.Keyword
}

// compiled compares a Schema with Basic.
func compiled(t interface{ Fatalf(string, ...any) }, s, value string) {
	c, err := schema.Compile(jsonrpc.Raw(s))
	if check := schema.Check(jsonrpc.Raw(s)); !errors.Is(err, check) {
		t.Fatalf("%.200s: Compile %v, Check %v", s, err, check)
	}
	if err != nil {
		return
	}
	want := (schema.Basic{}).Validate(jsonrpc.Raw(s), jsonrpc.Raw(value))
	if got := c.Validate(jsonrpc.Raw(value)); !errors.Is(got, want) {
		t.Fatalf("%.200s on %.200s: compiled %v, want %v", s, value, got, want)
	}
	if got := c.ValidateDecoded(jsonrpc.Raw(value)); !errors.Is(got, want) && rawjson.Valid(value) {
		t.Fatalf("%.200s on %.200s, decoded: %v, want %v", s, value, got, want)
	}
	if c.IsZero() && want == nil != strings.HasPrefix(strings.TrimLeft(value, " ")+"{", "{") {
		t.Fatalf("%.200s takes every object, but on %.200s: %v", s, value, want)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`true`, `1`, ""},
		{` { } `, " [ 1 ]\n", ""},
		{`false`, `1`, " false"},
		{`{}`, `null`, ""},
		{`{"type":"object"}`, ``, ""},
		{`{"type":"object","required":["a"]}`, ``, "/a required"},

		{`{"type":"null"}`, `null`, ""},
		{`{"type":"null"}`, `0`, " type"},
		{`{"type":"boolean"}`, `false`, ""},
		{`{"type":"boolean"}`, `"false"`, " type"},
		{`{"type":"string"}`, `"x"`, ""},
		{`{"type":"string"}`, `null`, " type"},
		{`{"type":"array"}`, `[]`, ""},
		{`{"type":"array"}`, `{}`, " type"},
		{`{"type":"object"}`, `[]`, " type"},
		{`{"type":["string","null"]}`, `null`, ""},
		{`{"type":["string","null"]}`, `true`, " type"},
		{`{"type":"number"}`, `1e400`, ""},
		{`{"type":"string"}`, `1`, " type"},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer"}`, `10e-1`, ""},
		{`{"type":"integer"}`, `0e-5`, ""},
		{`{"type":"integer"}`, `1e99999999999999999999`, ""},
		{`{"type":"integer"}`, `1.5`, " type"},
		{`{"type":["integer","number"]}`, `1.5`, ""},
		{`{"type":["integer","string"]}`, `1e-1`, " type"},

		{`{"enum":["a",1,null,[1,{"b":2,"a":1}]]}`, `1.0`, ""},
		{`{"enum":["a",1,null,[1,{"b":2,"a":1}]]}`, `"\u0061"`, ""},
		{`{"enum":["a",1,null,[1,{"b":2,"a":1}]]}`, ` [ 1e0, {"a":1, "b" : 2.0} ] `, ""},
		{`{"enum":["a",1,null]}`, `"1"`, " enum"},
		{`{"enum":[]}`, `1`, " enum"},
		{`{"enum":[true]}`, `"true"`, " enum"},
		{`{"const":9007199254740993}`, `9007199254740993.0`, ""},
		{`{"const":9007199254740993}`, `9007199254740992`, " const"},
		{`{"const":-0.0}`, `0`, ""},
		{`{"const":-1}`, `1`, " const"},
		{`{"const":{"a":1}}`, `{"a":2,"a":1}`, ""},
		{`{"const":{"a":1}}`, `{"a":1,"a":2}`, " const"},
		{`{"const":[1,2]}`, `[12]`, " const"},
		{`{"const":"\ufffd"}`, `"\ud800"`, " const"},
		{`{"const":"\ud800"}`, `"\ud800"`, ""},

		{`{"minLength":2}`, `"é"`, " minLength"},
		{`{"minLength":2}`, `"é\n"`, ""},
		{`{"minLength":2}`, `1`, ""},
		{`{"maxLength":1}`, `"\ud83d\ude00"`, ""},
		{`{"maxLength":1}`, `"😀😀"`, " maxLength"},
		{`{"minLength":1.0,"maxLength":1e99}`, `"ab"`, ""},

		{`{"minimum":9007199254740993}`, `9007199254740992`, " minimum"},
		{`{"minimum":9007199254740993}`, `9007199254740993`, ""},
		{`{"minimum":-1.5}`, `-1.6`, " minimum"},
		{`{"minimum":-1.5}`, `-1.49`, ""},
		{`{"minimum":0}`, `-1e-400`, " minimum"},
		{`{"minimum":0}`, `-0`, ""},
		{`{"maximum":1e400}`, `1e399`, ""},
		{`{"maximum":1e400}`, `10.1e399`, " maximum"},
		{`{"exclusiveMinimum":12}`, `12.0`, " exclusiveMinimum"},
		{`{"exclusiveMinimum":12}`, `12.01`, ""},
		{`{"exclusiveMaximum":100}`, `1e2`, " exclusiveMaximum"},
		{`{"exclusiveMaximum":100}`, `99`, ""},
		{`{"maximum":1}`, `"2"`, ""},
		{`{"multipleOf":0.1}`, `0.3`, ""},
		{`{"multipleOf":0.1}`, `0.35`, " multipleOf"},
		{`{"multipleOf":0.01}`, `-19.99`, ""},
		{`{"multipleOf":3}`, `9007199254740993`, ""},
		{`{"multipleOf":3}`, `9007199254740992`, " multipleOf"},
		{`{"multipleOf":10}`, `5`, " multipleOf"},
		{`{"multipleOf":10}`, `0`, ""},
		{`{"multipleOf":7}`, `7e1000000000000`, ""},
		{`{"multipleOf":7}`, `1e1000000000000`, " multipleOf"},
		{`{"multipleOf":4}`, `1e2`, ""},
		{`{"multipleOf":1844674407370955163}`, `18446744073709551616`, " multipleOf"}, // 2^64: a carry beyond 64 bits
		{`{"multipleOf":1844674407370955163}`, `18446744073709551630`, ""},
		{`{"multipleOf":9999999999999999999}`, `99999999999999999990`, ""},
		{`{"multipleOf":9999999999999999999}`, `99999999999999999991`, " multipleOf"},
		{`{"multipleOf":9999999999999999999}`, `99999999999999999990`, ""},
		{`{"multipleOf":9999999999999999999}`, `9999999999999999998`, " multipleOf"},
		{`{"multipleOf":2}`, `123456789012345678901234567890`, ""},

		{`{"minItems":1}`, `[]`, " minItems"},
		{`{"minItems":1}`, `{}`, ""},
		{`{"maxItems":1}`, `[1,2]`, " maxItems"},
		{`{"items":{"type":"integer"}}`, `[1,2,"x"]`, "/2 type"},
		{`{"items":false}`, `[]`, ""},
		{`{"items":false}`, `[1]`, "/0 items"},
		{`{"prefixItems":[{"type":"string"},true],"items":false}`, `["a",1]`, ""},
		{`{"prefixItems":[{"type":"string"},true],"items":false}`, `["a"]`, ""},
		{`{"prefixItems":[{"type":"string"},true],"items":false}`, `["a",1,2]`, "/2 items"},
		{`{"prefixItems":[{"type":"string"}]}`, `[1]`, "/0 type"},
		{`{"prefixItems":[{"type":"string"}]}`, `["a",1]`, ""},
		{`{"uniqueItems":true}`, `[1,"1",[1],{"a":1},true]`, ""},
		{`{"uniqueItems":true}`, `[{"a":1,"b":[2]},{"b":[2.0],"a":1}]`, "/1 uniqueItems"},
		{`{"uniqueItems":true}`, `[1,0.1e1]`, "/1 uniqueItems"},
		{`{"uniqueItems":false}`, `[1,1]`, ""},

		{`{"minProperties":2}`, `{"a":1,"a":2}`, " minProperties"},
		{`{"maxProperties":1}`, `{"a":1,"a":2}`, ""},
		{`{"maxProperties":1}`, `{"a":1,"b":2}`, " maxProperties"},
		{`{"properties":{"a":{"type":"string"}}}`, `{"a":1,"a":"x"}`, ""},
		{`{"properties":{"a":{"type":"string"}}}`, `{"a":"x","\u0061":1}`, "/a type"},
		{`{"properties":{"a":{"type":"string"}}}`, `{"b":1}`, ""},
		{`{"properties":{"a":false}}`, `{"a":1}`, "/a false"},
		{`{"properties":{"a/b~":{"properties":{"":{"type":"null"}}}}}`, `{"a/b~":{"":1}}`, "/a~1b~0/ type"},
		{`{"required":["a","b"]}`, `{"a":null}`, "/b required"},
		{`{"required":["a"]}`, `[]`, ""},
		{`{"properties":{"a":true},"additionalProperties":false}`, `{"a":1}`, ""},
		{`{"properties":{"a":true},"additionalProperties":false}`, `{"a":1,"peer":1}`, " additionalProperties"},
		{`{"additionalProperties":{"items":{"type":"null"}}}`, `{"peer":[null,1]}`, "/*/1 type"},
		{`{"additionalProperties":{"type":"null"}}`, `{"\ud800":1,"\ud801":null}`, "/* type"},
		// additionalProperties does not apply to what patternProperties matches.
		{`{"patternProperties":{"^x-":{}},"additionalProperties":false}`, `{"x-a":1}`, ""},
		{`{"patternProperties":{"^x-":{"type":"null"}},"additionalProperties":false}`, `{"x-a":1}`, "/* type"},
		{`{"patternProperties":{"^x-":{}},"additionalProperties":false}`, `{"x":1}`, " additionalProperties"},
		{`{"patternProperties":{"^x-":{}},"additionalProperties":{"type":"null"}}`, `{"x":1}`, "/* type"},
		{`{"patternProperties":{"(?i)^x-":{}},"additionalProperties":false}`, `{"x":1}`, ""},
		{`{"patternProperties":{"a":{"minimum":1},"b":{"maximum":3}},"properties":{"ab":{"multipleOf":2}}}`, `{"ab":2}`, ""},
		{`{"patternProperties":{"a":{"minimum":1},"b":{"maximum":3}},"properties":{"ab":{"multipleOf":2}}}`, `{"ab":4}`, "/ab maximum"},
		{`{"patternProperties":{"a":{"minimum":1},"b":{"maximum":3}},"properties":{"ab":{"multipleOf":2}}}`, `{"ab":0}`, "/ab minimum"},
		{`{"patternProperties":{"a":{"minimum":1},"b":{"maximum":3}},"properties":{"ab":{"multipleOf":2}}}`, `{"ab":3}`, "/ab multipleOf"},
		{`{"patternProperties":{"^.$":{"type":"null"}}}`, `{"\ud800":1}`, ""},
		{`{"pattern":"^a"}`, `"\ud800"`, ""},
		{`{"properties":{"a":{"required":true},"b":{"required":false}}}`, `{"a":1}`, ""},
		{`{"properties":{"a":{"required":true},"b":{"required":false}}}`, `{"b":1}`, "/a required"},
		{`{"properties":{"a":{"required":true}},"required":["a","b"]}`, `{"a":1}`, "/b required"},
		{`{"items":{"required":true}}`, `[1]`, ""},
		{`{"pattern":"^\\S+$"}`, `"\u0061\n"`, " pattern"},
		{`{"pattern":"^a","const":"x"}`, `"a"`, " const"},
		{`{"pattern":"^a"}`, `["b"]`, ""},

		{`{"allOf":[{"minimum":1},{"maximum":3}]}`, `2`, ""},
		{`{"allOf":[{"minimum":1},{"maximum":3}]}`, `4`, " maximum"},
		{`{"anyOf":[{"type":"string"},{"minimum":3}]}`, `4`, ""},
		{`{"anyOf":[{"type":"string"},{"minimum":3}]}`, `2`, " anyOf"},
		{`{"oneOf":[{"type":"number"},{"type":"string"}]}`, `4`, ""},
		{`{"oneOf":[{"type":"number"},{"minimum":3}]}`, `4`, " oneOf"},
		{`{"oneOf":[{"type":"null"},{"minimum":3}]}`, `2`, " oneOf"},
		{`{"not":{"type":"null"}}`, `2`, ""},
		{`{"not":{"type":"null"}}`, `null`, " not"},
		{`{"not":{"properties":{"a":{"type":"null"}}},"properties":{"b":{"type":"null"}}}`, `{"a":1,"b":1}`, "/b type"},
		{`{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `"a"`, " minLength"},
		{`{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `1`, " minimum"},
		{`{"if":{"type":"string"},"then":{"minLength":2}}`, `1`, ""},
		{`{"if":{"type":"string"},"else":{"minimum":2}}`, `"a"`, ""},
		{`{"if":false}`, `1`, ""},
		{`{"then":false,"else":false}`, `1`, ""},

		// Ignored keywords never fail a value, even when negated.
		{`{"pattern":"(?i)^a$","format":"email","x-mine":[],"$comment":1}`, `"b"`, ""},
		{`{"not":{"pattern":"(?i)^a$"}}`, `"b"`, ""},
		{`{"not":{"not":{"pattern":"(?i)^a$"}}}`, `"b"`, ""},
		{`{"oneOf":[{"format":"ipv4"},{"format":"ipv6"}]}`, `"::1"`, ""},
		{`{"oneOf":[{"format":"ipv4"},{"type":"string"},true]}`, `"::1"`, " oneOf"},
		{`{"anyOf":[{"type":"null"},{"pattern":"(?i)^a$"}]}`, `"b"`, ""},
		{`{"not":{"anyOf":[{"type":"null"},{"pattern":"(?i)^a$"}]}}`, `"b"`, ""},
		{`{"if":{"pattern":"(?i)^a$"},"then":{"minLength":2},"else":{"maxLength":5}}`, `"a"`, ""},
		{`{"if":{"pattern":"(?i)^a$"},"then":{"minLength":2},"else":{"minLength":3}}`, `"a"`, " if"},
		{`{"if":{"pattern":"(?i)^a$"},"then":false}`, `"a"`, ""},

		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, `1`, " type"},
		{`{"$ref":"#/$defs/a","minimum":2,"$defs":{"a":{"type":"integer"}}}`, `1`, " minimum"},
		{`{"properties":{"x":{"$ref":"#/$defs/a~1b%25"}},"$defs":{"a/b%":{"type":"string"}}}`, `{"x":1}`, "/x type"},
		{`{"items":{"$ref":"#/anyOf/1"},"anyOf":[true,{"type":"array"}]}`, `[1]`, "/0 type"},
		{`{"type":"object","additionalProperties":{"$ref":"#"}}`, `{"a":{"b":{"c":{}}}}`, ""},
		{`{"type":"object","additionalProperties":{"$ref":"#"}}`, `{"a":{"b":{"c":1}}}`, "/*/*/* type"},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"},"a":{"type":"string"}}}`, `"x"`, ""},
		{`{"type":"string","type":"number"}`, `1`, ""},
		{`{"properties":{"a":false},"properties":{}}`, `{"a":1}`, ""},

		{`{}`, `{`, " syntax"},
		{`{}`, ` `, " syntax"},
		{`{}`, "\"\xff\"", " syntax"},
		{`{}`, `1 2`, " syntax"},
	} {
		check(t, c.schema, c.value, c.want)
	}
}

func TestUnusable(t *testing.T) {
	for s, path := range map[string]string{
		``: "", `{`: "", `1`: "", `null`: "", `[]`: "",
		`{"type":"any"}`: "/type", `{"type":[]}`: "/type", `{"type":["string","x"]}`: "/type", `{"type":[1]}`: "/type", `{"type":null}`: "/type", `{"type":{}}`: "/type",
		`{"enum":1}`: "/enum", `{"required":"a"}`: "/required", `{"required":[1]}`: "/required", `{"required":["\ud800"]}`: "/required",
		`{"properties":[]}`: "/properties", `{"properties":{"a/":1}}`: "/properties/a~1",
		`{"properties":{"a":{"items":{"minimum":"1"}}}}`: "/properties/a/items/minimum",
		`{"additionalProperties":1}`:                     "/additionalProperties", `{"prefixItems":true}`: "/prefixItems", `{"prefixItems":[]}`: "/prefixItems",
		`{"anyOf":[]}`: "/anyOf", `{"oneOf":{}}`: "/oneOf", `{"allOf":[true,{"not":1}]}`: "/allOf/1/not", `{"if":1}`: "/if", `{"then":1}`: "/then", `{"else":1}`: "/else",
		`{"uniqueItems":1}`: "/uniqueItems", `{"minLength":-1}`: "/minLength", `{"maxLength":1.5}`: "/maxLength", `{"minItems":"1"}`: "/minItems",
		`{"maxItems":null}`: "/maxItems", `{"minProperties":[]}`: "/minProperties", `{"maxProperties":-1}`: "/maxProperties",
		`{"maximum":null}`: "/maximum", `{"exclusiveMinimum":true,"maximum":1}`: "/exclusiveMinimum", `{"exclusiveMaximum":true,"minimum":1}`: "/exclusiveMaximum", `{"minimum":true}`: "/minimum",
		`{"minimum":"1","exclusiveMinimum":true}`: "/minimum", `{"items":[1]}`: "/items/0", `{"prefixItems":[true],"items":[true]}`: "/items", `{"items":[],"additionalItems":1}`: "/additionalItems",
		`{"multipleOf":0}`: "/multipleOf", `{"multipleOf":-1}`: "/multipleOf", `{"multipleOf":"1"}`: "/multipleOf", `{"multipleOf":12345678901234567891}`: "/multipleOf",
		`{"$ref":1}`: "/$ref", `{"$ref":"#/$defs/x"}`: "/$ref", `{"$ref":"#anchor"}`: "/$ref", `{"$ref":"https://example.com/s"}`: "/$ref",
		`{"$ref":"#/%2"}`: "/$ref", `{"$ref":"#/%zz"}`: "/$ref", `{"$ref":"#/a/b","a":1}`: "/$ref",
		`{"$ref":"#/anyOf/01","anyOf":[true,true]}`: "/$ref", `{"$ref":"#/anyOf/2","anyOf":[true,true]}`: "/$ref", `{"$ref":"#/anyOf/x","anyOf":[true]}`: "/$ref", `{"$ref":"#/anyOf/-1","anyOf":[true]}`: "/$ref",
		`{"$ref":"#/$defs/a~1","$defs":{"a/":{"type":"x"}}}`: "/$defs/a~1/type",
	} {
		check(t, s, `{}`, path+" schema")
		if err := schema.Check(jsonrpc.Raw(s)); !errors.Is(err, schema.Fault{Path: path, Keyword: schema.KeywordSchema}) {
			t.Errorf("Check(%s) = %v", s, err)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, s := range []jsonrpc.Raw{
		`{"type":"object"}`, ` {"type":"string","type":"object"} `,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/n"},{"$ref":"#"}]},"unused":{"type":"x"}}}`,
	} {
		if err := schema.Check(s); err != nil {
			t.Errorf("Check(%s) = %v", s, err)
		}
	}
	for _, s := range []jsonrpc.Raw{`{}`, `true`, `{"type":["object"]}`, `{"type":"object","type":"string"}`} {
		if err := schema.Check(s); !errors.Is(err, schema.Fault{Path: "/type", Keyword: schema.KeywordSchema}) {
			t.Errorf("Check(%s) = %v", s, err)
		}
	}
}
