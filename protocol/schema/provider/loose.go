package provider

import (
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// loosely returns a schema unchanged, except for what the provider refuses.
func (c *converter) loosely(n node, root bool) string {
	if !c.enter() {
		c.lose(n.at, "limit", LeftOut)
		return "{}"
	}
	defer c.leave(&n)
	whitelist := c.rules.keywords != ""
	if whitelist {
		c.inclusive(&n)
	}
	if m, ok := n.take("const"); ok && whitelist {
		c.oneValue(&n, m, false)
	} else if ok {
		n.list = append(n.list, m)
	}
	refers := n.get("$ref") != ""
	var o object
	for _, m := range n.list {
		if whitelist && (!c.rules.keywords.has(m.name) || refers && m.name != "$ref" || m.name == "enum" && !c.enumerable(m.val)) {
			c.lose(m.in, m.keyword(), LeftOut)
			continue
		}
		switch shapes[m.name] {
		case oneSchema:
			if openers.has(m.name) && m.val[0] != '{' {
				o.add(m.name, m.val) // the usual spelling
				continue
			}
			o.add(m.name, c.loose(m.val, m.at()))
		case someSchemas:
			var list []string
			for i, val := range elementsOf(m.val) {
				list = append(list, c.loose(val, m.at()+"/"+strconv.Itoa(i)))
			}
			o.add(m.name, listed(list))
		case manySchemas:
			var named object
			for _, p := range membersOf(m.val) {
				if m.name == "patternProperties" && featuresOf(p.name)&c.rules.patterns != 0 {
					c.lose(m.in, m.keyword(), LeftOut)
					continue
				}
				named.add(p.name, c.loose(p.val, pointed(m.at(), p.name)))
			}
			o.add(m.name, named.String())
		default:
			if m.name == "$ref" {
				m.val = string(rawjson.AppendQuote(nil, c.defined(m.val)))
			}
			o.add(m.name, m.val)
		}
	}
	if n.closed || root {
		var properties object
		for _, p := range n.props {
			properties.add(c.key(p.name, root), c.loose(p.val, p.at()))
		}
		o.add("properties", properties.String())
	}
	c.require(&o, n, root, whitelist)
	if slices.Contains(n.types(), "array") && n.get("items") == "" {
		o.add("items", "{}") // no constraint, but required
	}
	return o.String()
}

// loose returns the schema of a member.
func (c *converter) loose(raw, at string) string {
	n := c.read(raw, at)
	c.open(&n, false)
	return c.loosely(n, false)
}

// enumerable reports whether all values of a list may be in an enum.
func (c *converter) enumerable(list string) bool {
	return !slices.ContainsFunc(elementsOf(list), func(val string) bool { return !c.rules.enum.has(typeOfValue(val)) })
}
