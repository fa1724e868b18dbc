package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// typeRow is a type used in bodies.
type typeRow struct{ Name, Members string }

// newTypes lists the types of members of bodies, and of their members, by name.
func newTypes() (list []typeRow) {
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(t reflect.Type) {
		for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
			t = t.Elem()
		}
		if t.Kind() != reflect.Struct || seen[t] || t == reflect.TypeFor[jsonrpc.ID]() {
			return
		}
		seen[t] = true
		if tagged(t) && !strings.HasSuffix(t.Name(), "Params") && !strings.HasSuffix(t.Name(), "Result") {
			list = append(list, typeRow{t.Name(), structMembers(t)})
		}
		for i := range t.NumField() {
			visit(t.Field(i).Type)
		}
	}
	for _, r := range protocol.AllRevisions() {
		for _, row := range r.Rows() {
			params, result := row.Types()
			visit(reflect.TypeOf(params))
			if result != nil {
				visit(reflect.TypeOf(result))
			}
		}
	}
	slices.SortFunc(list, func(a, b typeRow) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// tagged reports whether the members of a struct are those on the wire.
func tagged(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("json") == "" {
			return false
		}
	}
	return true
}

func members(body any) string { return structMembers(reflect.TypeOf(body)) }

// structMembers lists the members of a struct, required ones in bold, without _meta,
// which all bodies and many types have.
func structMembers(t reflect.Type) string {
	var list []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "_meta" || name == "-" {
			continue
		}
		if options == "" {
			name = "**" + name + "**"
		}
		list = append(list, name+" "+word(f.Type, f.Tag.Get("mcp")))
	}
	return strings.Join(list, ", ")
}

// word is the name of a type in JSON.
func word(t reflect.Type, rule string) string {
	switch {
	case t == reflect.TypeFor[protocol.Raw]() && rule == "object":
		return "object"
	case t == reflect.TypeFor[protocol.Raw]() && rule == "schema":
		return "JSON Schema"
	case t == reflect.TypeFor[protocol.Raw]():
		return "any"
	case t == reflect.TypeFor[jsonrpc.ID]():
		return "string or integer"
	case t == reflect.TypeFor[protocol.Cursor]():
		return "string"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return word(t.Elem(), rule)
	case reflect.Slice:
		return word(t.Elem(), rule) + "[]"
	case reflect.Map:
		return "map to " + word(t.Elem(), rule)
	case reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		if t.PkgPath() == "" {
			return "string"
		}
	}
	return t.Name()
}
