package exportcheck

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	around    = regexp.MustCompile(`\(\?(=|!|<=|<!)`)
	back      = regexp.MustCompile(`\\[1-9k]`)
	edge      = regexp.MustCompile(`\\[bB]`)
	unicode   = regexp.MustCompile(`\\u([0-9A-Fa-f]{4})`)
	counts    = regexp.MustCompile(`\{[0-9]+(?:,[0-9]*)?\}`) // Go accepts at most 1000
	surrogate = regexp.MustCompile(`\\x\{[dD][89a-fA-F]..\}`)
)

// metaschema checks a schema, without its subschemas, against JSON Schema 2020-12.
func (c *checker) metaschema(s map[string]any, path string) {
	for _, k := range keys(s) {
		if !shaped(k, s[k]) {
			c.refuse(path, "%s is not valid under draft 2020-12", k)
		}
	}
	if ref, ok := s["$ref"].(string); ok {
		if _, found := c.lookup(ref); !found {
			c.refuse(path, "reference %q leads nowhere", ref)
		}
	}
}

func isSchema(v any) bool {
	_, object := v.(map[string]any)
	_, truth := v.(bool)
	return object || truth
}

// shaped reports whether a value of a keyword is as the meta-schema says.
func shaped(k string, v any) bool {
	text, isText := v.(string)
	list, isList := v.([]any)
	object, isObject := v.(map[string]any)
	_, isTruth := v.(bool)
	number, isNumber := v.(json.Number)
	switch k {
	case "type":
		known := set("string", "number", "integer", "boolean", "array", "object", "null")
		seen := map[any]bool{}
		for _, t := range list {
			name, _ := t.(string)
			if !known[name] || seen[t] {
				return false
			}
			seen[t] = true
		}
		return isText && known[text] || len(list) > 0
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		for p, sub := range object {
			if !isSchema(sub) || k == "patternProperties" && !compiles(p) {
				return false
			}
		}
		return isObject
	case "dependentRequired":
		for _, names := range object {
			if !shaped("required", names) {
				return false
			}
		}
		return isObject
	case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		return isSchema(v)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		for _, e := range list {
			if !isSchema(e) {
				return false
			}
		}
		return len(list) > 0
	case "required":
		seen := map[any]bool{}
		for _, e := range list {
			if _, ok := e.(string); !ok || seen[e] {
				return false
			}
			seen[e] = true
		}
		return isList
	case "enum", "examples":
		return isList && (k != "enum" || len(list) > 0)
	case "$ref", "$id", "$anchor", "$schema", "$comment", "title", "description", "format", "contentEncoding", "contentMediaType":
		return isText
	case "pattern":
		return isText && compiles(text)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return isNumber
	case "multipleOf":
		f, err := number.Float64()
		return isNumber && (f > 0 || err != nil)
	case "minLength", "maxLength", "minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties":
		return isNumber && strings.Trim(number.String(), "0123456789") == ""
	case "uniqueItems", "deprecated", "readOnly", "writeOnly":
		return isTruth
	}
	return true
}

// compiles reports whether a pattern is valid, as far as Go's engine can tell.
func compiles(p string) bool {
	if around.MatchString(p) || back.MatchString(p) {
		return true
	}
	p = counts.ReplaceAllString(p, "{9}")
	p = surrogate.ReplaceAllString(unicode.ReplaceAllString(p, `\x{$1}`), `\x{FFFD}`)
	_, err := regexp.Compile(strings.NewReplacer("[^]", ".", "[]", "[^\\x00-\\x{10FFFF}]").Replace(p))
	return err == nil
}

// lookup returns the target of a reference.
func (c *checker) lookup(ref string) (any, bool) {
	if ref == "#" {
		return c.root, true
	}
	if !strings.HasPrefix(ref, "#/") {
		return nil, false
	}
	at := c.root
	for _, part := range strings.Split(ref[2:], "/") {
		if part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~"); !has(at, part) {
			return nil, false
		}
		at = member(at, part)
	}
	return at, true
}
