package provider

import (
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// count is the size of a schema in the terms of a provider's limits.
type count struct {
	limits
	defs map[string]string
	deep map[string]int // the levels below a definition
}

// countOf returns the size of a strict schema.
func countOf(schema string) *count {
	c := &count{defs: map[string]string{}, deep: map[string]int{}}
	c.defs["#"] = schema
	for _, m := range membersOf(memberOf(schema, "$defs")) {
		c.defs["#/$defs/"+m.name] = m.val
		c.chars += utf8.RuneCountInString(m.name)
		c.schema(m.val)
	}
	c.schema(schema)
	c.levels = c.depth(schema)
	return c
}

// schema counts all but levels.
func (c *count) schema(raw string) {
	required := setOf(stringsOf(memberOf(raw, "required")))
	for _, m := range membersOf(raw) {
		switch m.name {
		case "type":
			if m.val[0] == '[' {
				c.unions++
			}
		case "anyOf":
			c.unions++
			for _, val := range elementsOf(m.val) {
				c.schema(val)
			}
		case "properties":
			for _, p := range membersOf(m.val) {
				c.limits.properties++
				c.chars += utf8.RuneCountInString(p.name)
				if !required[p.name] {
					c.optional++
				}
				c.schema(p.val)
			}
		case "items":
			c.schema(m.val)
		case "enum":
			list, chars := elementsOf(m.val), 0
			for _, val := range list {
				chars += runes(val)
			}
			c.values += len(list)
			c.chars += chars
			if len(list) > c.longList || len(list) == c.longList && chars > c.longChars {
				c.longList, c.longChars = len(list), chars
			}
		case "const":
			c.chars += runes(m.val)
		}
	}
}

func runes(val string) int {
	if s, ok := rawjson.Unquote(val); ok {
		val = s
	}
	return utf8.RuneCountInString(val)
}

// depth returns the nesting of objects and arrays, along references too; a circle is
// followed once.
func (c *count) depth(raw string) (n int) {
	for _, m := range membersOf(raw) {
		switch m.name {
		case "$ref":
			ref, _ := rawjson.Unquote(m.val)
			below, known := c.deep[ref]
			if !known {
				c.deep[ref] = 0
				below = c.depth(c.defs[ref])
				c.deep[ref] = below
			}
			n = max(n, below)
		case "anyOf":
			for _, val := range elementsOf(m.val) {
				n = max(n, c.depth(val))
			}
		case "properties":
			n = max(n, 1)
			for _, p := range membersOf(m.val) {
				n = max(n, 1+c.depth(p.val))
			}
		case "items":
			n = max(n, 1+c.depth(m.val))
		}
	}
	return n
}

// above returns the limit that a tool exceeds, or "".
func (c *count) above(l limits) string {
	for _, one := range [...]struct {
		name      string
		have, may int
	}{
		{"levels", c.levels, l.levels},
		{"properties", c.limits.properties, l.properties},
		{"enum", c.values, l.values},
		{"length", c.chars, l.chars},
		{"strict", c.strict, l.strict},
		{"optional", c.optional, l.optional},
		{"anyOf", c.unions, l.unions},
	} {
		if one.may > 0 && one.have > one.may {
			return one.name
		}
	}
	if l.longList > 0 && c.longList > l.longList && c.longChars > l.longChars {
		return "enum"
	}
	return ""
}
