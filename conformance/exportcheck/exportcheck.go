// Package exportcheck says what a provider of models would refuse of the tools of a request. It was
// written from the documentation of the providers and from the texts of their refusals, independently of
// package provider, whose exports it checks: neither imports the other's tables.
package exportcheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
)

// Check returns what a provider would refuse of the JSON for the tools of a request. The
// provider is one of openai, openai-responses, azure, anthropic and gemini; for the last the rules
// of both its API and Vertex AI apply. Each tool says whether it is strict.
func Check(provider string, tools []byte) []string {
	c := &checker{provider: provider}
	doc, err := parse(tools)
	list, isList := doc.([]any)
	if err != nil || !isList {
		return []string{"the tools are not a JSON array"}
	}
	switch provider {
	case "gemini":
		if len(list) > 1 {
			c.refuse("", "more than one element with declarations")
		}
		for _, v := range list {
			declarations, _ := member(v, "functionDeclarations").([]any)
			c.most("function declarations", len(declarations), 128)
			for _, d := range declarations {
				c.gemini(d)
			}
		}
	case "anthropic":
		for _, v := range list {
			c.anthropic(v)
		}
		c.most("strict tools", c.total.strict, 20)
		c.most("optional parameters of strict tools", c.total.optional, 24)
		c.most("unions of strict tools", c.total.unions, 16)
	case "openai", "azure", "openai-responses":
		c.most("tools", len(list), 128)
		for _, v := range list {
			c.openai(v)
		}
	default:
		c.refuse("", "unknown provider %s", provider)
	}
	return c.refused
}

func parse(data []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

type checker struct {
	provider string
	tool     string
	root     any
	refused  []string
	names    map[string]bool
	total    struct{ strict, optional, unions int }
}

func (c *checker) refuse(path, format string, args ...any) {
	c.refused = append(c.refused, c.tool+" "+path+": "+fmt.Sprintf(format, args...))
}

func (c *checker) most(what string, n, most int) {
	if n > most {
		c.refuse("", "%d %s, at most %d", n, what, most)
	}
}

func member(v any, name string) any {
	m, _ := v.(map[string]any)
	return m[name]
}

func has(v any, name string) bool {
	m, _ := v.(map[string]any)
	_, ok := m[name]
	return ok
}

// keys returns the names of an object in order.
func keys(v any) (list []string) {
	m, _ := v.(map[string]any)
	for k := range m {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}

func set(names ...string) map[string]bool {
	m := map[string]bool{}
	for _, n := range names {
		m[n] = true
	}
	return m
}

var (
	functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	propertyKey  = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
)

// named checks the name of a tool.
func (c *checker) named(v any, form *regexp.Regexp) {
	c.tool, _ = v.(string)
	if !form.MatchString(c.tool) {
		c.refuse("", "the name does not match %s", form)
	}
	if c.names == nil {
		c.names = map[string]bool{}
	}
	if c.names[c.tool] {
		c.refuse("", "a second tool of that name")
	}
	c.names[c.tool] = true
}

func (c *checker) openai(v any) {
	if member(v, "type") != "function" {
		c.refuse("", "no function")
	}
	f := v
	if c.provider != "openai-responses" {
		f = member(v, "function")
	}
	c.named(member(f, "name"), functionName)
	c.root = member(f, "parameters")
	if d, _ := member(f, "description").(string); c.provider == "azure" && len([]rune(d)) > 1024 {
		c.refuse("", "a description of %d characters", len([]rune(d)))
	}
	if member(c.root, "type") != "object" {
		c.refuse("", "schema must be of type object")
		return
	}
	if _, ok := member(c.root, "properties").(map[string]any); !ok {
		c.refuse("", "object schema missing properties")
	}
	for _, k := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if has(c.root, k) {
			c.refuse("", "%s at the top level", k)
		}
	}
	c.walk(c.root, "", func(s map[string]any, path string) {
		c.metaschema(s, path)
		if typed(s, "array") && !has(s, "items") {
			c.refuse(path, "array schema missing items")
		}
		if p, ok := s["pattern"].(string); ok && around.MatchString(p) {
			c.refuse(path, "regex lookaround is not supported")
		}
	})
	if member(f, "strict") != true {
		return
	}
	k := strictOpenAI
	if c.provider == "azure" {
		k = strictAzure
	}
	c.strict(k)
}

func (c *checker) anthropic(v any) {
	c.named(member(v, "name"), functionName)
	c.root = member(v, "input_schema")
	if member(c.root, "type") != "object" {
		c.refuse("", "input_schema.type: must be object")
		return
	}
	for _, k := range []string{"oneOf", "anyOf", "allOf"} {
		if has(c.root, k) {
			c.refuse("", "input_schema does not support %s at the top level", k)
		}
	}
	for _, k := range keys(member(c.root, "properties")) {
		if !propertyKey.MatchString(k) {
			c.refuse("", "property key %q", k)
		}
	}
	c.walk(c.root, "", c.metaschema)
	if member(v, "strict") != true {
		return
	}
	c.total.strict++
	n := c.strict(strictAnthropic)
	c.total.optional += n.optional
	c.total.unions += n.unions
	c.acyclic()
}

// walk calls f for each schema within a schema, in the form of 2020-12.
func (c *checker) walk(v any, path string, f func(s map[string]any, path string)) {
	s, ok := v.(map[string]any)
	if !ok {
		return
	}
	f(s, path)
	for _, k := range keys(s) {
		switch k {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			for _, p := range keys(s[k]) {
				c.walk(member(s[k], p), path+"/"+k+"/"+p, f)
			}
		case "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "additionalItems":
			c.walk(s[k], path+"/"+k, f)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			list, _ := s[k].([]any)
			for i, e := range list {
				c.walk(e, fmt.Sprint(path, "/", k, "/", i), f)
			}
		}
	}
}

// typed reports whether the type of a schema is or has one.
func typed(s map[string]any, name string) bool {
	if s["type"] == name {
		return true
	}
	list, _ := s["type"].([]any)
	for _, t := range list {
		if t == name {
			return true
		}
	}
	return false
}
