package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

const (
	maxSchemas = 10_000
	maxBytes   = 1 << 20
	maxRefs    = 32 // written out within each other

	geminiNumbers words = " minItems maxItems minProperties maxProperties minLength maxLength minimum maximum "
	geminiTexts   words = " title description pattern "
	geminiFormats words = " float double int32 int64 date-time enum "
	geminiTypes   words = " string number integer boolean array object null "
	geminiRest    words = " type enum const properties required items anyOf oneOf $defs definitions default format $ref allOf "
)

// declared returns the parameters of a declaration, "" if there are none.
func (c *converter) declared() string {
	text := c.declare(c.root, "")
	if properties, _ := rawjson.Get(text, "properties"); properties == "" {
		return ""
	}
	return text
}

// merged returns a schema without $ref and allOf of one element: what they lead to, with the
// members beside them in place of its own. opened is how many references that were.
func (c *converter) merged(raw, path string) (text string, opened int) {
	for range maxRefs {
		name := "$ref"
		val, there := rawjson.Get(raw, name)
		if !there {
			name = "allOf"
			if val, there = rawjson.Get(raw, name); !there {
				return raw, opened
			}
		}
		base := ""
		if ref, ok := rawjson.Unquote(val); ok && name == "$ref" {
			target, found := c.resolve(ref)
			switch typ, typed := rawjson.Get(target, "type"); {
			case found && len(c.refs) < maxRefs && !slices.Contains(c.refs, ref):
				base = target
				c.refs = append(c.refs, ref)
				opened++
			case typed: // of a circle the type is left
				raw = overlaid(`{"type":`+typ+`}`, raw)
			}
		} else if name == "allOf" && alone(val) {
			base = elementsOf(val)[0]
		}
		raw = rawjson.Set(raw, name, "")
		if base == "" || base[0] != '{' {
			c.lose(path, name)
			continue
		}
		raw = overlaid(base, raw)
	}
	c.lose(path, "$ref")
	return rawjson.Set(rawjson.Set(raw, "$ref", ""), "allOf", ""), opened
}

// overlaid returns the members of base, and those of over in place of them.
func overlaid(base, over string) string {
	list := append(membersOf(base), membersOf(over)...)
	last := map[string]int{}
	for i, m := range list {
		last[m.name] = i
	}
	dst := []byte{'{'}
	for i, m := range list {
		if last[m.name] != i {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(append(rawjson.AppendQuote(dst, m.name), ':'), m.val...)
	}
	return string(append(dst, '}'))
}

// declare returns a schema in the dialect of Gemini.
func (c *converter) declare(raw, path string) string {
	before := c.bytes
	if c.schemas++; c.schemas > maxSchemas || before > maxBytes || c.depth == maxDepth {
		c.lose(path, "limit")
		return "{}"
	}
	if raw[0] != '{' {
		c.lose(path, raw)
		return "{}"
	}
	c.depth++
	defer func() { c.depth-- }()
	raw, opened := c.merged(raw, path)
	list := membersOf(raw)
	has := map[string]string{}
	for _, m := range list {
		has[m.name] = m.val
	}
	var dst []byte
	add := func(name, val string) {
		dst = append(rawjson.AppendQuote(append(dst, ','), name), ':')
		dst = append(dst, val...)
	}
	typ, null, union := c.typeOf(has, path)
	enum, either := c.enum(has, path)
	if typ == "" && enum != "" && len(union) == 0 {
		typ = `"STRING"`
	}
	if typ != "" {
		add("type", typ)
	}
	null = null || either
	options, either := c.options(has, path, union)
	if null || either {
		add("nullable", "true")
	}
	for _, m := range list {
		switch s, isText := rawjson.Unquote(m.val); {
		case geminiNumbers.has(m.name) && (m.val[0] == '-' || '0' <= m.val[0] && m.val[0] <= '9'),
			geminiTexts.has(m.name) && isText, m.name == "default", m.name == "format" && geminiFormats.has(s):
			add(m.name, m.val)
		case m.name == "format" || !geminiRest.has(m.name):
			c.lose(path, m.name)
		}
	}
	if enum != "" {
		add("enum", enum)
	}
	if items := has["items"]; items != "" && items[0] == '[' {
		c.lose(path, "items")
	} else if items != "" {
		add("items", c.declare(items, pointed(path, "items")))
	}
	if properties := has["properties"]; properties != "" && properties[0] == '{' {
		c.declareProperties(properties, has["required"], path, add)
	} else if len(stringsOf(has["required"])) > 0 {
		c.lose(path, "required")
	}
	if options != "" {
		add("anyOf", options)
	}
	c.refs = c.refs[:len(c.refs)-opened]
	c.bytes = before + len(dst) // what lies within is part of it
	if len(dst) == 0 {
		return "{}"
	}
	dst[0] = '{'
	return string(append(dst, '}'))
}

// typeOf returns the type as Gemini writes it, whether null is one, and the types of a union.
func (c *converter) typeOf(has map[string]string, path string) (typ string, null bool, union []string) {
	raw := has["type"]
	names := stringsOf(raw)
	if s, ok := rawjson.Unquote(raw); ok {
		names = []string{s}
	}
	var kept []string
	for _, name := range names {
		switch {
		case !geminiTypes.has(name):
			c.lose(path, "type")
		case name == "null" && len(names) > 1:
			null = true
		default:
			kept = append(kept, strconv.Quote(strings.ToUpper(name)))
		}
	}
	switch {
	case len(kept) == 1:
		return kept[0], null, nil
	case len(kept) > 1:
		return "", null, kept
	case raw == "" && has["properties"] != "":
		return `"OBJECT"`, false, nil
	case raw == "" && has["items"] != "":
		return `"ARRAY"`, false, nil
	}
	return "", null, nil
}

// enum returns the values if all are strings, or null.
func (c *converter) enum(has map[string]string, path string) (text string, null bool) {
	raw, keyword := has["enum"], "enum"
	if raw == "" && has["const"] != "" {
		raw, keyword = "["+has["const"]+"]", "const"
	}
	if raw == "" {
		return "", false
	}
	var list []string
	for _, val := range elementsOf(raw) {
		switch {
		case val == "null":
			null = true
		case val[0] == '"':
			list = append(list, val)
		default:
			c.lose(path, keyword)
			return "", false
		}
	}
	if len(list) == 0 {
		c.lose(path, keyword)
		return "", null
	}
	return "[" + strings.Join(list, ",") + "]", null
}

// options returns the schemas of which one has to hold, and whether null is one of them.
func (c *converter) options(has map[string]string, path string, union []string) (text string, null bool) {
	keyword := "anyOf"
	raw := has[keyword]
	if one := has["oneOf"]; one != "" {
		c.lose(path, "oneOf")
		if raw == "" {
			raw, keyword = one, "oneOf"
		}
	}
	var list []string
	for i, val := range elementsOf(raw) {
		if typ, _ := rawjson.Get(val, "type"); hasType(typ, "null") && len(membersOf(val)) == 1 && typ[0] == '"' {
			null = true
			continue
		}
		list = append(list, c.declare(val, pointed(path, keyword)+"/"+strconv.Itoa(i)))
	}
	if len(list) > 0 && len(union) > 0 {
		c.lose(path, "type")
	} else {
		for _, typ := range union {
			list = append(list, `{"type":`+typ+`}`)
		}
	}
	if len(list) == 0 {
		return "", null
	}
	return "[" + strings.Join(list, ",") + "]", null
}

// declareProperties writes the properties, those of them that are required, and their order.
func (c *converter) declareProperties(raw, required, path string, add func(name, val string)) {
	need := map[string]bool{}
	for _, name := range stringsOf(required) {
		need[name] = true
	}
	var properties, names, order []byte
	for _, m := range membersOf(raw) {
		properties = append(rawjson.AppendQuote(append(properties, ','), m.name), ':')
		properties = append(properties, c.declare(m.val, pointed(pointed(path, "properties"), m.name))...)
		order = rawjson.AppendQuote(append(order, ','), m.name)
		if need[m.name] {
			names = rawjson.AppendQuote(append(names, ','), m.name)
			delete(need, m.name)
		}
	}
	if len(need) > 0 {
		c.lose(path, "required")
	}
	if len(properties) == 0 {
		return
	}
	add("properties", "{"+string(properties[1:])+"}")
	if len(names) > 0 {
		add("required", "["+string(names[1:])+"]")
	}
	add("propertyOrdering", "["+string(order[1:])+"]")
}
