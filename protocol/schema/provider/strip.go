package provider

import (
	"slices"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// stripper removes nulls that stand for absent values from arguments: where the schema
// does not require a property and does not accept null for it.
type stripper struct {
	root string
	read int // bytes of schemas
}

const maxStrip = 64 << 20 // bytes of schemas read to find nulls

// spent counts the reading of a schema, and reports whether the limit is reached.
func (s *stripper) spent(rule string, depth int) bool {
	s.read += len(rule)
	return s.read > maxStrip || depth >= maxDepth
}

// target returns the schema that rule refers to, or rule.
func (s *stripper) target(rule string, depth int) string {
	for ; rule != "" && rule[0] == '{' && !s.spent(rule, depth); depth++ {
		ref, there := rawjson.Get(rule, "$ref")
		if !there {
			return rule
		}
		s.read += len(s.root)
		name, _ := rawjson.Unquote(ref)
		rule, _ = resolve(s.root, name)
	}
	return ""
}

// value returns val without such nulls. rule is its schema, "" without one.
func (s *stripper) value(rule, val string, depth int) string {
	rule = s.target(rule, depth)
	if rule == "" || val[0] != '{' && val[0] != '[' {
		return val
	}
	for _, m := range membersOf(rule) {
		switch m.name {
		case "allOf":
			for _, one := range elementsOf(m.val) {
				val = s.value(one, val, depth+1)
			}
		case "anyOf", "oneOf":
			val = s.value(s.branch(m.val, val, depth+1), val, depth+1)
		}
	}
	if val[0] == '{' {
		return s.object(rule, val, depth)
	}
	items, there := rawjson.Get(rule, "items")
	if !there {
		return val
	}
	list := elementsOf(val)
	for i, one := range list {
		list[i] = s.value(items, one, depth+1)
	}
	return listed(list)
}

// branch returns the one of several schemas that a value was made for, "" if none fits: the one
// that knows all members, and has the fewest others. A model that is held to a strict schema writes
// every member of one of them.
func (s *stripper) branch(list, val string, depth int) (best string) {
	least := -1
	for _, rule := range elementsOf(list) {
		if more, ok := s.fits(rule, val, depth); ok && (least < 0 || more < least) {
			best, least = rule, more
		}
	}
	return best
}

// fits reports whether an array or object can have been made for a schema, and how many of the
// schema's members are absent from it.
func (s *stripper) fits(rule, val string, depth int) (more int, ok bool) {
	if rule = s.target(rule, depth); rule == "" {
		return 0, false
	}
	for _, keyword := range [...]string{"anyOf", "oneOf", "allOf"} {
		if list, there := rawjson.Get(rule, keyword); there {
			for _, one := range elementsOf(list) {
				if more, ok = s.fits(one, val, depth+1); ok {
					return more, true
				}
			}
		}
	}
	if typ, there := rawjson.Get(rule, "type"); there && !hasType(typ, rawjson.Type(val)) {
		return 0, false
	}
	properties, there := rawjson.Get(rule, "properties")
	if val[0] == '[' {
		_, items := rawjson.Get(rule, "items")
		return 0, items
	}
	if !there {
		return 0, false
	}
	rules := valuesOf(properties)
	for _, m := range membersOf(val) {
		one, known := rules[m.name]
		if !known || !s.names(one, m.val) {
			return 0, false
		}
		delete(rules, m.name)
	}
	return len(rules), true
}

// names reports whether a value can be one of those that a schema names, if it names some.
func (s *stripper) names(rule, val string) bool {
	if val == "null" { // it may stand for an absent value
		return true
	}
	if only, there := rawjson.Get(rule, "const"); there {
		return same(only, val)
	}
	if list, there := rawjson.Get(rule, "enum"); there {
		return slices.ContainsFunc(elementsOf(list), func(one string) bool { return same(one, val) })
	}
	return true
}

func (s *stripper) object(rule, val string, depth int) string {
	properties, there := rawjson.Get(rule, "properties")
	if !there {
		return val
	}
	required, _ := rawjson.Get(rule, "required")
	rules, need := valuesOf(properties), setOf(stringsOf(required))
	var out object
	o, _ := rawjson.Members(val)
	for name, one := range o.All {
		sub := rules[name]
		if one == "null" && sub != "" && !need[name] && !s.nullable(sub, depth+1) {
			continue
		}
		out.add(name, s.value(sub, one, depth+1))
	}
	return out.String()
}

// nullable reports whether a schema, or what it refers to, accepts null.
func (s *stripper) nullable(rule string, depth int) bool {
	if to := s.target(rule, depth); to != "" {
		rule = to
	}
	return acceptsNull(rule, 0)
}
