package model

import (
	"reflect"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// Scribble overwrites everything that v leads to: targets of pointers, elements of
// slices and maps, at any depth. It cannot reach the v of a caller who passed
// a value, and unexported fields.
func Scribble(v any) { scribble(reflect.ValueOf(v)) }

func scribble(v reflect.Value) {
	if v.CanSet() {
		switch v.Kind() {
		case reflect.String:
			v.SetString("spoiled")
			return
		case reflect.Bool:
			v.SetBool(!v.Bool())
			return
		case reflect.Int, reflect.Int8, reflect.Int64:
			v.SetInt(-77)
			return
		case reflect.Uint8, reflect.Uint32, reflect.Uint64:
			v.SetUint(77)
			return
		case reflect.Float64:
			v.SetFloat(-77)
			return
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[jsonrpc.ID]() && v.CanSet() {
			v.Set(reflect.ValueOf(jsonrpc.Int(-77)))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				scribble(v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			v = v.Slice(0, v.Cap())
		}
		for i := range v.Len() {
			scribble(v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			v.SetMapIndex(key, reflect.Zero(v.Type().Elem()))
		}
	}
}

// ScribbleOutput overwrites the lists of an Output, up to their capacity: they belong to the
// caller. The content of a Cause or an Error may be shared and stays.
func ScribbleOutput(out *lifecycle.Output) {
	spoiled := jsonrpc.Message{Kind: jsonrpc.KindError, ID: jsonrpc.Int(-77), Method: "spoiled", Body: "spoiled"}
	send := out.Send[:cap(out.Send)]
	for i := range send {
		send[i] = lifecycle.Outgoing{Message: spoiled, Call: lifecycle.MakeCall(nil, 77, 77), Final: true}
	}
	events := out.Events[:cap(out.Events)]
	for i := range events {
		events[i] = lifecycle.Event{
			Kind: lifecycle.KindUser, Call: lifecycle.MakeCall(nil, 77, 77), Req: lifecycle.MakeReq(nil, 77), Method: "spoiled",
		}
	}
}
