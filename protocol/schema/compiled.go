package schema

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Schema is a compiled schema, for many values. It does not change and may
// be shared by goroutines. The zero Schema accepts every object.
//
// Compile also returns a Schema with its error if the only fault is that the schema does not have type
// object, as that of a result may.
type Schema struct {
	root *rule
	size int
}

// Compile reads the schema of a tool and refuses what Check refuses.
func Compile(schema jsonrpc.Raw) (Schema, error) {
	return Basic{}.Compile(schema)
}

// Compile is like the function Compile, with the formats of b.
func (b Basic) Compile(schema jsonrpc.Raw) (Schema, error) {
	c := compiler{work: newWork(allowed(len(schema))), formats: b.Formats}
	r := c.compile(string(schema))
	switch {
	case c.dead:
		return Schema{}, *c.fault
	case !r.isObject:
		return r.compiled(len(schema)), noObject
	}
	return r.compiled(len(schema)), nil
}

func (r *rule) compiled(size int) Schema {
	if r.trivial() {
		return Schema{}
	}
	return Schema{root: r, size: size}
}

// noObject says that a schema does not have type object, as those of tools must.
var noObject = Fault{Path: "/type", Keyword: KeywordSchema}

// IsZero reports whether s accepts every object.
func (s Schema) IsZero() bool { return s.root == nil }

// Validate returns what Basic.Validate returns for this schema and the value.
func (s Schema) Validate(value jsonrpc.Raw) error {
	return validate(allowed(s.size+len(value)), s.rule(), value)
}

// ValidateDecoded is Validate for a value from a message that jsonrpc.Decode has decoded,
// such as the arguments of a tool. It takes about half the time, because it does not check again
// that the value is JSON. For a value that is not JSON it returns nil or any Fault.
func (s Schema) ValidateDecoded(value jsonrpc.Raw) error {
	text := strings.Trim(string(value), space)
	if text == "" || text[0] != '{' {
		return s.Validate(value)
	}
	_, err := evaluate(allowed(s.size+len(value)), s.rule(), text, nil)
	return err
}

func (s Schema) rule() *rule {
	if s.root == nil {
		return anyObject
	}
	return s.root
}

var anyObject = func() *rule {
	r := newRule()
	r.types, r.isObject = kindObject, true
	return r
}()

// trivial reports whether the rule accepts every object.
func (r *rule) trivial() bool {
	return r.isObject && !r.never && r.enum == nil && r.constant == "" && r.ref == nil && !r.objects() &&
		len(r.allOf) == 0 && len(r.anyOf) == 0 && len(r.oneOf) == 0 && r.not == nil && r.cond == nil && r.more == nil
}

// validate checks a value that may be any text.
func validate(steps int, r *rule, value jsonrpc.Raw) error {
	if value == "" {
		value = "{}"
	}
	text, fault := trim(string(value))
	switch fault {
	case rawjson.OK:
	case rawjson.Depth:
		return Fault{Keyword: KeywordLimit}
	default:
		return Fault{Keyword: KeywordSyntax}
	}
	_, err := evaluate(steps, r, text, nil)
	return err
}

// None is the Validator that accepts everything, for schemas that another program
// checks.
type None struct{}

// Validate returns nil.
func (None) Validate(_, _ jsonrpc.Raw) error { return nil }
