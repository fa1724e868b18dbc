package typed

import (
	"fmt"
	"reflect"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// form is what is known of the type of arguments or of a result.
type form struct {
	plan *plan
	text jsonrpc.Raw // its schema
	kind outcome
}

// outcome is the kind of value that a result is made from.
type outcome uint8

const (
	structured outcome = iota
	texted
	block
	blocks
	whole
	wholePointer
)

// object returns the form of a type that is an object.
func object(t reflect.Type) (form, error) {
	s, err := newInference().whole(t)
	if err != nil {
		return form{}, err
	}
	if s.plan.op != opStruct && s.plan.op != opMap {
		return form{}, fmt.Errorf("%v is not an object: put it in a struct", t)
	}
	text, err := s.schema.JSON()
	return form{plan: s.plan, text: text}, err
}

func outcomeOf(t reflect.Type) (form, error) {
	switch t {
	case reflect.TypeFor[protocol.Content]():
		return form{kind: block}, nil
	case reflect.TypeFor[[]protocol.Content]():
		return form{kind: blocks}, nil
	case reflect.TypeFor[protocol.CallToolResult]():
		return form{kind: whole}, nil
	case reflect.TypeFor[*protocol.CallToolResult]():
		return form{kind: wholePointer}, nil
	}
	if t.Kind() == reflect.String {
		return form{kind: texted}, nil
	}
	if t.Kind() == reflect.Pointer {
		f, err := object(t.Elem())
		f.plan = &plan{op: opPointer, typ: t, elem: f.plan}
		return f, err
	}
	return object(t)
}

// reply is a result with room for its single block.
type reply struct {
	result protocol.CallToolResult
	block  [1]protocol.Content
}

func (r *reply) text(s string) *protocol.CallToolResult {
	r.block[0] = protocol.TextContent(s)
	r.result.Content = r.block[:]
	return &r.result
}

// result makes a result from what a function returned.
func (f *form) result(v reflect.Value) (*protocol.CallToolResult, error) {
	switch f.kind {
	case texted:
		return new(reply).text(v.String()), nil
	case block:
		return &protocol.CallToolResult{Content: []protocol.Content{*v.Addr().Interface().(*protocol.Content)}}, nil //nolint:forcetypeassert // its kind
	case blocks:
		return &protocol.CallToolResult{Content: *v.Addr().Interface().(*[]protocol.Content)}, nil //nolint:forcetypeassert // its kind
	case whole:
		return v.Addr().Interface().(*protocol.CallToolResult), nil //nolint:forcetypeassert // its kind
	case wholePointer:
		return *v.Addr().Interface().(**protocol.CallToolResult), nil //nolint:forcetypeassert // its kind
	}
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return nil, nil // no result, which Handlers reports
	}
	text, err := appendValue(nil, f.plan, v, rawjson.DefaultDepth)
	if err != nil {
		return nil, err
	}
	r := new(reply)
	r.result.StructuredContent = jsonrpc.Raw(text)
	return r.text(string(r.result.StructuredContent)), nil
}
