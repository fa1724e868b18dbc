package build

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Schema is a JSON Schema. It does not change: methods return another one. The zero Schema
// accepts every value.
type Schema struct{ n *node }

// kind is what a schema is about. The kinds before kindAny have a type.
type kind uint8

const (
	kindAny kind = iota
	kindString
	kindNumber
	kindInteger
	kindBoolean
	kindNull
	kindArray
	kindObject
	kindAnyOf
	kindOneOf
	kindRef
)

var types = [...]string{
	kindString: "string", kindNumber: "number", kindInteger: "integer", kindBoolean: "boolean", kindNull: "null",
	kindArray: "array", kindObject: "object", kindRef: "",
}

// node is a schema with all that was said of it.
type node struct {
	kind kind
	null bool // of a type: null is allowed beside it

	title, description string
	enum               []jsonrpc.Raw // not nil: there is one
	constant           jsonrpc.Raw

	length, elements, members count
	pattern, format, encoding string
	min, max                  jsonrpc.Raw
	above, below              jsonrpc.Raw
	multiple                  jsonrpc.Raw

	items  *Schema
	unique bool

	props    []Property
	required []string // named by Required
	others   *Schema  // what other members have to be; nil: there are none
	names    *Schema
	strict   bool

	alternatives []Schema
	ref          string

	standard jsonrpc.Raw // the default
	examples []jsonrpc.Raw
	defs     []Property
}

// count is how many of something there have to be. Zero is any number.
type count struct{ min, max *int }

// Property is a member of an object, by name.
type Property struct {
	name     string
	schema   Schema
	optional bool
}

// Prop is a member that has to be there.
func Prop(name string, s Schema) Property {
	return Property{name: strings.Clone(name), schema: s}
}

// node returns what is said of s, to look at.
func (s Schema) node() *node {
	if s.n == nil {
		return &node{}
	}
	return s.n
}

// change returns a copy that f has changed. f puts new slices in the place of the old.
func (s Schema) change(f func(n *node)) Schema {
	n := *s.node()
	f(&n)
	return Schema{&n}
}

// clone copies JSON text. No text at all becomes a blank, which Check refuses: "" is what was not
// said.
func clone(raw jsonrpc.Raw) jsonrpc.Raw {
	if raw == "" {
		return " "
	}
	return jsonrpc.Raw(strings.Clone(string(raw)))
}

func clones(values []jsonrpc.Raw) []jsonrpc.Raw {
	list := make([]jsonrpc.Raw, 0, len(values))
	for _, v := range values {
		list = append(list, clone(v))
	}
	return list
}

// Name returns the name of the member.
func (p Property) Name() string { return p.name }

// Schema returns what the value of the member has to be.
func (p Property) Schema() Schema { return p.schema }

// IsOptional reports whether the member may be absent. Schema.Required may ask for it
// all the same.
func (p Property) IsOptional() bool { return p.optional }

// Optional is a member that may be absent.
func Optional(name string, s Schema) Property {
	return Property{name: strings.Clone(name), schema: s, optional: true}
}
