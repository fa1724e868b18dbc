package typed

import (
	"reflect"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema/build"
)

// Dynamic is a Codec of a type that is known at run time alone.
type Dynamic struct {
	Type   reflect.Type
	Schema build.Schema
	plan   *plan
}

// Infer returns the Dynamic of a type.
func Infer(t reflect.Type) (Dynamic, error) {
	s, err := newInference().whole(t)
	return Dynamic{t, s.schema, s.plan}, err
}

// Decode returns a pointer to what was read.
func (d Dynamic) Decode(raw jsonrpc.Raw) (reflect.Value, error) {
	v := reflect.New(d.Type)
	return v, read(string(raw), d.plan, v.Elem())
}

// Encode writes what v points to.
func (d Dynamic) Encode(v reflect.Value) (jsonrpc.Raw, error) {
	text, err := appendValue(nil, d.plan, v.Elem(), rawjson.DefaultDepth)
	return jsonrpc.Raw(text), err
}
