package provider

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// The members of Gemini's Schema for the types, and the formats that it knows of them.
var (
	geminiMembers = map[string]words{
		"string":  " minLength maxLength pattern format enum ",
		"number":  " minimum maximum format ",
		"integer": " minimum maximum format ",
		"boolean": "",
		"array":   " items minItems maxItems ",
		"object":  " minProperties maxProperties ",
		"null":    "",
	}
	geminiFormats = map[string]words{"string": " date-time ", "number": " float double ", "integer": " int32 int64 "}
)

const geminiNotes words = " title description default "

// anyGemini are the types of an empty schema, since each must have one.
var anyGemini = []string{"string", "number", "boolean", "object", "array"}

// declared returns the parameters of a declaration, "" if there are none.
func (c *converter) declared(n node) string {
	if len(n.props) == 0 {
		for _, m := range n.list {
			if m.name != "type" && !annotations.has(m.name) && m.val != "false" {
				c.lose(m.in, m.keyword(), LeftOut)
			}
		}
		return ""
	}
	c.enter()
	return c.typedSchema(n, "object", false, true)
}

// declare returns a schema in the dialect of Gemini.
func (c *converter) declare(raw, at string) string {
	n := c.read(raw, at)
	c.open(&n, true)
	return c.declareNode(n)
}

// declareNode returns a schema in the dialect of Gemini: of one type, or anyOf and nothing else.
func (c *converter) declareNode(n node) string {
	before := c.bytes
	if before > maxBytes || !c.enter() {
		c.lose(n.at, "limit", Widened)
		c.refs = c.refs[:len(c.refs)-n.opened]
		return `{"type":"STRING"}`
	}
	defer c.leave(&n)
	c.inclusive(&n)
	null, list := c.branches(&n)
	var text string
	switch {
	case len(list) == 1:
		for _, m := range list[0].list { // the outer ones come first
			if n.index(m.name) < 0 || !annotations.has(m.name) {
				continue
			}
			list[0].take(m.name)
		}
		c.and(&list[0], n)
		return c.finish(before, c.ofType(list[0], null))
	case len(list) > 1:
		texts := make([]string, 0, len(list))
		for i, t := range list {
			own := n
			own.list = slices.Clone(n.list)
			if i > 0 { // the first has the annotations for all
				own.list = slices.DeleteFunc(own.list, func(m member) bool { return annotations.has(m.name) })
			}
			c.and(&t, own)
			texts = append(texts, c.declareOr(t, null))
		}
		text = record("anyOf", listed(texts))
	default:
		text = c.ofType(n, null)
	}
	return c.finish(before, text)
}

// finish counts what was written, including nested schemas.
func (c *converter) finish(before int, text string) string {
	c.bytes = before + len(text)
	return text
}

// declareOr returns a schema with alternatives; null says that null is one.
func (c *converter) declareOr(t node, null bool) string {
	if null {
		if types := t.types(); len(types) > 0 {
			t.setTypes(unique(append(types, "null")))
		}
	}
	return c.declareNode(t)
}

// inclusive replaces bounds that Gemini lacks by those that it has, and a tuple by a list of
// any of its elements.
func (c *converter) inclusive(n *node) {
	for _, limit := range [...]string{"minimum", "maximum"} {
		exclusive := "exclusiveM" + limit[1:]
		if i := n.index(exclusive); i >= 0 && n.index(limit) < 0 {
			m := &n.list[i]
			c.lose(m.in, cmp.Or(m.from, exclusive), Widened)
			m.from, m.name = cmp.Or(m.from, exclusive), limit
		}
	}
	if c.rules.keywords.has("prefixItems") {
		return
	}
	if m, ok := n.take("prefixItems"); ok {
		c.lose(m.in, m.keyword(), Widened)
		list := elementsOf(m.val)
		if rest, more := n.take("items"); more && rest.val != "false" {
			list = append(list, rest.val)
		}
		m.from, m.name = cmp.Or(m.from, m.name), "items"
		if list = unique(list); len(list) == 1 {
			m.val = list[0]
		} else {
			m.val = record("anyOf", listed(list))
		}
		n.list = append(n.list, m)
	}
}

// branches removes the alternatives from a schema and returns them, with null separately.
func (c *converter) branches(n *node) (null bool, list []node) {
	m, ok := c.takeAlternatives(n)
	if !ok {
		return false, nil
	}
	free := n.get("type") == "" && !n.closed && n.get("enum") == ""
	saying := false
	for i, val := range elementsOf(m.val) {
		t := c.read(val, m.at()+"/"+strconv.Itoa(i))
		c.open(&t, true)
		n.opened += t.opened
		t.opened = 0
		switch {
		case t.get("type") == `"null"`, t.get("const") == "null":
			null = true
		default:
			saying = saying || free || t.says()
			list = append(list, t)
		}
	}
	if !saying && len(list) > 0 {
		c.lose(m.in, m.keyword(), LeftOut)
		return null, nil
	}
	if len(list) == 0 && null && n.get("type") == "" {
		n.setTypes([]string{"null"})
		null = false
	}
	return null, list
}

// ofType returns a schema without alternatives, or one with several if it has several types.
func (c *converter) ofType(n node, null bool) string {
	if n.get("anyOf") != "" || n.get("oneOf") != "" {
		if null {
			return c.declareOr(n, null)
		}
		return c.declareNode(n)
	}
	types := c.typed(&n)
	if len(types) == 0 {
		c.lose(n.at, "type", Narrowed)
		types = anyGemini
	}
	if i := slices.Index(types, "null"); i >= 0 && len(types) > 1 {
		types, null = slices.Delete(slices.Clone(types), i, i+1), true
	}
	if slices.Contains(types, "number") {
		types = slices.DeleteFunc(slices.Clone(types), func(s string) bool { return s == "integer" })
	}
	if len(types) == 1 {
		return c.typedSchema(n, types[0], null, false)
	}
	texts := make([]string, 0, len(types))
	for i, t := range types {
		one := n
		one.list = nil
		for _, m := range n.list {
			of := typeOfKeyword[m.name]
			if of == "number" && t == "integer" {
				of = t
			}
			if of == t || i == 0 && (of == "" || !slices.Contains(types, of)) || of == "" && !annotations.has(m.name) {
				one.list = append(one.list, m) // the first has the annotations for all, and the keywords that none of them has
			}
		}
		texts = append(texts, c.typedSchema(one, t, null, false))
	}
	return record("anyOf", listed(texts))
}

// typedSchema returns a schema of one type.
func (c *converter) typedSchema(n node, t string, null, root bool) string {
	var o object
	o.add("type", `"`+strings.ToUpper(t)+`"`)
	if m, ok := n.take("const"); ok {
		c.oneValue(&n, m, t != "string")
	}
	for _, m := range n.list {
		s, _ := rawjson.Unquote(m.val)
		switch {
		case m.name == "type":
		case m.name == "enum" && t == "string":
			values, nullToo := c.strings(m)
			if null = null || nullToo; len(values) > 0 {
				o.add("enum", listed(values))
			}
		case m.name == "items" && t == "array":
			o.add(m.name, c.declare(m.val, m.at()))
		case m.name == "format" && !geminiFormats[t].has(s), m.name == "default" && m.val == "null",
			!geminiNotes.has(m.name) && !geminiMembers[t].has(m.name):
			if !(m.name == "additionalProperties" && m.val == "false" && len(n.props) > 0) {
				c.lose(m.in, m.keyword(), LeftOut)
			}
		default:
			o.add(m.name, m.val)
		}
	}
	switch {
	case t == "array" && n.get("items") == "":
		c.lose(n.at, "items", Narrowed)
		o.add("items", `{"type":"STRING"}`)
	case t == "object":
		c.declareProperties(n, &o, root)
	case len(n.required) > 0:
		c.lose(n.at, "required", LeftOut)
	}
	if null {
		o.add("nullable", "true")
	}
	return o.String()
}

// strings returns the values of an enum of strings, nil if another type occurs.
func (c *converter) strings(m member) (values []string, null bool) {
	for _, val := range unique(elementsOf(m.val)) {
		switch {
		case val == "null":
			null = true
		case val == `""`:
			c.lose(m.in, m.keyword(), Narrowed) // it may not be empty
		case val[0] == '"':
			values = append(values, val)
		default:
			c.lose(m.in, m.keyword(), LeftOut)
			return nil, false
		}
	}
	if len(values) == 0 {
		c.lose(m.in, m.keyword(), LeftOut)
	}
	return values, null
}

// declareProperties writes the properties, the required ones of them, and their order.
func (c *converter) declareProperties(n node, o *object, root bool) {
	var properties object
	var order []string
	for _, p := range n.props {
		name := c.key(p.name, root)
		properties.add(name, c.declare(p.val, p.at()))
		order = append(order, name)
	}
	var required object
	c.require(&required, n, root, true)
	if len(order) == 0 {
		return
	}
	o.add("properties", properties.String())
	o.dst = append(o.dst, required.dst...)
	o.add("propertyOrdering", quoted(order))
}
