package exportcheck

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	geminiName   = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)
	geminiKey    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
	geminiFields = map[string]map[string]bool{
		"STRING":  set("minLength", "maxLength", "pattern", "format", "enum"),
		"NUMBER":  set("minimum", "maximum", "format"),
		"INTEGER": set("minimum", "maximum", "format"),
		"BOOLEAN": set(),
		"NULL":    set(),
		"ARRAY":   set("items", "minItems", "maxItems"),
		"OBJECT":  set("properties", "required", "propertyOrdering", "minProperties", "maxProperties"),
	}
	ofAnyType = set("type", "title", "description", "nullable", "default", "example")
	asSchema  = set("$defs", "$ref", "type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems",
		"minimum", "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required", "propertyOrdering")
)

func (c *checker) gemini(v any) {
	c.named(member(v, "name"), geminiName)
	parameters, written := member(v, "parameters").(map[string]any)
	c.root = member(v, "parametersJsonSchema")
	if written && c.root != nil {
		c.refuse("", "both parameters and parametersJsonSchema")
	}
	if written {
		if parameters["type"] != "OBJECT" || len(keys(parameters["properties"])) == 0 {
			c.refuse("", "parameters of no OBJECT with properties")
		}
		c.keyed(parameters)
		c.geminiSchema(parameters, "parameters", 0)
	}
	if c.root == nil {
		return
	}
	if member(c.root, "type") != "object" {
		c.refuse("", "parametersJsonSchema of no object")
	}
	c.keyed(c.root)
	c.walk(c.root, "", func(s map[string]any, path string) {
		c.metaschema(s, path)
		for _, k := range keys(s) {
			if !asSchema[k] {
				c.refuse(path, "unknown field %s", k)
			}
			if has(s, "$ref") && !strings.HasPrefix(k, "$") {
				c.refuse(path, "%s beside $ref", k)
			}
		}
		if typed(s, "array") && !has(s, "items") {
			c.refuse(path, "items: missing field")
		}
		values, _ := s["enum"].([]any)
		for _, e := range values {
			if t := kind(e); t != "string" && t != "number" && t != "integer" {
				c.refuse(path, "an enum of %s", t)
			}
		}
	})
	c.acyclic()
}

// keyed checks the names of parameters.
func (c *checker) keyed(schema any) {
	for _, k := range keys(member(schema, "properties")) {
		if !geminiKey.MatchString(k) {
			c.refuse("", "parameter name %q", k)
		}
	}
}

// geminiSchema checks a Schema of the API and of Vertex AI.
func (c *checker) geminiSchema(v any, path string, depth int) {
	s, ok := v.(map[string]any)
	if !ok || depth > 200 {
		c.refuse(path, "no schema")
		return
	}
	if union, ok := s["anyOf"]; ok {
		if len(s) > 1 {
			c.refuse(path, "specified other fields alongside any_of")
		}
		list, _ := union.([]any)
		if len(list) == 0 {
			c.refuse(path, "an empty any_of")
		}
		for i, e := range list {
			c.geminiSchema(e, fmt.Sprint(path, ".any_of[", i, "]"), depth+1)
		}
		return
	}
	t, _ := s["type"].(string)
	fields, known := geminiFields[t]
	if !known {
		c.refuse(path, "didn't specify the schema type field")
		return
	}
	for _, k := range keys(s) {
		if !fields[k] && !ofAnyType[k] {
			c.refuse(path, "%s: not allowed for %s type", k, t)
		}
		if !ofAnyType[k] && k != "propertyOrdering" && k != "properties" && k != "items" && !shaped(k, s[k]) {
			c.refuse(path, "%s: invalid value", k)
		}
	}
	switch f, _ := s["format"].(string); {
	case f == "":
	case t == "STRING" && (f == "date-time" || f == "enum"), t == "NUMBER" && (f == "float" || f == "double"), t == "INTEGER" && (f == "int32" || f == "int64"):
	default:
		c.refuse(path, "format: only %q supported for another type than %s", f, t)
	}
	values, _ := s["enum"].([]any)
	for i, e := range values {
		if text, ok := e.(string); !ok || text == "" {
			c.refuse(path, "enum[%d]: cannot be empty", i)
		}
	}
	if t == "ARRAY" {
		if !has(s, "items") {
			c.refuse(path, "items: missing field")
		} else {
			c.geminiSchema(s["items"], path+".items", depth+1)
		}
	}
	for _, word := range []string{"required", "propertyOrdering"} {
		list, _ := s[word].([]any)
		for i, e := range list {
			if name, _ := e.(string); !has(s["properties"], name) {
				c.refuse(path, "%s[%d]: property is not defined", word, i)
			}
		}
	}
	for _, p := range keys(s["properties"]) {
		c.geminiSchema(member(s["properties"], p), path+".properties["+p+"]", depth+1)
	}
}
