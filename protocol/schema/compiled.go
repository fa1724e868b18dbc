package schema

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Schema is a schema that was read once, for many values. It does not change and may
// be shared by goroutines. The zero Schema accepts every object.
type Schema struct {
	root *rule
	size int
}

// Compile reads the schema of a tool and refuses what Check refuses.
func Compile(schema jsonrpc.Raw) (Schema, error) {
	w := newWork(len(schema))
	r := compile(w, string(schema))
	switch {
	case w.dead:
		return Schema{}, w.fault
	case !r.isObject:
		return Schema{}, noObject
	}
	return r.compiled(len(schema)), nil
}

func (r *rule) compiled(size int) Schema {
	if r.trivial() {
		return Schema{}
	}
	return Schema{root: r, size: size}
}

// noObject says that a schema is not that of an object, which those of tools are.
var noObject = Fault{Path: "/type", Keyword: KeywordSchema}

// IsZero reports whether every object is accepted.
func (s Schema) IsZero() bool { return s.root == nil }

// Validate returns what Basic.Validate returns for the schema and the value.
func (s Schema) Validate(value jsonrpc.Raw) error {
	r := s.root
	if r == nil {
		r = anyObject
	}
	return validate(newWork(s.size+len(value)), r, value)
}

var anyObject = func() *rule {
	r := newRule()
	r.types, r.isObject = kindObject, true
	return r
}()

// trivial reports whether the rule accepts every object.
func (r *rule) trivial() bool {
	return r.isObject && !r.never && r.enum == nil && r.constant == "" && r.ref == nil && !r.objects() &&
		len(r.allOf) == 0 && len(r.anyOf) == 0 && len(r.oneOf) == 0 && r.not == nil && r.cond == nil
}

// validate checks a value with what is left of the work.
func validate(w *work, r *rule, value jsonrpc.Raw) error {
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
	e := evaluator{work: w}
	e.seen = e.bits[:0]
	if e.apply(r, text) == no || w.dead {
		return w.fault
	}
	return nil
}

// None is the Validator that accepts everything: for schemas that somebody else
// checks.
type None struct{}

// Validate returns nil.
func (None) Validate(_, _ jsonrpc.Raw) error { return nil }
