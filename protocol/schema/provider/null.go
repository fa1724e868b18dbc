package provider

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

const maxBranches = 16 // schemas within each other, where null is looked for

// acceptsNull reports whether a schema says that a value may be null, or says nothing.
func acceptsNull(raw string, depth int) bool {
	if raw[0] != '{' {
		return raw == "true"
	}
	free := true
	for _, m := range membersOf(raw) {
		switch m.name {
		case "type":
			if !hasType(m.val, "null") {
				return false
			}
		case "const":
			if m.val != "null" {
				return false
			}
		case "enum":
			if !slices.Contains(elementsOf(m.val), "null") {
				return false
			}
		case "anyOf", "oneOf":
			if depth == maxBranches || !slices.ContainsFunc(elementsOf(m.val), func(s string) bool { return acceptsNull(s, depth+1) }) {
				return false
			}
		case "$ref", "allOf", "not", "if":
			free = false // not plain to see
		}
	}
	return free
}

// nullable returns a schema that accepts null too.
func nullable(text string) string {
	typ, typed := rawjson.Get(text, "type")
	if typed && typ[0] != '"' && len(stringsOf(typ)) == 0 {
		typed = false
	}
	for _, keyword := range [...]string{"anyOf", "allOf", "$ref", "const"} {
		if _, there := rawjson.Get(text, keyword); there {
			typed = false
		}
	}
	if !typed {
		return `{"anyOf":[` + text + `,{"type":"null"}]}`
	}
	if !hasType(typ, "null") {
		if typ[0] == '[' {
			typ = typ[:len(typ)-1] + `,"null"]`
		} else {
			typ = `[` + typ + `,"null"]`
		}
		text = rawjson.Set(text, "type", typ)
	}
	if enum, there := rawjson.Get(text, "enum"); there && enum[0] == '[' {
		if list := elementsOf(enum); len(list) > 0 && !slices.Contains(list, "null") {
			text = rawjson.Set(text, "enum", enum[:len(enum)-1]+`,null]`)
		}
	}
	return text
}

// stripper takes the nulls out of arguments that stand for what is not there: where the schema
// does not require a property and does not accept null for it.
type stripper struct {
	root string
	read int // bytes of schemas
}

const maxStrip = 64 << 20 // bytes of schemas that are read to find nulls

// value returns val without them. rule is its schema, "" if it has none.
func (s *stripper) value(rule, val string, depth int) string {
	if s.read += len(rule); rule == "" || rule[0] != '{' || s.read > maxStrip || depth == maxDepth {
		return val
	}
	if ref, there := rawjson.Get(rule, "$ref"); there {
		s.read += len(s.root)
		name, _ := rawjson.Unquote(ref)
		target, _ := resolve(s.root, name)
		return s.value(target, val, depth+1)
	}
	switch val[0] {
	case '{':
		return s.object(rule, val, depth)
	case '[':
		items, there := rawjson.Get(rule, "items")
		if !there {
			return val
		}
		dst := []byte{'['}
		for i, one := range elementsOf(val) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, s.value(items, one, depth+1)...)
		}
		return string(append(dst, ']'))
	}
	return val
}

func (s *stripper) object(rule, val string, depth int) string {
	properties, _ := rawjson.Get(rule, "properties")
	required, _ := rawjson.Get(rule, "required")
	rules, need := map[string]string{}, map[string]bool{}
	for _, m := range membersOf(properties) {
		rules[m.name] = m.val
	}
	for _, name := range stringsOf(required) {
		need[name] = true
	}
	dst := []byte{'{'}
	o, _ := rawjson.Members(val)
	for {
		name, one, more := o.Next()
		if !more {
			return string(append(dst, '}'))
		}
		sub := rules[name]
		if one == "null" && sub != "" && !need[name] && !acceptsNull(sub, 0) {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(rawjson.AppendQuote(dst, name), ':')
		dst = append(dst, s.value(sub, one, depth+1)...)
	}
}
