package build

import (
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
)

// Error is a mistake in a schema.
type Error struct {
	// Path is the JSON pointer (RFC 6901) to the keyword, or to the schema itself.
	Path string
	// Text says what is wrong with it.
	Text string
}

// Error returns one line.
func (e *Error) Error() string { return "build: " + strconv.Quote(e.Path) + ": " + e.Text }

// maxErrors is how many mistakes are reported.
const maxErrors = 16

// Check returns nil, or the mistakes that it finds, the first 16, each an *Error.
func (s Schema) Check() error {
	c := checker{root: s.node()}
	c.schema(s, "", true)
	if len(c.errs) == 0 {
		c.text(jsonrpc.Raw(s.AppendJSON(nil)))
	}
	return errors.Join(c.errs...)
}

const tooDeep = "it nests more than 512 deep"

type checker struct {
	root  *node
	errs  []error
	depth int // of the schema being checked
}

func (c *checker) fault(path, text string) {
	if len(c.errs) < maxErrors {
		c.errs = append(c.errs, &Error{Path: path, Text: text})
	}
}

// text finds what only a reader of schemas finds, such as an invalid pattern.
func (c *checker) text(raw jsonrpc.Raw) {
	if !rawjson.Valid(string(raw)) {
		c.fault("", tooDeep)
		return
	}
	var f schema.Fault
	err := schema.Basic{}.Validate(raw, "null")
	if errors.As(err, &f) && f.Keyword == schema.KeywordSchema {
		c.fault(f.Path, "it is not usable")
	}
	for _, d := range c.root.defs { // even if nothing refers to them
		err = schema.Basic{}.Validate(c.with(d.schema.node()), "null")
		if errors.As(err, &f) && f.Keyword == schema.KeywordSchema {
			c.fault("/$defs/"+escape(d.name), "it is not usable")
		}
	}
}

// with returns the text of a schema by itself, with the definitions of the whole.
func (c *checker) with(n *node) jsonrpc.Raw {
	m := *n
	m.defs = c.root.defs
	return jsonrpc.Raw(Schema{&m}.AppendJSON(nil))
}

func (c *checker) schema(s Schema, path string, outermost bool) {
	if s.n == nil {
		return
	}
	if c.depth++; c.depth > rawjson.DefaultDepth {
		c.fault("", tooDeep)
		c.depth--
		return
	}
	defer func() { c.depth-- }()
	n := s.n
	if !outermost && len(n.defs) > 0 {
		c.fault(path+"/$defs", "only the outermost schema has definitions")
	}
	c.foreign(n, path)
	c.counts(n, path)
	c.numbers(n, path)
	if n.kind == kindRef && !slices.ContainsFunc(c.root.defs, func(p Property) bool { return p.name == n.ref }) {
		c.fault(path+"/$ref", "there is no definition of this name")
	}
	if (n.kind == kindAnyOf || n.kind == kindOneOf) && len(n.alternatives) == 0 {
		c.fault(path, "there are no alternatives")
	}
	before := len(c.errs)
	c.within(n, path)
	if len(c.errs) == before { // otherwise a subschema's fault would be blamed on its values
		c.values(n, path)
	}
}

// within checks the subschemas.
func (c *checker) within(n *node, path string) {
	c.members(n.props, path+"/properties/")
	c.members(n.defs, path+"/$defs/")
	for i, name := range n.required {
		if !slices.ContainsFunc(n.props, func(p Property) bool { return p.name == name }) {
			c.fault(path+"/required", strconv.Quote(name)+" is not a property")
		} else if slices.Contains(n.required[:i], name) {
			c.fault(path+"/required", strconv.Quote(name)+" occurs twice")
		}
	}
	for i, a := range n.alternatives {
		c.schema(a, path+n.branch()+strconv.Itoa(i), false)
	}
	for _, one := range [...]struct {
		name string
		s    *Schema
	}{{"/items", n.items}, {"/additionalProperties", n.others}, {"/propertyNames", n.names}} {
		if one.s != nil {
			c.schema(*one.s, path+one.name, false)
		}
	}
}

func (c *checker) members(list []Property, path string) {
	seen := make(map[string]bool, len(list))
	for _, p := range list {
		if !utf8.ValidString(p.name) { // it would be written as another name
			c.fault(path+escape(p.name), "it is not UTF-8")
		}
		if seen[p.name] {
			c.fault(path+escape(p.name), "it occurs twice")
		}
		seen[p.name] = true
		c.schema(p.schema, path+escape(p.name), false)
	}
}

// foreign finds keywords of another type.
func (c *checker) foreign(n *node, path string) {
	for _, one := range [...]struct {
		said  bool
		kinds []kind
		text  string
	}{
		{n.length != (count{}) || n.pattern != "" || n.encoding != "", []kind{kindString}, "it has keywords for strings and is none"},
		{n.min+n.max+n.above+n.below+n.multiple != "", []kind{kindNumber, kindInteger}, "it has keywords for numbers and is none"},
		{n.elements != (count{}) || n.items != nil || n.unique, []kind{kindArray}, "it has keywords for arrays and is none"},
		{n.members != (count{}) || n.props != nil || n.required != nil || n.others != nil || n.names != nil, []kind{kindObject}, "it has keywords for objects and is none"},
	} {
		if one.said && !slices.Contains(one.kinds, n.kind) {
			c.fault(path, one.text)
		}
	}
}

func (c *checker) counts(n *node, path string) {
	for _, one := range [...]struct {
		count
		least, most string
	}{
		{n.length, "/minLength", "/maxLength"},
		{n.elements, "/minItems", "/maxItems"},
		{n.members, "/minProperties", "/maxProperties"},
	} {
		switch {
		case one.min != nil && *one.min < 0:
			c.fault(path+one.least, "it is below zero")
		case one.max != nil && *one.max < 0:
			c.fault(path+one.most, "it is below zero")
		case one.min != nil && one.max != nil && *one.min > *one.max:
			c.fault(path+one.least, "it is above "+one.most[1:])
		}
	}
	switch least := n.members.min; {
	case n.members.max != nil && *n.members.max < len(n.requiredNames()):
		c.fault(path+"/maxProperties", "more members are required")
	case least != nil && n.others == nil && *least > len(n.props):
		c.fault(path+"/minProperties", "there are fewer properties")
	}
}

// values checks enum, const, default and examples.
func (c *checker) values(n *node, path string) {
	bare := *n
	bare.enum, bare.constant, bare.standard, bare.examples = nil, "", "", nil
	if n.enum != nil && len(n.enum) == 0 {
		c.fault(path+"/enum", "it has no members")
	}
	for i, v := range n.enum {
		at := path + "/enum/" + strconv.Itoa(i)
		c.value(&bare, v, at)
		if slices.ContainsFunc(n.enum[:i], func(w jsonrpc.Raw) bool { return equal(v, w) }) {
			c.fault(at, "it occurs twice")
		}
	}
	if n.constant != "" {
		c.value(&bare, n.constant, path+"/const")
	}
	bare.enum, bare.constant = n.enum, n.constant
	if n.standard != "" {
		c.value(&bare, n.standard, path+"/default")
	}
	for i, v := range n.examples {
		c.value(&bare, v, path+"/examples/"+strconv.Itoa(i))
	}
}

// value checks that a value is valid JSON and satisfies the schema.
func (c *checker) value(n *node, v jsonrpc.Raw, path string) {
	if !rawjson.Valid(string(v)) {
		c.fault(path, "it is not JSON")
		return
	}
	var f schema.Fault
	if err := (schema.Basic{}).Validate(c.with(n), v); errors.As(err, &f) && f.Keyword != schema.KeywordSchema {
		c.fault(path, "the schema rejects it: "+f.Error())
	}
}

// equal compares two values as JSON Schema does; invalid JSON equals nothing.
func equal(v, w jsonrpc.Raw) bool {
	return rawjson.Valid(string(v)) && rawjson.Valid(string(w)) && schema.Basic{}.Validate(`{"const":`+v+`}`, w) == nil
}

// numbers checks the bounds of a number.
func (c *checker) numbers(n *node, path string) {
	before := len(c.errs)
	for _, one := range [...]struct {
		name  string
		value jsonrpc.Raw
	}{
		{"/minimum", n.min}, {"/maximum", n.max}, {"/exclusiveMinimum", n.above}, {"/exclusiveMaximum", n.below},
		{"/multipleOf", n.multiple},
	} {
		if _, _, _, ok := rawjson.Decimal(string(one.value)); one.value != "" && !ok {
			c.fault(path+one.name, "it is not a number")
		}
	}
	if len(c.errs) > before {
		return
	}
	if n.multiple != "" && !over(n.multiple, "0") {
		c.fault(path+"/multipleOf", "it is not above zero")
	}
	switch {
	case over(n.min, n.max):
		c.fault(path+"/minimum", "it is above maximum")
	case over(n.above, n.below) || same(n.above, n.below):
		c.fault(path+"/exclusiveMinimum", "nothing is below exclusiveMaximum")
	case over(n.above, n.max) || same(n.above, n.max):
		c.fault(path+"/exclusiveMinimum", "nothing is within maximum")
	case over(n.min, n.below) || same(n.min, n.below):
		c.fault(path+"/minimum", "nothing is below exclusiveMaximum")
	}
}

// over reports whether a is greater than b; false if either is absent.
func over(a, b jsonrpc.Raw) bool {
	return a != "" && b != "" && schema.Basic{}.Validate(`{"maximum":`+b+`}`, a) != nil
}

func same(a, b jsonrpc.Raw) bool { return a != "" && b != "" && equal(a, b) }

// JSON returns the schema as JSON text, or the error of Check.
func (s Schema) JSON() (jsonrpc.Raw, error) {
	if err := s.Check(); err != nil {
		return "", err
	}
	return jsonrpc.Raw(s.AppendJSON(nil)), nil
}

// MarshalJSON is like JSON.
func (s Schema) MarshalJSON() ([]byte, error) {
	raw, err := s.JSON()
	return []byte(raw), err
}
