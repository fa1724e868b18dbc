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
