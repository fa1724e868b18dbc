package build

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Schema is a JSON Schema. It does not change: methods return a new one. The zero Schema
// accepts every value.
type Schema struct{ n *node }

// kind is the kind of a schema. The kinds before kindAny have a type.
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
	null bool // null is allowed in addition to the type

	title, description string
	enum               []jsonrpc.Raw // nil if absent
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
	others   *Schema  // the schema of other members; nil: none are allowed
	names    *Schema
	strict   bool

	alternatives []Schema
	ref          string

	standard jsonrpc.Raw // the default
	examples []jsonrpc.Raw
	defs     []Property
}

// count is the allowed range of a count. Zero allows any.
type count struct{ min, max *int }

// Property is a member of an object, by name.
type Property struct {
	name     string
	schema   Schema
	optional bool
}

// Prop is a required member.
func Prop(name string, s Schema) Property {
	return Property{name: strings.Clone(name), schema: s}
}

// node returns the content of s, which must not be changed.
func (s Schema) node() *node {
	if s.n == nil {
		return &node{}
	}
	return s.n
}

// change returns a copy changed by f. f must replace slices, not change them.
func (s Schema) change(f func(n *node)) Schema {
	n := *s.node()
	f(&n)
	return Schema{&n}
}

// clone copies JSON text. Empty text becomes a space, which Check refuses, because "" means
// absent.
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

// Schema returns the schema of the member's value.
func (p Property) Schema() Schema { return p.schema }

// IsOptional reports whether the member may be absent. Schema.Required may still require it.
func (p Property) IsOptional() bool { return p.optional }

// Optional is an optional member.
func Optional(name string, s Schema) Property {
	return Property{name: strings.Clone(name), schema: s, optional: true}
}
