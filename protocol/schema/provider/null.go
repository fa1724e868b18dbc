package provider

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

const maxBranches = 16 // nested schemas in which null is looked for

// acceptsNull reports whether a schema clearly accepts null, or does not say.
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
			free = false // not obvious
		}
	}
	return free
}

// nullable returns a schema that also accepts null. The given one is strict: it has types, a
// reference or alternatives.
func nullable(text string) string {
	const null = `{"type":"null"}`
	if list, there := rawjson.Get(text, "anyOf"); there {
		if slices.Contains(elementsOf(list), null) {
			return text
		}
		return rawjson.Set(text, "anyOf", list[:len(list)-1]+","+null+"]")
	}
	types := typesIn(memberOf(text, "type"))
	if len(types) == 0 || memberOf(text, "const") != "" {
		return `{"anyOf":[` + text + `,` + null + `]}`
	}
	if !slices.Contains(types, "null") {
		text = rawjson.Set(text, "type", quoted(append(types, "null")))
	}
	if enum := memberOf(text, "enum"); enum != "" && !slices.Contains(elementsOf(enum), "null") {
		text = rawjson.Set(text, "enum", enum[:len(enum)-1]+`,null]`)
	}
	return text
}
