package provider

import (
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// open writes out references and allOf that the provider does not accept: all of them, or
// references with siblings other than annotations. The siblings come first.
func (c *converter) open(n *node, all bool) {
	for range maxRefs {
		m, refers := n.take("$ref")
		if !refers {
			m, composed := n.take("allOf")
			switch {
			case !composed:
				return
			case !all && c.rules.keywords == "":
				n.list = append(n.list, m)
				return
			}
			for i, val := range elementsOf(m.val) {
				t := c.read(val, m.at()+"/"+strconv.Itoa(i))
				c.open(&t, true)
				n.opened += t.opened
				c.and(n, t)
			}
			continue
		}
		ref, _ := rawjson.Unquote(m.val)
		ref, target, found := c.final(ref)
		bare := !n.closed && len(n.required) == 0 && !slices.ContainsFunc(n.list, func(m member) bool { return !annotations.has(m.name) })
		switch {
		case !found:
			c.lose(m.in, m.keyword(), LeftOut)
		case !all && bare:
			m.val = quote(ref)
			n.list = append(n.list, m)
			return
		case !slices.Contains(c.refs, ref) && len(c.refs) < maxRefs && (c.inlined < maxBytes || c.rules == &declaredGemini):
			c.inlined += len(target)
			c.refs = append(c.refs, ref)
			n.opened++
			c.and(n, c.read(target, ref[1:]))
		default: // a circle, or too much, of which the types are left
			c.lose(m.in, m.keyword(), LeftOut)
			t := c.read(target, ref[1:])
			if types := t.types(); len(types) > 0 && n.get("type") == "" {
				n.setTypes(types)
			}
		}
	}
	for _, name := range [...]string{"$ref", "allOf"} {
		if m, ok := n.take(name); ok {
			c.lose(m.in, m.keyword(), LeftOut)
		}
	}
}

// and adds the keywords of another schema to n. In a conflict n's stay.
func (c *converter) and(n *node, t node) {
	at := places(n.list)
	for _, m := range t.list {
		i, there := at[m.name]
		switch {
		case !there:
			n.list = append(n.list, m)
		case annotations.has(m.name) || same(n.list[i].val, m.val):
		case m.name == "type":
			if both := commonTypes(n.types(), t.types()); len(both) > 0 {
				n.setTypes(both)
				continue
			}
			c.lose(m.in, m.keyword(), LeftOut)
		default:
			c.lose(m.in, m.keyword(), LeftOut)
		}
	}
	n.properties(t, "allOf")
	n.required = unique(append(slices.Clip(n.required), t.required...))
}

// require writes which properties are required, only existing ones if known is set.
func (c *converter) require(o *object, n node, root, known bool) {
	var names []string
	has := n.has()
	for _, name := range n.required {
		if known && !has[name] {
			c.lose(n.at, "required", LeftOut)
			continue
		}
		names = append(names, c.key(name, root))
	}
	if len(names) > 0 {
		o.add("required", quoted(names))
	}
}

// oneValue writes a constant as an enum of one value. An existing enum stays, or is replaced if instead is set.
func (c *converter) oneValue(n *node, constant member, instead bool) {
	if n.get("enum") != "" && !instead {
		c.lose(constant.in, "const", LeftOut)
		return
	}
	n.take("enum")
	constant.name, constant.val, constant.from = "enum", "["+constant.val+"]", "const"
	n.list = append(n.list, constant)
}

// takeAlternatives removes the alternatives of a schema: anyOf, or oneOf as if it were anyOf.
func (c *converter) takeAlternatives(n *node) (m member, ok bool) {
	m, ok = n.take("anyOf")
	one, also := n.take("oneOf")
	switch {
	case also && ok:
		c.lose(one.in, "oneOf", LeftOut)
	case also:
		c.lose(one.in, "oneOf", Widened)
		one.name, one.from = "anyOf", "oneOf"
		return one, true
	}
	return m, ok
}

// properties adds those of another schema. One in both must satisfy both, combined by how.
func (n *node) properties(t node, how string) {
	n.closed = n.closed || t.closed
	at := places(n.props)
	for _, p := range t.props {
		i, there := at[p.name]
		switch {
		case !there:
			n.props = append(n.props, p)
		case !same(n.props[i].val, p.val):
			n.props[i].val = `{"` + how + `":[` + n.props[i].val + `,` + p.val + `]}`
		}
	}
}

// places returns the index of each member, by name.
func places(list []member) map[string]int {
	at := make(map[string]int, len(list))
	for i, m := range list {
		at[m.name] = i
	}
	return at
}

func commonTypes(a, b []string) (both []string) {
	for _, s := range a {
		switch {
		case slices.Contains(b, s) || s == "integer" && slices.Contains(b, "number"):
			both = append(both, s)
		case s == "number" && slices.Contains(b, "integer"):
			both = append(both, "integer")
		}
	}
	return both
}

// flatten writes the alternatives of the root as one object: it has the properties of all,
// and requires what each of them requires.
func (c *converter) flatten(n *node, depth int) {
	for _, keyword := range [...]string{"anyOf", "oneOf"} {
		m, ok := n.take(keyword)
		if !ok {
			continue
		}
		var need []string
		done := LeftOut
		for i, val := range elementsOf(m.val) {
			if c.schemas++; depth == maxBranches || c.schemas > maxSchemas {
				c.lose(m.in, "limit", LeftOut)
				break
			}
			t := c.read(val, m.at()+"/"+strconv.Itoa(i))
			before := len(c.refs)
			c.open(&t, true)
			c.flatten(&t, depth+1)
			c.refs = c.refs[:before]
			if n.properties(t, "anyOf"); len(t.props) > 0 {
				done = Widened
				c.stop(m.in, m.keyword())
			}
			if i == 0 {
				need = t.required
			}
			need = slices.DeleteFunc(slices.Clone(need), func(s string) bool { return !slices.Contains(t.required, s) })
		}
		c.lose(m.in, m.keyword(), done)
		n.required = unique(append(slices.Clip(n.required), need...))
	}
}

// rooted returns the root of the schema, an object.
func (c *converter) rooted() node {
	n := c.read(c.root, "")
	c.open(&n, true)
	c.flatten(&n, 0)
	if types := n.types(); len(types) > 0 && !slices.Contains(types, "object") {
		c.lose("", "type", Widened)
	}
	n.take("type")
	n.list = slices.Insert(n.list, 0, member{name: "type", val: `"object"`})
	for _, m := range slices.Clone(n.list) {
		if c.rules.rootless.has(m.name) {
			c.lose(m.in, m.keyword(), LeftOut)
			n.take(m.name)
		}
	}
	names := namesOf(n.props)
	if c.rules.names != "" {
		c.keys, _ = mapped(c.rules.names, names)
		c.renames = slices.ContainsFunc(names, func(s string) bool { return c.key(s, true) != s })
	}
	return n
}
