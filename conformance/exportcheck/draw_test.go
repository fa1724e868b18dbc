package exportcheck_test

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// generator draws schemas of any draft: valid ones, and ones with values of a wrong shape.
type generator struct{ *rapid.T }

func (g generator) root() string {
	s := g.object(3)
	if rapid.Bool().Draw(g.T, "typed") {
		s = `{"type":"object",` + s[1:]
	}
	if s = strings.TrimSuffix(s, ",}"); !strings.HasSuffix(s, "}") {
		s += "}"
	}
	return strings.TrimSuffix(s, "}") + comma(s) + `"$defs":{"a":` + g.schema(2) + `,"b":` + g.schema(2) + `,"c":{"$ref":"#/$defs/d"},"d":{"$ref":"#/$defs/c"}}}`
}

func comma(s string) string {
	if s == "{}" || strings.HasSuffix(s, "{") {
		return ""
	}
	return ","
}

func (g generator) schema(depth int) string {
	switch rapid.IntRange(0, 11).Draw(g.T, "kind") {
	case 0:
		return rapid.SampledFrom([]string{"true", "false", "{}", "null", "3", `"x"`, "[]"}).Draw(g.T, "odd")
	case 1, 2:
		return `{"$ref":` + g.ref() + g.rest(depth, 1) + `}`
	case 3, 4, 5:
		return `{"type":"` + g.kind() + `"` + g.rest(depth, 2) + `}`
	case 6:
		return `{"type":["` + g.kind() + `","` + g.kind() + `"]` + g.rest(depth, 2) + `}`
	}
	return g.object(depth)
}

func (g generator) rest(depth, most int) string {
	s := g.members(depth, most)
	if s != "" {
		s = "," + s
	}
	return s
}

func (g generator) kind() string {
	return rapid.SampledFrom([]string{"object", "array", "string", "number", "integer", "boolean", "null", "any"}).Draw(g.T, "type")
}

func (g generator) ref() string {
	return rapid.SampledFrom([]string{`"#"`, `"#/$defs/a"`, `"#/$defs/b"`, `"#/$defs/c"`, `"#/properties/p0"`, `"#/properties/p1/items"`, `"#/nowhere"`, `"http://x/y"`, `"#anchor"`, `3`}).Draw(g.T, "ref")
}

func (g generator) object(depth int) string { return "{" + g.members(depth, 4) + "}" }

func (g generator) members(depth, most int) string {
	var list []string
	seen := map[string]bool{}
	for range rapid.IntRange(0, most).Draw(g.T, "members") {
		name := rapid.SampledFrom(names).Draw(g.T, "keyword")
		if seen[name] {
			continue
		}
		seen[name] = true
		list = append(list, `"`+name+`":`+g.value(name, depth))
	}
	return strings.Join(list, ",")
}

var names = []string{
	"type", "properties", "properties", "properties", "required", "items", "items", "anyOf", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "enum", "const", "$ref", "$recursiveRef",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems",
	"additionalProperties", "patternProperties", "propertyNames", "dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "prefixItems",
	"additionalItems", "contains", "minProperties", "maxProperties", "title", "description", "default", "examples", "nullable", "$id", "$schema", "$anchor", "$comment", "x-own", "readOnly",
}

func (g generator) value(name string, depth int) string {
	if rapid.IntRange(0, 9).Draw(g.T, "wrong") == 0 {
		return rapid.SampledFrom([]string{"true", "false", "null", "1", "-1.5", `"x"`, "[]", "{}", `["a","a",1]`, `{"a":1}`}).Draw(g.T, "value")
	}
	switch name {
	case "type":
		if rapid.Bool().Draw(g.T, "union") {
			return `["` + g.kind() + `","` + g.kind() + `"]`
		}
		return `"` + g.kind() + `"`
	case "properties", "patternProperties", "dependentSchemas":
		return g.named(depth)
	case "required":
		return rapid.SampledFrom([]string{`["p0"]`, `["p0","p1"]`, `["p0","other"]`, `[]`, `true`, `["p0","p0"]`}).Draw(g.T, "required")
	case "items", "prefixItems":
		if depth > 0 && (name == "prefixItems" || rapid.IntRange(0, 3).Draw(g.T, "tuple") == 0) {
			return "[" + g.schema(depth-1) + "," + g.schema(depth-1) + "]"
		}
	case "anyOf", "oneOf", "allOf":
		if depth > 0 {
			list := []string{g.schema(depth - 1)}
			for range rapid.IntRange(0, 2).Draw(g.T, "branches") {
				list = append(list, rapid.SampledFrom([]string{`{"type":"null"}`, `{"required":["p0"]}`, g.schema(depth - 1)}).Draw(g.T, "branch"))
			}
			return "[" + strings.Join(list, ",") + "]"
		}
		return `[{"type":"string"}]`
	case "enum":
		return rapid.SampledFrom([]string{`["a","b"]`, `["a",null]`, `[1,2.5]`, `[1,"a",true]`, `[{}]`, `[[1]]`, `[""]`, `[null]`, `[1,1]`}).Draw(g.T, "enum")
	case "const":
		return rapid.SampledFrom([]string{`"a"`, `1`, `null`, `{}`, `""`, `true`}).Draw(g.T, "const")
	case "$ref", "$recursiveRef":
		return g.ref()
	case "pattern":
		return rapid.SampledFrom([]string{`"^a+$"`, `"(?=a)b"`, `"(a)\\1"`, `"\\bx"`, `"("`, `"[a"`, `"\\p{L}"`, `"(?<n>a)"`, `"a{2,5000}"`, `"\\u0041"`, `"*"`, `"(?i)a"`, `"a{,3}"`, `"[^/]+\\.x{1,2}?"`, `"\\"`}).Draw(g.T, "pattern")
	case "format":
		return rapid.SampledFrom([]string{`"date-time"`, `"uri"`, `"int32"`, `"float"`, `"own"`, `"uuid"`}).Draw(g.T, "format")
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return rapid.SampledFrom([]string{"0", "1", "-2.5", "1e3", "true", "false"}).Draw(g.T, "bound")
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return rapid.SampledFrom([]string{"0", "1", "7", "-1", "1.5"}).Draw(g.T, "size")
	case "title", "description", "$id", "$schema", "$anchor", "$comment":
		return `"text"`
	case "default", "x-own":
		return rapid.SampledFrom([]string{"null", "1", `"a"`, "{}"}).Draw(g.T, "default")
	case "dependentRequired", "dependencies":
		return `{"p0":["p1"]}`
	case "uniqueItems", "nullable", "readOnly":
		return "true"
	case "examples":
		return "[1]"
	}
	if depth == 0 {
		return rapid.SampledFrom([]string{"{}", "true", "false", `{"type":"string"}`}).Draw(g.T, "end")
	}
	return g.schema(depth - 1)
}

func (g generator) named(depth int) string {
	var list []string
	for i := range rapid.IntRange(0, 3).Draw(g.T, "properties") {
		name := rapid.SampledFrom([]string{"p" + strconv.Itoa(i), "p" + strconv.Itoa(i), "p" + strconv.Itoa(i), "a[" + strconv.Itoa(i), "é" + strconv.Itoa(i), "(?=" + strconv.Itoa(i) + ")"}).Draw(g.T, "name")
		sub := `{"type":"string"}`
		if depth > 0 {
			sub = g.schema(depth - 1)
		}
		list = append(list, `"`+name+`":`+sub)
	}
	return "{" + strings.Join(list, ",") + "}"
}
