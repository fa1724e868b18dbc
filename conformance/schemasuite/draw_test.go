package schemasuite_test

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// drawer draws schemas that constrain a few values, and values that they constrain.
type drawer struct{ *rapid.T }

func (d drawer) pick(of ...string) string { return rapid.SampledFrom(of).Draw(d.T, "pick") }

func (d drawer) some(low, high int, f func() string) string {
	var all []string
	for range rapid.IntRange(low, high).Draw(d.T, "n") {
		all = append(all, f())
	}
	return strings.Join(all, ",")
}

// members draws an object whose names are different.
func (d drawer) members(names []string, f func() string) string {
	var all []string
	for _, i := range rapid.Permutation(names).Draw(d.T, "names")[:rapid.IntRange(0, min(3, len(names))).Draw(d.T, "n")] {
		all = append(all, `"`+i+`":`+f())
	}
	return "{" + strings.Join(all, ",") + "}"
}

var (
	memberNames = []string{"a", "b", "ab", "c1", "é", ""}
	patterns    = []string{"^a", "b$", "^[a-c]+$", `\\d`, "", "^.{2}$", "^(a|é)*$", "[^a]", `\\p{L}`, "^(?:ab?|c){1,2}$", `\\w\\W`, `^\\S*$`, "x|^$"}
	texts       = []string{"", "a", "b", "ab", "c1", "é", "😀", "aa bb", "2024-02-29", "2023-02-29", "12:00:00Z", "2024-02-29T23:59:60Z", "1.2.3.4", "1.2.3.256", "::1", "1::2::3", "/a/~0", "/~2",
		"123e4567-e89b-12d3-a456-426614174000", "P1D", "P1M2W", "a@b.c", "http://a/b?c#d", "http://a b", "//x", "a.b-c", "-a", "(", "[a]", "0#", "01/a"}
	formats = []string{"date", "time", "date-time", "ipv4", "ipv6", "uuid", "json-pointer"}
)

func (d drawer) value(depth int) string {
	kinds := []string{"number", "string", "string", "word"}
	if depth > 0 {
		kinds = append(kinds, "array", "array", "object", "object", "object")
	}
	switch d.pick(kinds...) {
	case "number":
		return d.pick("0", "-0.0", "1", "1.0", "10e-1", "2", "3", "0.3", "-1.5", "12e1", "1e30", "9007199254740993")
	case "string":
		return strconv.Quote(d.pick(texts...))
	case "array":
		return "[" + d.some(0, 4, func() string { return d.value(depth - 1) }) + "]"
	case "object":
		return d.members(memberNames, func() string { return d.value(depth - 1) })
	}
	return d.pick("null", "true", "false")
}

// refs are the references that are valid in a place.
type refs struct {
	here, within []string // at the place itself, and in schemas of members and elements
}

// document draws a whole schema with definitions, some of which have identifiers.
func (d drawer) document() string {
	const root, a, b, c = "http://e/r", "/r#/$defs/a", "b", "c"
	all := []string{root, a, b, c, "/r#/$defs/b", "b#x", "c#/$defs/in", "?b#d", "?c#d"}
	at := refs{within: all}
	def := func(extra string) string {
		return "{" + extra + d.some(1, 3, func() string { return d.keyword(2, at) }) + "}"
	}
	r := refs{here: []string{a, b, c, "/r#/$defs/b", "b#x", "c#/$defs/in"}, within: all}
	s := `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"` + root + `","$defs":{"a":` + def("") + `,"b":` +
		def(`"$id":"b","$dynamicAnchor":"d","$defs":{"x":`+def(`"$anchor":"x",`)+`},`) + `,"c":` + def(`"$id":"c","$dynamicAnchor":"d","$defs":{"in":`+def("")+`},`) + `}`
	if rapid.Bool().Draw(d.T, "outermost") {
		s += `,"$dynamicAnchor":"d"`
	}
	return s + "," + d.some(1, 4, func() string { return d.keyword(3, r) }) + "}"
}

func (d drawer) schema(depth int, r refs) string {
	if d.pick("object", "object", "object", "object", "bool") == "bool" {
		return d.pick("true", "false", "{}")
	}
	return "{" + d.some(1, 3, func() string { return d.keyword(depth, r) }) + "}"
}

var (
	plain = []string{"type", "types", "enum", "const", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "exclusiveMaximum", "multipleOf",
		"required", "uniqueItems", "pattern", "pattern", "format", "dependentRequired", "default"}
	inPlace = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "unevaluatedProperties", "unevaluatedItems", "propertyNames"}
	inside  = []string{"properties", "properties", "patternProperties", "additionalProperties", "prefixItems", "items", "contains"}
)

func (d drawer) keyword(depth int, r refs) string {
	keys := plain
	if depth > 0 {
		keys = append(append(keys[:len(keys):len(keys)], inPlace...), inside...)
	}
	if len(r.here) > 0 {
		keys = append(keys[:len(keys):len(keys)], "$ref", "$ref")
	}
	key := d.pick(keys...)
	sub := func() string { return d.schema(depth-1, r) }
	part := func() string { return d.schema(depth-1, refs{r.within, r.within}) }
	quoted := func(of []string) func() string { return func() string { return `"` + d.pick(of...) + `"` } }
	typ := quoted([]string{"null", "boolean", "string", "number", "integer", "array", "object"})
	switch key {
	case "type":
		return `"type":` + typ()
	case "types":
		return `"type":` + d.set(typ)
	case "enum":
		return `"enum":[` + d.some(1, 3, func() string { return d.value(2) }) + "]"
	case "const":
		return `"const":` + d.value(2)
	case "minimum", "exclusiveMaximum":
		return `"` + key + `":` + d.pick("0", "1", "1.00", "-1.5", "0.3", "9007199254740993")
	case "multipleOf":
		return `"multipleOf":` + d.pick("1", "0.1", "3", "20", "0.15")
	case "required":
		return `"required":` + d.set(quoted(memberNames))
	case "uniqueItems":
		return `"uniqueItems":true`
	case "pattern":
		return `"pattern":"` + d.pick(patterns...) + `"`
	case "format":
		return `"format":"` + d.pick(formats...) + `"`
	case "dependentRequired":
		return `"dependentRequired":` + d.members(memberNames, func() string { return d.set(quoted(memberNames)) })
	case "dependentSchemas":
		return `"dependentSchemas":` + d.members(memberNames, sub)
	case "properties":
		return `"properties":` + d.members(memberNames, part)
	case "patternProperties":
		return `"patternProperties":` + d.members(patterns, part)
	case "prefixItems":
		return `"prefixItems":[` + d.some(1, 3, part) + "]"
	case "allOf", "anyOf", "oneOf":
		return `"` + key + `":[` + d.some(1, 3, sub) + "]"
	case "contains":
		return `"contains":` + part() + d.pick("", "", `,"minContains":0`, `,"minContains":2`, `,"maxContains":1`)
	case "items", "additionalProperties", "unevaluatedItems", "unevaluatedProperties", "propertyNames":
		return `"` + key + `":` + part()
	case "not", "if", "then", "else":
		return `"` + key + `":` + sub()
	case "$ref":
		to, dynamic := strings.CutPrefix(d.pick(r.here...), "?")
		if dynamic {
			key = "$dynamicRef"
		}
		return `"` + key + `":"` + to + `"`
	}
	return `"` + key + `":` + d.pick("0", "1", "2.0")
}

// set draws a nonempty list without repetitions.
func (d drawer) set(f func() string) string {
	var all []string
	seen := map[string]bool{}
	for range rapid.IntRange(1, 3).Draw(d.T, "n") {
		if s := f(); !seen[s] {
			seen[s] = true
			all = append(all, s)
		}
	}
	return "[" + strings.Join(all, ",") + "]"
}
