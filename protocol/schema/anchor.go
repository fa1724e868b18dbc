package schema

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Where schemas stand within a schema.
var (
	ofOne  = names("additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties")
	ofList = names("allOf", "anyOf", "items", "oneOf", "prefixItems")
	ofMap  = names("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
)

func names(list ...string) map[string]bool {
	m := map[string]bool{}
	for _, name := range list {
		m[name] = true
	}
	return m
}

// anchored returns the place of an anchor in the schema.
func (c *compiler) anchored(name string) (p pending, ok bool) {
	if !c.dialect.anchor {
		return p, false
	}
	if c.anchors == nil {
		c.anchors = map[string]pending{}
		path := c.path
		c.path = nil
		c.findAnchors(c.root)
		c.path = path
	}
	p, ok = c.anchors[name]
	return p, ok && p.text != "" && !c.dead
}

// findAnchors notes the anchors of the schema text and of those within it. One that is
// there twice is that of none, and what has an $id has anchors of its own.
func (c *compiler) findAnchors(text string) {
	o, ok := c.object(text)
	defer c.close(&o)
	if !ok || len(c.path) > 0 && resource(&o) {
		return
	}
	for _, key := range [...]string{"$anchor", "$dynamicAnchor"} {
		name, ok := rawjson.Unquote(o.get(key))
		if !ok || !c.step(hashSteps+len(name)/nameBytes) {
			continue
		}
		if _, twice := c.anchors[name]; twice {
			c.anchors[name] = pending{}
			continue
		}
		c.anchors[name] = pending{text: text, path: slices.Clone(c.path)}
	}
	for _, m := range o.list {
		c.name(m.key)
		switch first := m.val[0]; {
		case ofOne[m.key] && first == '{':
			c.findAnchors(m.val)
		case ofList[m.key] && first == '[':
			c.each(m.val, func(i int, x string) bool {
				c.index(i)
				c.findAnchors(x)
				c.pop()
				return !c.dead
			})
		case ofMap[m.key] && first == '{':
			in, _ := c.object(m.val)
			for _, n := range in.list {
				c.name(n.key)
				c.findAnchors(n.val)
				c.pop()
			}
			c.close(&in)
		}
		c.pop()
	}
}

// resource reports whether a schema has an $id that is more than an anchor: references
// within it start there.
func resource(o *object) bool {
	id := o.get("$id")
	return len(id) > 1 && id[0] == '"' && id[1] != '#'
}
