package typed

import (
	"errors"
	"reflect"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema/build"
)

// SchemaFor returns the schema of the JSON that a T is read from and written as. It fails for a
// type that this package does not support.
func SchemaFor[T any]() (build.Schema, error) {
	s, err := newInference().whole(reflect.TypeFor[T]())
	return s.schema, err
}

// Codec reads and writes values of one type. It is immutable and may be shared by goroutines. The
// zero Codec is not usable; see NewCodec.
type Codec[T any] struct {
	plan   *plan
	schema build.Schema
}

// NewCodec returns the Codec of a type. It fails for a type that this package does not support.
func NewCodec[T any]() (Codec[T], error) {
	s, err := newInference().whole(reflect.TypeFor[T]())
	return Codec[T]{s.plan, s.schema}, err
}

// Schema returns the schema of the type.
func (c Codec[T]) Schema() build.Schema { return c.schema }

// Decode reads JSON. The error is schema.ArgumentErrors; the T then has the readable parts. Texts
// in it share the memory of raw.
func (c Codec[T]) Decode(raw jsonrpc.Raw) (v T, err error) {
	if c.plan == nil {
		return v, errZero
	}
	err = read(string(raw), c.plan, reflect.ValueOf(&v).Elem())
	return v, err
}

// Encode writes a value as JSON. It fails for a number or a time that JSON cannot represent, for a
// Raw that is not JSON, and for a value that contains itself.
func (c Codec[T]) Encode(v T) (jsonrpc.Raw, error) {
	if c.plan == nil {
		return "", errZero
	}
	text, err := appendValue(nil, c.plan, reflect.ValueOf(&v).Elem(), rawjson.DefaultDepth)
	if err != nil {
		return "", err
	}
	return jsonrpc.Raw(text), nil
}

var errZero = errors.New("typed: a Codec that NewCodec did not make")
