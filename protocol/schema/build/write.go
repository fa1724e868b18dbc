package build

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// AppendJSON appends the schema unchecked. If Check fails, the text may not be a valid schema,
// or not be JSON.
func (s Schema) AppendJSON(dst []byte) []byte {
	w := writer{rawjson.Writer{Dst: append(dst, '{')}}
	w.node(s.node())
	return append(w.Dst, '}')
}

// writer writes the members of objects.
type writer struct{ rawjson.Writer }

func (w *writer) schema(name string, s *Schema) {
	if s != nil {
		w.Name(name)
		w.Dst = s.AppendJSON(w.Dst)
	}
}

func (w *writer) int(name string, n *int) {
	if n != nil {
		w.Name(name)
		w.Dst = strconv.AppendInt(w.Dst, int64(*n), 10)
	}
}

// array writes an array, unless it is nil.
func array[T any](w *writer, name string, list []T, value func(dst []byte, v T) []byte) {
	if list == nil {
		return
	}
	w.Name(name)
	w.Dst = append(w.Dst, '[')
	for i, v := range list {
		if i > 0 {
			w.Dst = append(w.Dst, ',')
		}
		w.Dst = value(w.Dst, v)
	}
	w.Dst = append(w.Dst, ']')
}

func (w *writer) schemas(name string, list []Property) {
	w.Name(name)
	w.Dst = append(w.Dst, '{')
	for _, p := range list {
		w.schema(p.name, &p.schema)
	}
	w.Dst = append(w.Dst, '}')
}

func appendRaw(dst []byte, v jsonrpc.Raw) []byte { return append(dst, v...) }
func appendSchema(dst []byte, s Schema) []byte   { return s.AppendJSON(dst) }
func appendQuote(dst []byte, s string) []byte    { return rawjson.AppendQuote(dst, s) }
func pointerTo(name string) string               { return "#/$defs/" + uriPart(escape(name)) }
func escape(name string) string                  { return escapes.Replace(name) }

var escapes = strings.NewReplacer("~", "~0", "/", "~1")

// uriPart percent-encodes what a URI fragment cannot contain.
func uriPart(s string) string {
	const hex = "0123456789ABCDEF"
	var b []byte
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~/!$&'()*+,;=:@?", c) >= 0 {
			b = append(b, c)
			continue
		}
		b = append(b, '%', hex[c>>4], hex[c&15])
	}
	return string(b)
}

func (w *writer) node(n *node) {
	switch t := `"` + n.typeName() + `"`; {
	case n.typeName() == "":
	case n.null && n.kind != kindNull:
		w.Raw("type", `[`+t+`,"null"]`)
	default:
		w.Raw("type", t)
	}
	if n.kind == kindRef {
		w.Name("$ref")
		w.Dst = rawjson.AppendQuote(w.Dst, pointerTo(n.ref))
	}
	w.Text("title", n.title)
	w.Text("description", n.description)
	array(w, "enum", n.enum, appendRaw)
	w.Raw("const", string(n.constant))
	w.int("minLength", n.length.min)
	w.int("maxLength", n.length.max)
	w.Text("pattern", n.pattern)
	w.Text("format", n.format)
	w.Text("contentEncoding", n.encoding)
	w.Raw("minimum", string(n.min))
	w.Raw("maximum", string(n.max))
	w.Raw("exclusiveMinimum", string(n.above))
	w.Raw("exclusiveMaximum", string(n.below))
	w.Raw("multipleOf", string(n.multiple))
	w.schema("items", n.items)
	w.int("minItems", n.elements.min)
	w.int("maxItems", n.elements.max)
	if n.unique {
		w.Raw("uniqueItems", "true")
	}
	if n.kind == kindObject {
		w.object(n)
	}
	switch n.kind {
	case kindAnyOf:
		array(w, "anyOf", n.alternatives, appendSchema)
	case kindOneOf:
		array(w, "oneOf", n.alternatives, appendSchema)
	}
	w.Raw("default", string(n.standard))
	array(w, "examples", n.examples, appendRaw)
	if len(n.defs) > 0 {
		w.schemas("$defs", n.defs)
	}
}

func (w *writer) object(n *node) {
	if len(n.props) > 0 || n.others == nil {
		w.schemas("properties", n.props)
	}
	if list := n.requiredNames(); len(list) > 0 || n.strict {
		array(w, "required", list, appendQuote)
	}
	switch {
	case n.others == nil:
		w.Raw("additionalProperties", "false")
	case n.others.n != nil:
		w.schema("additionalProperties", n.others)
	}
	w.schema("propertyNames", n.names)
	w.int("minProperties", n.members.min)
	w.int("maxProperties", n.members.max)
}

// typeName returns the type, "" without one.
func (n *node) typeName() string {
	if int(n.kind) < len(types) {
		return types[n.kind]
	}
	return ""
}

// requiredNames returns the required names, in the order of the
// properties, and then those without a property.
func (n *node) requiredNames() []string {
	list := []string{}
	for _, p := range n.props {
		if !p.optional || n.strict || slices.Contains(n.required, p.name) {
			list = append(list, p.name)
		}
	}
	for _, name := range n.required {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// UnmarshalJSON always fails: package schema reads schemas.
func (s *Schema) UnmarshalJSON([]byte) error { return errRead }

var errRead = errors.New("build: a Schema is not read from JSON; use schema.Compile")

// branch returns the keyword of the alternatives.
func (n *node) branch() string {
	if n.kind == kindOneOf {
		return "/oneOf/"
	}
	return "/anyOf/"
}
