package build

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

func of(k kind) Schema { return Schema{&node{kind: k}} }

// Any is the schema of every value.
func Any() Schema { return Schema{} }

// String is the schema of a string.
func String() Schema { return of(kindString) }

// Number is the schema of a number.
func Number() Schema { return of(kindNumber) }

// Integer is the schema of a number without a fraction, in any spelling: 1.0 is an integer.
func Integer() Schema { return of(kindInteger) }

// Boolean is the schema of true and false.
func Boolean() Schema { return of(kindBoolean) }

// Null is the schema of null.
func Null() Schema { return of(kindNull) }

// Array is the schema of an array whose elements satisfy items.
func Array(items Schema) Schema { return Schema{&node{kind: kindArray, items: &items}} }

// Object is the schema of an object with these members and no others.
func Object(props ...Property) Schema {
	return Schema{&node{kind: kindObject, props: slices.Clone(props)}}
}

// Map is the schema of an object with members of any name whose values satisfy values.
func Map(values Schema) Schema { return Object().Others(values) }

// AnyOf is the schema of values that satisfy at least one of the alternatives.
func AnyOf(alternatives ...Schema) Schema {
	return Schema{&node{kind: kindAnyOf, alternatives: slices.Clone(alternatives)}}
}

// OneOf is the schema of values that satisfy exactly one of the alternatives.
func OneOf(alternatives ...Schema) Schema {
	return Schema{&node{kind: kindOneOf, alternatives: slices.Clone(alternatives)}}
}

// Enum is the schema of a string that is one of these.
func Enum(texts ...string) Schema {
	list := make([]jsonrpc.Raw, 0, len(texts))
	for _, t := range texts {
		list = append(list, jsonrpc.Raw(rawjson.AppendQuote(nil, t)))
	}
	return String().Enum(list...)
}

// Const is the schema of one value, given as JSON text.
func Const(value jsonrpc.Raw) Schema {
	return Any().change(func(n *node) { n.constant = clone(value) })
}

// Ref is the schema that Def has named on the outermost schema.
func Ref(name string) Schema { return Schema{&node{kind: kindRef, ref: strings.Clone(name)}} }

// Nullable returns a schema that also accepts null: s itself if it does so already. An enum gets
// null as its last member.
func Nullable(s Schema) Schema {
	n := s.node()
	switch {
	case s.acceptsNull():
		return s
	case n.constant != "":
		return s.change(func(n *node) { n.enum, n.constant, n.null = []jsonrpc.Raw{n.constant, "null"}, "", true })
	case n.kind < kindAnyOf:
		return s.change(func(n *node) {
			n.null = true
			if n.enum != nil && !slices.Contains(n.enum, "null") {
				n.enum = append(slices.Clip(n.enum), "null")
			}
		})
	case n.kind == kindAnyOf && n.enum == nil:
		return s.change(func(n *node) { n.alternatives = append(slices.Clip(n.alternatives), Null()) })
	}
	// The annotations stay on the outer schema.
	inner := s.change(func(n *node) { n.title, n.description, n.standard, n.examples, n.defs = "", "", "", nil, nil })
	return AnyOf(inner, Null()).change(func(o *node) {
		o.title, o.description, o.standard, o.examples, o.defs = n.title, n.description, n.standard, n.examples, n.defs
	})
}

// acceptsNull reports whether null satisfies the schema, as far as that shows without its
// definitions.
func (s Schema) acceptsNull() bool {
	n := s.node()
	switch {
	case n.enum != nil && !slices.Contains(n.enum, "null"), n.constant != "" && n.constant != "null":
		return false
	case n.kind == kindAny, n.kind == kindNull:
		return true
	case n.kind == kindAnyOf:
		return slices.ContainsFunc(n.alternatives, Schema.acceptsNull)
	case n.kind == kindOneOf:
		found := 0
		for _, a := range n.alternatives {
			if a.acceptsNull() {
				found++
			}
			if a.node().kind == kindRef {
				return false // a second alternative may accept it too
			}
		}
		return found == 1
	}
	return n.null
}
