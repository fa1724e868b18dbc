package provider

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func (n *node) index(name string) int {
	return slices.IndexFunc(n.list, func(m member) bool { return m.name == name })
}

func (n *node) get(name string) string {
	if i := n.index(name); i >= 0 {
		return n.list[i].val
	}
	return ""
}

// has returns the names of the properties.
func (n *node) has() map[string]bool {
	return setOf(namesOf(n.props))
}

func (n *node) take(name string) (m member, ok bool) {
	i := n.index(name)
	if i < 0 {
		return m, false
	}
	m = n.list[i]
	n.list = slices.Delete(n.list, i, i+1)
	return m, true
}

func (n *node) set(name, val string) {
	if i := n.index(name); i >= 0 {
		n.list[i].val = val
		return
	}
	n.list = append(n.list, member{name: name, val: val, in: n.at})
}

// types returns the types that are named.
func (n *node) types() []string { return typesIn(n.get("type")) }

// setTypes names types.
func (n *node) setTypes(list []string) { n.set("type", quotedTypes(list)) }

// quotedTypes is the value of type for these.
func quotedTypes(list []string) string {
	if len(list) == 1 {
		return quote(list[0])
	}
	return quoted(list)
}

// read returns a schema in the form of 2020-12.
func (c *converter) read(raw, at string) node {
	n := node{at: at}
	switch {
	case raw == "true":
		return n
	case c.book.read > maxBook:
		c.lose(at, "limit", LeftOut)
		return n
	case raw == "false":
		n.set("not", "{}")
		return n
	case raw[0] != '{':
		c.lose(at, "schema", LeftOut)
		return n
	}
	c.book.read += len(raw)
	for _, m := range membersOf(raw) {
		m.in = at
		n.list = append(n.list, m)
	}
	n.upgrade()
	kept := n.list[:0]
	for _, m := range n.list {
		switch val, ok := c.shaped(m); {
		case ok && m.name == "properties":
			n.closed = true
			for _, p := range membersOf(m.val) {
				p.in = m.at()
				n.props = append(n.props, p)
			}
		case ok && m.name == "required":
			n.required = typesIn(val)
		case ok:
			m.val = val
			kept = append(kept, m)
		case shapes[m.name] != nothing:
			c.lose(at, m.name, LeftOut)
		}
	}
	n.list = kept
	return n
}

// upgrade replaces the spellings of older drafts by those of 2020-12.
func (n *node) upgrade() {
	for _, limit := range [...]string{"minimum", "maximum"} {
		exclusive := "exclusiveM" + limit[1:]
		flag := n.get(exclusive)
		if flag != "true" && flag != "false" {
			continue
		}
		n.take(exclusive)
		if i := n.index(limit); flag == "true" && i >= 0 {
			n.list[i].name, n.list[i].from = exclusive, limit
		}
	}
	if i := n.index("items"); i >= 0 && n.list[i].val[0] == '[' {
		n.take("prefixItems")
		i = n.index("items")
		n.list[i].name, n.list[i].from = "prefixItems", "items"
		if i := n.index("additionalItems"); i >= 0 {
			n.list[i].name, n.list[i].from = "items", "additionalItems"
		}
		if n.get("prefixItems") == "[]" {
			n.take("prefixItems")
		}
	}
	for _, name := range [...]string{"$recursiveRef", "$dynamicRef"} {
		if i := n.index(name); i >= 0 && n.index("$ref") < 0 {
			n.list[i].name, n.list[i].from = "$ref", name
		}
	}
}

// shaped returns the value of a keyword if it has the shape of 2020-12; of types and names it
// keeps the valid ones.
func (c *converter) shaped(m member) (val string, ok bool) {
	switch shapes[m.name] {
	case nothing, never:
		return "", false
	case oneSchema:
		return m.val, isSchema(m.val)
	case someSchemas:
		list := elementsOf(m.val)
		return m.val, len(list) > 0 && !slices.ContainsFunc(list, func(s string) bool { return !isSchema(s) })
	case manySchemas:
		return m.val, m.val[0] == '{' && !(m.name != "properties" && slices.ContainsFunc(membersOf(m.val), func(p member) bool { return !isSchema(p.val) }))
	case aText:
		s, ok := rawjson.Unquote(m.val)
		if ok && m.name == "pattern" {
			ok = featuresOf(s)&c.rules.patterns == 0
		}
		return m.val, ok
	case aNumber:
		digits, _, _ := strings.Cut(strings.ToLower(m.val), "e")
		return m.val, isNumber(m.val) && (m.name != "multipleOf" || m.val[0] != '-' && strings.Trim(digits, "0.") != "")
	case aCount:
		return m.val, isNumber(m.val) && strings.Trim(m.val, "0123456789") == ""
	case aTruth:
		return m.val, m.val == "true" || m.val == "false"
	case aList:
		return m.val, m.val[0] == '[' && (m.name != "enum" || m.val != "[]" && len(elementsOf(m.val)) > 0)
	case namesByName:
		return m.val, m.val[0] == '{' && !slices.ContainsFunc(membersOf(m.val), func(p member) bool { return !areNames(p.val) })
	case someNames:
		list := elementsOf(m.val)
		names := unique(stringsOf(m.val))
		if len(names) != len(list) {
			c.lose(m.in, m.keyword(), LeftOut)
		}
		return quoted(names), m.val[0] == '['
	case typeNames:
		var names []string
		all := unique(typesIn(m.val))
		for _, s := range all {
			if jsonTypes.has(s) {
				names = append(names, s)
			}
		}
		if len(names) == 0 {
			return "", false
		}
		if len(names) != len(all) || m.val[0] == '[' && len(names) != len(elementsOf(m.val)) {
			c.lose(m.in, m.keyword(), Narrowed)
		}
		return quotedTypes(names), true
	}
	return m.val, true
}
