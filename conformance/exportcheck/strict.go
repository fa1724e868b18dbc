package exportcheck

import (
	"encoding/json"
	"strings"
)

// keeper is the strict mode of a provider.
type keeper struct {
	keywords, formats                          map[string]bool
	everything                                 bool // every property is required
	levels, properties, values, chars, inAList int
}

var (
	common       = []string{"type", "properties", "required", "additionalProperties", "items", "anyOf", "$ref", "$defs", "enum", "const", "title", "description"}
	strictOpenAI = keeper{
		keywords:   set(append([]string{"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"}, common...)...),
		formats:    set("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"),
		everything: true, levels: 10, properties: 5000, values: 1000, chars: 120000, inAList: 15000,
	}
	strictAzure = keeper{
		keywords: set(common...), everything: true, levels: 5, properties: 100, values: 500, chars: 15000, inAList: 7500,
	}
	strictAnthropic = keeper{
		keywords: set(append([]string{"allOf", "default", "pattern", "format", "minItems"}, common...)...),
		formats:  set("date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"),
	}
)

// tally is the size of one strict schema.
type tally struct{ optional, unions, properties, values, chars int }

// strict checks a schema that a provider enforces on the model.
func (c *checker) strict(k keeper) (n tally) {
	c.walk(c.root, "", func(s map[string]any, path string) {
		c.strictNode(k, s, path, &n)
	})
	c.walk(c.root, "", func(s map[string]any, path string) {
		for _, word := range []string{"items", "additionalProperties", "properties", "$defs", "anyOf"} {
			for _, e := range below(s, word) {
				if _, ok := e.(map[string]any); !ok && word != "additionalProperties" {
					c.refuse(path, "%s has something that is no object", word)
				}
			}
		}
	})
	if k.properties > 0 {
		c.most("properties", n.properties, k.properties)
		c.most("values of enum", n.values, k.values)
		c.most("characters of names and values", n.chars, k.chars)
		c.most("levels", c.levels(c.root, map[string]bool{}), k.levels)
	}
	return n
}

// below returns the schemas under a keyword.
func below(s map[string]any, word string) []any {
	switch v := s[word].(type) {
	case nil:
		return nil
	case []any:
		return v
	case map[string]any:
		if word == "properties" || word == "$defs" {
			var list []any
			for _, e := range v {
				list = append(list, e)
			}
			return list
		}
		return []any{v}
	default:
		return []any{v}
	}
}

func (c *checker) strictNode(k keeper, s map[string]any, path string, n *tally) {
	for _, word := range keys(s) {
		if !k.keywords[word] {
			c.refuse(path, "%s is not permitted", word)
		}
	}
	n.chars += sizes(keys(s["properties"])) + sizes(keys(s["$defs"]))
	n.properties += len(keys(s["properties"]))
	if ref, ok := s["$ref"].(string); ok {
		if len(s) > 1 {
			c.refuse(path, "$ref cannot have keywords %v", keys(s))
		}
		if ref != "#" && (!strings.HasPrefix(ref, "#/$defs/") || strings.Count(ref, "/") != 2) {
			c.refuse(path, "$ref to %s", ref)
		}
		return
	}
	if union, ok := s["anyOf"]; ok {
		n.unions++
		for _, word := range keys(s) {
			if word != "anyOf" && word != "title" && word != "description" {
				c.refuse(path, "%s beside anyOf", word)
			}
		}
		if list, _ := union.([]any); len(list) == 0 {
			c.refuse(path, "an empty anyOf")
		}
		return
	}
	if !has(s, "type") {
		c.refuse(path, "schema must have a type")
		return
	}
	if _, several := s["type"].([]any); several {
		n.unions++
	}
	if typed(s, "object") {
		c.strictObject(k, s, path, n)
	} else if has(s, "properties") || has(s, "required") {
		c.refuse(path, "properties of what is no object")
	}
	if typed(s, "array") {
		if _, ok := s["items"].(map[string]any); !ok {
			c.refuse(path, "array schema missing items")
		}
		if v, ok := s["minItems"].(json.Number); ok && !k.everything && v != "0" && v != "1" {
			c.refuse(path, "minItems %s", v)
		}
	}
	c.strictScalars(k, s, path, n)
}

func (c *checker) strictObject(k keeper, s map[string]any, path string, n *tally) {
	if s["additionalProperties"] != false {
		c.refuse(path, "additionalProperties is required to be false")
	}
	if _, ok := s["properties"].(map[string]any); !ok {
		c.refuse(path, "object schema missing properties")
	}
	required := map[string]bool{}
	list, _ := s["required"].([]any)
	for _, e := range list {
		name, _ := e.(string)
		required[name] = true
		if !has(s["properties"], name) {
			c.refuse(path, "requires %q, which is no property", name)
		}
	}
	for _, p := range keys(s["properties"]) {
		if !required[p] {
			n.optional++
			if k.everything {
				c.refuse(path, "required does not have %q", p)
			}
		}
	}
}

func (c *checker) strictScalars(k keeper, s map[string]any, path string, n *tally) {
	if f, ok := s["format"].(string); ok && !k.formats[f] {
		c.refuse(path, "format %q", f)
	}
	if p, ok := s["pattern"].(string); ok && (around.MatchString(p) || back.MatchString(p) || edge.MatchString(p)) {
		c.refuse(path, "pattern %q", p)
	}
	values, _ := s["enum"].([]any)
	if v, ok := s["const"]; ok {
		values = append(values, v)
	}
	chars := 0
	for _, v := range values {
		t := kind(v)
		if t == "object" || t == "array" {
			c.refuse(path, "a value that is an %s", t)
		} else if !typed(s, t) && !(t == "integer" && typed(s, "number")) {
			c.refuse(path, "a value %v that is not of the type", v)
		}
		if text, ok := v.(string); ok {
			chars += len([]rune(text))
		}
	}
	n.values += len(values)
	n.chars += chars
	if k.inAList > 0 && len(values) > 250 && chars > k.inAList {
		c.refuse(path, "an enum of %d characters", chars)
	}
}

func sizes(list []string) (n int) {
	for _, s := range list {
		n += len([]rune(s))
	}
	return n
}

func kind(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case []any:
		return "array"
	}
	return "object"
}

// levels counts nested objects and arrays; the target of a reference counts where it
// is used, but not within itself.
func (c *checker) levels(v any, open map[string]bool) (n int) {
	s, _ := v.(map[string]any)
	if ref, ok := s["$ref"].(string); ok {
		if open[ref] {
			return 0
		}
		open[ref] = true
		defer delete(open, ref)
		to, _ := c.lookup(ref)
		return c.levels(to, open)
	}
	for _, e := range below(s, "anyOf") {
		n = max(n, c.levels(e, open))
	}
	if has(s, "properties") || has(s, "items") {
		n = max(n, 1)
	}
	for _, e := range append(below(s, "properties"), below(s, "items")...) {
		n = max(n, 1+c.levels(e, open))
	}
	return n
}

// acyclic checks that no reference leads to itself.
func (c *checker) acyclic() {
	var visit func(v any, open map[string]bool) bool
	visit = func(v any, open map[string]bool) (ok bool) {
		ok = true
		c.walk(v, "", func(s map[string]any, _ string) {
			ref, refers := s["$ref"].(string)
			if !refers || !ok {
				return
			}
			if open[ref] || ref == "#" {
				ok = false
				return
			}
			open[ref] = true
			to, _ := c.lookup(ref)
			ok = visit(to, open)
			delete(open, ref)
		})
		return ok
	}
	body := map[string]any{}
	for k, v := range c.root.(map[string]any) {
		if k != "$defs" {
			body[k] = v
		}
	}
	if !visit(body, map[string]bool{}) {
		c.refuse("", "a recursive schema")
	}
}
