package provider

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// strictly returns a schema that a provider can enforce: with a type, a reference or
// alternatives everywhere, and closed objects. Omissions make it wider, not narrower; if
// that is not possible, the tool is not strict.
func (c *converter) strictly(n node, root bool) string {
	if c.stopped != nil || !c.enter() {
		c.stop(n.at, "limit")
		return "{}"
	}
	defer c.leave(&n)
	m, ok := c.takeAlternatives(&n)
	if ref := n.get("$ref"); ref != "" {
		if ok {
			n.list = append(n.list, m)
		}
		return c.referring(n, ref)
	}
	if ok {
		if text := c.alternatives(&n, m); text != "" {
			return text
		}
	}
	types := c.typed(&n)
	if len(types) == 0 {
		c.stop(n.at, "type")
		return "{}"
	}
	var o object
	constant := n.get("const")
	for _, m := range n.list {
		switch {
		case openers.has(m.name) && m.name != "unevaluatedItems" && slices.Contains(types, "object"):
			if m.name == "propertyNames" {
				c.lose(m.in, m.keyword(), LeftOut)
			} else if m.val != "false" {
				c.stop(m.in, m.keyword())
			}
		case m.name == "prefixItems" && slices.Contains(types, "array"):
			c.stop(m.in, m.keyword())
		case !c.takes(m, types):
			c.lose(m.in, m.keyword(), LeftOut)
		case m.name == "const", m.name == "enum" && constant == "":
			list := m.val
			if m.name == "const" {
				list = "[" + list + "]"
			}
			if values := c.values(list, types); len(values) == 0 {
				c.stop(m.in, m.keyword())
			} else if m.name == "enum" {
				o.add(m.name, listed(values))
			} else {
				o.add(m.name, m.val)
			}
		case m.name == "enum": // the constant says more
			c.lose(m.in, m.keyword(), LeftOut)
		case m.name == "items":
			o.add(m.name, c.below(m.val, m.at()))
		default:
			o.add(m.name, m.val)
		}
	}
	if slices.Contains(types, "array") && n.get("items") == "" {
		c.stop(n.at, "items")
	}
	if slices.Contains(types, "object") {
		if n.get("additionalProperties") == "" && len(n.props) == 0 && !root {
			c.stop(n.at, "additionalProperties") // an object with any members
		}
		c.closed(&o, n, root)
	} else if len(n.required) > 0 || n.closed {
		c.lose(n.at, "properties", LeftOut)
	}
	return o.String()
}

// below returns the schema of a member.
func (c *converter) below(raw, at string) string {
	n := c.read(raw, at)
	c.open(&n, false)
	return c.strictly(n, false)
}

// referring returns a reference with its annotations.
func (c *converter) referring(n node, ref string) string {
	var notes object
	for _, m := range n.list {
		switch {
		case m.name == "$ref":
		case c.rules.requireAll && (m.name == "title" || m.name == "description"):
			notes.add(m.name, m.val)
		default:
			c.lose(m.in, m.keyword(), LeftOut)
		}
	}
	text := c.refer(ref)
	if notes.dst == nil {
		return text
	}
	notes.add("anyOf", "["+text+"]") // a reference may not have siblings
	return notes.String()
}

// alternatives returns a schema with anyOf, or "" if anyOf only constrains the schema further.
func (c *converter) alternatives(n *node, m member) string {
	var own node
	var o object
	for _, m := range n.list {
		switch {
		case !annotations.has(m.name):
			own.list = append(own.list, m)
		case m.name == "title" || m.name == "description":
			o.add(m.name, m.val)
		default:
			c.lose(m.in, m.keyword(), LeftOut)
		}
	}
	free := len(own.list) == 0 && !n.closed && len(n.required) == 0
	var list []node
	saying := false
	for i, val := range elementsOf(m.val) {
		t := c.read(val, m.at()+"/"+strconv.Itoa(i))
		c.open(&t, !free)
		list = append(list, t)
		saying = saying || free || t.says()
	}
	switch {
	case !saying:
		c.lose(m.in, m.keyword(), LeftOut)
		return ""
	case n.closed || len(n.required) > 0 || own.get("items") != "" || slices.Contains(own.types(), "object") || slices.Contains(own.types(), "array"):
		c.stop(m.in, m.keyword())
		return "{}"
	}
	texts := make([]string, 0, len(list))
	for _, t := range list {
		c.and(&t, own)
		texts = append(texts, c.strictly(t, false))
	}
	o.add("anyOf", listed(texts))
	return o.String()
}

// says reports whether a schema says what a value is, not just constrains it.
func (n *node) says() bool {
	for _, keyword := range [...]string{"type", "enum", "const", "$ref", "anyOf", "oneOf", "items", "prefixItems", "additionalProperties"} {
		if n.get(keyword) != "" {
			return true
		}
	}
	return n.closed || len(n.list) == 0 && len(n.required) == 0
}

// typed returns the types of a schema, and writes those that it only implies.
func (c *converter) typed(n *node) []string {
	types := n.types()
	if len(types) > 0 {
		return types
	}
	for _, keyword := range [...]string{"const", "enum"} {
		val := n.get(keyword)
		if keyword == "const" && val != "" {
			val = "[" + val + "]"
		}
		for _, one := range elementsOf(val) {
			types = append(types, typeOfValue(one))
		}
		if types = unique(types); len(types) > 0 {
			break
		}
	}
	if len(types) == 0 {
		if n.closed || len(n.required) > 0 {
			types = append(types, "object")
		}
		for _, m := range n.list {
			if t := typeOfKeyword[m.name]; t != "" {
				types = append(types, t)
			}
		}
		if types = unique(types); len(types) != 1 {
			return nil
		}
		c.lose(n.at, "type", Narrowed)
	}
	n.setTypes(types)
	return types
}

// typeOfValue is the type of a value; a number without a fraction is an integer.
func typeOfValue(raw string) string {
	t := rawjson.Type(raw)
	if t == "number" && !strings.ContainsAny(raw, ".eE") {
		return "integer"
	}
	return t
}

// takes reports whether a provider accepts a keyword with its value, for values of some types.
func (c *converter) takes(m member, types []string) bool {
	r := c.rules
	if of := typeOfKeyword[m.name]; of != "" && !slices.Contains(types, of) && !(of == "number" && slices.Contains(types, "integer")) {
		return false
	}
	switch m.name {
	case "format":
		s, _ := rawjson.Unquote(m.val)
		return r.keywords.has(m.name) && (r.formats == "" || r.formats.has(s))
	case "minItems":
		return r.keywords.has(m.name) && (r.minItems == "" || r.minItems.has(m.val))
	}
	return r.keywords.has(m.name)
}

// values returns the values of a list that have one of the types, nil if one of them cannot be written.
func (c *converter) values(list string, types []string) (kept []string) {
	for _, val := range elementsOf(list) {
		t := typeOfValue(val)
		if !slices.Contains(types, t) && !(t == "integer" && slices.Contains(types, "number")) {
			continue // it could never occur
		}
		if !c.rules.enum.has(t) {
			return nil
		}
		kept = append(kept, val)
	}
	return unique(kept)
}

// closed writes the properties of an object without others.
func (c *converter) closed(o *object, n node, root bool) {
	var properties object
	var names []string
	need := setOf(n.required)
	for _, p := range n.props {
		text := c.below(p.val, p.at())
		wanted := need[p.name]
		delete(need, p.name)
		if c.rules.requireAll {
			if !wanted && !acceptsNull(p.val, 0) {
				text = nullable(text)
			}
			wanted = true
		}
		name := c.key(p.name, root)
		properties.add(name, text)
		if wanted {
			names = append(names, name)
		}
	}
	if len(need) > 0 {
		c.stop(n.at, "required") // a name without a property
	}
	o.add("properties", properties.String())
	o.add("required", quoted(names))
	o.add("additionalProperties", "false")
}
