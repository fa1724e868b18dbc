package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol/schema/provider"
)

// What is lost, where, and what was done, in strict schemas and for Gemini.
func TestLosses(t *testing.T) {
	const strict, loose = true, false
	for _, c := range []struct {
		p        provider.Provider
		strict   bool
		in, lost string
	}{
		{provider.OpenAIChat, strict, `{"type":"object","properties":{"b":{"type":"null"}},"propertyNames":{"minLength":1},"minProperties":1}`, "/a propertyNames left out;/a minProperties left out;"},
		{provider.OpenAIChat, strict, `{"type":"object","properties":{"b":{"oneOf":[{"type":"string","minLength":1}]}},"additionalProperties":false}`, "/a/properties/b oneOf widened;/a/properties/b/oneOf/0 minLength left out;"},
		{provider.OpenAIChat, strict, `{"type":"object","properties":{"b":{}}}`, "/a/properties/b type not strict;"},
		{provider.OpenAIChat, strict, `{"type":"object","properties":{"b":{"type":"array"}}}`, "/a/properties/b items not strict;"},
		{provider.OpenAIChat, strict, `{"type":"object","properties":{"b":{"type":"null"}},"required":["c"]}`, "/a required not strict;"},
		{provider.OpenAIChat, strict, `{"type":"object","additionalProperties":{"type":"string"}}`, "/a additionalProperties not strict;"},
		{provider.OpenAIChat, strict, `{"type":"object"}`, "/a additionalProperties not strict;"},
		{provider.OpenAIChat, strict, `{"type":"array","items":[{"type":"string"}]}`, "/a items not strict;"},
		{provider.OpenAIChat, strict, `{"enum":[{}],"type":"object","properties":{}}`, "/a enum not strict;"},
		{provider.OpenAIChat, strict, `{"type":"string","const":3}`, "/a const not strict;"},
		{provider.OpenAIChat, strict, `{"type":"object","properties":{"b":{"type":"null"}},"oneOf":[{"properties":{"b":{}}}]}`, "/a oneOf not strict;"},
		{provider.OpenAIChat, strict, `{"minimum":1}`, "/a type narrowed;"},
		{provider.OpenAIChat, strict, `{"$ref":"#/$defs/d","default":1,"minLength":2}`, "/a default left out;/a minLength left out;"},
		{provider.OpenAIChat, strict, `{"$ref":"#/$defs/d","default":1,"description":"x"}`, "/a default left out;"},
		{provider.OpenAIChat, strict, `{"anyOf":[{"type":"string"}],"default":1,"title":"x"}`, "/a default left out;"},
		{provider.OpenAIChat, strict, `{"type":"object","properties":{"b":{"type":"null"}},"anyOf":[{"required":["b"]}]}`, "/a anyOf left out;"},
		{provider.OpenAIChat, strict, `{"type":"string","required":["x"]}`, "/a properties left out;"},
		{provider.OpenAIChat, strict, `{"type":"string","enum":["x"],"const":"x"}`, "/a enum left out;"},
		{provider.OpenAIChat, strict, `{"allOf":[{"type":"string","pattern":"a"},{"type":"null","pattern":"b"}]}`, "/a/allOf/1 type left out;/a/allOf/1 pattern left out;"},
		{provider.Anthropic, strict, `{"$ref":"#/$defs/c"}`, " $ref not strict;"},
		{provider.Anthropic, strict, `{"$ref":"#/$defs/d","description":"x"}`, "/a description left out;"},
		{provider.Gemini, loose, `{"type":"integer","const":3}`, "/a const left out;"},
		{provider.Gemini, loose, `{"type":"integer","enum":[3]}`, "/a enum left out;"},
		{provider.Gemini, loose, `{"type":"string","enum":["x"],"const":"x"}`, "/a const left out;"},
		{provider.Gemini, loose, `{"type":"string","enum":["x",""]}`, "/a enum narrowed;"},
		{provider.Gemini, loose, `{"const":""}`, "/a const narrowed;/a const left out;"},
		{provider.Gemini, loose, `{"enum":["x",{}],"type":"string"}`, "/a enum left out;"},
		{provider.Gemini, loose, `{}`, "/a type narrowed;/a items narrowed;"},
		{provider.Gemini, loose, `{"type":"array"}`, "/a items narrowed;"},
		{provider.Gemini, loose, `{"type":"array","items":[{"type":"string"}]}`, "/a items widened;"},
		{provider.Gemini, loose, `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, "/a prefixItems widened;"},
		{provider.Gemini, loose, `{"type":"number","minimum":1,"exclusiveMinimum":true}`, "/a minimum widened;"},
		{provider.Gemini, loose, `{"type":"number","minimum":1,"exclusiveMinimum":0}`, "/a exclusiveMinimum left out;"},
		{provider.Gemini, loose, `{"minimum":1,"exclusiveMinimum":0}`, "/a type narrowed;/a exclusiveMinimum left out;"},
		{provider.Gemini, loose, `{"type":"number","exclusiveMaximum":0}`, "/a exclusiveMaximum widened;"},
		{provider.Gemini, loose, `{"oneOf":[{"type":"string"}]}`, "/a oneOf widened;"},
		{provider.Gemini, loose, `{"anyOf":[{"type":"string"}],"oneOf":[{"type":"string"}]}`, "/a oneOf left out;"},
		{provider.Gemini, loose, `{"type":"string","anyOf":[{"minLength":1}]}`, "/a anyOf left out;"},
		{provider.Gemini, loose, `{"type":"object","additionalProperties":true}`, "/a additionalProperties left out;"},
		{provider.Gemini, loose, `{"type":"object","properties":{"b":{"type":"null"}},"additionalProperties":false,"required":["b","c"]}`, "/a required left out;"},
		{provider.Gemini, loose, `{"type":"string","required":["b"]}`, "/a required left out;"},
		{provider.Gemini, loose, `{"type":["string","integer"],"minItems":1,"format":"int64","default":null}`, "/a minItems left out;/a format left out;/a default left out;"},
	} {
		if _, isStrict, lost := property(t, c.p, provider.Options{Strict: c.strict}, c.in); lost != c.lost || c.strict && isStrict == strings.Contains(lost, "not strict") {
			t.Errorf("%s of %s: strict %v, lost %s\nwant %s", c.p, c.in, isStrict, lost, c.lost)
		}
	}
	for input, want := range map[string]string{ // without properties there are no parameters
		`{"type":"object","enum":[{}],"additionalProperties":{"type":"string"}}`:                    "[{t  enum left out} {t  additionalProperties left out}]",
		`{"type":"object","additionalProperties":false,"title":"x","patternProperties":{"x":true}}`: "[{t  patternProperties left out}]",
		`{"type":"object","additionalProperties":false,"title":"x","default":{},"properties":{}}`:   "[]",
	} {
		if got, _, lost := written(t, provider.Gemini, provider.Options{}, input); got != "" || fmt.Sprint(lost) != want {
			t.Error(input, got, lost)
		}
	}
	for input, want := range map[string]string{
		`{"type":"object","enum":[{}],"not":{},"const":{},"if":{}}`: "[{t  enum left out} {t  not left out} {t  const left out}]",
		`{"type":"array"}`: "[{t  type widened}]",
	} {
		if _, _, lost := written(t, provider.OpenAIResponses, provider.Options{}, input); fmt.Sprint(lost) != want {
			t.Error(input, lost)
		}
	}
	if got, _, _ := written(t, provider.OpenAIChat, provider.Options{}, `{"properties":{"a":{"$ref":"#"}}}`); got != `{"type":"object","properties":{"a":{"$ref":"#/$defs/root"}},"$defs":{"root":{"type":"object","properties":{"a":{"$ref":"#/$defs/root"}}}}}` {
		t.Error(got)
	}
}

// Every keyword of 2020-12 stays with a value of its shape, and is lost with any other.
func TestShapes(t *testing.T) {
	const name, schema, schemas, named, text, number, size, truth, names, list = `["x"]`, `{"type":"null"}`, `[{"type":"null"}]`, `{"x":{"type":"null"}}`, `"x"`, `-1.5`, `3`, `true`, `["x"]`, `[1]`
	values := []string{schema, schemas, named, text, number, size, truth, names, list, `null`, `[]`, `{"x":["y"]}`, `["x","x"]`}
	for keyword, right := range map[string][]string{
		"patternProperties": {named}, "dependentSchemas": {named}, "dependentRequired": {`{"x":["y"]}`},
		"additionalProperties": {schema, named, truth, `{"x":["y"]}`}, "propertyNames": {schema, named, truth, `{"x":["y"]}`}, "unevaluatedProperties": {schema, named, truth, `{"x":["y"]}`}, "unevaluatedItems": {schema, named, truth, `{"x":["y"]}`},
		"contains": {schema, named, `{"x":["y"]}`}, "not": {schema, named, `{"x":["y"]}`}, "if": {schema, named, `{"x":["y"]}`}, "then": {schema, named, `{"x":["y"]}`}, "else": {schema, named, `{"x":["y"]}`}, "contentSchema": {schema, named, `{"x":["y"]}`},
		"allOf": {schemas}, "anyOf": {schemas}, "oneOf": {schemas}, "prefixItems": {schemas},
		"title": {text}, "description": {text}, "format": {text}, "pattern": {text}, "contentEncoding": {text}, "contentMediaType": {text},
		"minimum": {number, size}, "maximum": {number, size}, "exclusiveMinimum": {number, size}, "exclusiveMaximum": {number, size}, "multipleOf": {size},
		"minLength": {size}, "maxLength": {size}, "minItems": {size}, "maxItems": {size}, "minContains": {size}, "maxContains": {size}, "minProperties": {size}, "maxProperties": {size},
		"uniqueItems": {truth}, "deprecated": {truth}, "readOnly": {truth}, "writeOnly": {truth},
		"enum": {schemas, name, list, `["x","x"]`}, "examples": {schemas, name, list, `["x","x"]`, `[]`}, "x-own": values, "default": values, "const": values,
	} {
		for _, val := range values {
			in := `{"` + keyword + `":` + val + `}`
			got, _, lost := property(t, provider.Anthropic, provider.Options{}, in)
			kept := got == in
			if val == truth && keyword != "default" && (keyword == "contains" || keyword == "not" || keyword == "if" || keyword == "then" || keyword == "else" || keyword == "contentSchema") {
				kept = got == `{"`+keyword+`":{}}`
				if !kept || lost != "" {
					t.Errorf("%s: %s, lost %s", in, got, lost)
				}
				continue
			}
			if strings.HasPrefix(keyword, "exclusiveM") && val == truth {
				continue // of an older draft
			}
			if kept != slices.Contains(right, val) || kept != (lost == "") {
				t.Errorf("%s: %s, lost %s", in, got, lost)
			}
		}
	}
}
