package typed_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server/typed"
)

// tree contains itself.
type tree struct {
	Leaf string           `json:"leaf"`
	Sons []*tree          `json:"sons,omitempty"`
	Next *tree            `json:"next"`
	By   map[string]*tree `json:"by,omitempty"`
}

var leaves = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int64](), reflect.TypeFor[uint8](),
	reflect.TypeFor[uint16](), reflect.TypeFor[uint64](), reflect.TypeFor[float64](), reflect.TypeFor[float32](), reflect.TypeFor[string](),
	reflect.TypeFor[[]byte](), reflect.TypeFor[time.Time](), reflect.TypeFor[typed.Number](), reflect.TypeFor[jsonrpc.Raw](),
	reflect.TypeFor[tree](), reflect.TypeFor[struct{}](),
}

// types draws a type that has a schema.
func types(t *rapid.T, depth int, label string) reflect.Type {
	kinds := []string{"leaf", "leaf", "slice", "array", "map", "pointer", "struct"}
	if depth == 0 {
		kinds = kinds[:1]
	}
	switch rapid.SampledFrom(kinds).Draw(t, label) {
	case "slice":
		return reflect.SliceOf(types(t, depth-1, label+"[]"))
	case "array":
		return reflect.ArrayOf(rapid.IntRange(0, 3).Draw(t, label+" n"), types(t, depth-1, label+"[n]"))
	case "map":
		return reflect.MapOf(reflect.TypeFor[string](), types(t, depth-1, label+"{}"))
	case "pointer":
		for {
			if e := types(t, depth-1, label+"*"); e.Kind() != reflect.Pointer {
				return reflect.PointerTo(e)
			}
		}
	case "struct":
		return structs(t, depth, label)
	}
	return rapid.SampledFrom(leaves).Draw(t, label+" leaf")
}

// structs draws a struct type.
func structs(t *rapid.T, depth int, label string) reflect.Type {
	var fields []reflect.StructField
	n := rapid.IntRange(0, 12).Draw(t, label+" fields")
	if depth < 3 {
		n = min(n, 3)
	}
	for i := range n {
		name := fmt.Sprintf("F%d", i)
		json := rapid.SampledFrom([]string{"", "a%d", "a%d,omitempty", "a%d,omitzero", "ä/~%d", ",omitempty"}).Draw(t, label+name+" json")
		if strings.Contains(json, "%d") {
			json = fmt.Sprintf(json, i)
		}
		words := rapid.SampledFrom([]string{"", "", "optional", "nullable"}).Draw(t, label+name+" schema")
		fields = append(fields, reflect.StructField{
			Name: name, Type: types(t, depth-1, label+name),
			Tag: reflect.StructTag(fmt.Sprintf("json:%q schema:%q", json, words)),
		})
	}
	return reflect.StructOf(fields)
}

// fill draws a value into v.
func fill(t *rapid.T, v reflect.Value, depth int) {
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Unix(rapid.Int64Range(-6e10, 2e11).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
		return
	case *typed.Number:
		*x = typed.Number(rapid.SampledFrom([]string{"0", "1.0", "-1e400", "12345678901234567890.5"}).Draw(t, "number"))
		return
	case *jsonrpc.Raw:
		if *x = document(t, 2); *x == "null" {
			*x = "0" // behind a pointer null is nil
		}
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n := rapid.Int64().Draw(t, "int")
		v.SetInt(n >> (64 - v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "uint") >> (64 - v.Type().Bits()))
	case reflect.Float32:
		v.SetFloat(float64(rapid.Float32().Draw(t, "float32")))
	case reflect.Float64:
		v.SetFloat(rapid.Float64().Draw(t, "float64"))
	case reflect.String:
		v.SetString(rapid.String().Draw(t, "string"))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(append([]byte(nil), rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "bytes")...))
			return
		}
		for range rapid.IntRange(0, max(depth, 0)).Draw(t, "len") {
			e := reflect.New(v.Type().Elem()).Elem()
			fill(t, e, depth-1)
			v.Set(reflect.Append(v, e))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), depth-1)
		}
	case reflect.Map:
		for range rapid.IntRange(0, max(depth, 0)).Draw(t, "len") {
			if v.IsNil() {
				v.Set(reflect.MakeMap(v.Type()))
			}
			e := reflect.New(v.Type().Elem()).Elem()
			fill(t, e, depth-1)
			v.SetMapIndex(reflect.ValueOf(rapid.String().Draw(t, "key")), e)
		}
	case reflect.Pointer:
		if depth > 0 && rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), depth-1)
		}
	}
}

// document draws any JSON, mostly what a type may have.
func document(t *rapid.T, depth int) jsonrpc.Raw {
	texts := []string{`null`, `true`, `0`, `-1`, `1.0`, `2.5`, `255`, `256`, `""`, `"a"`, `"YQ=="`, `"2026-01-01T00:00:00Z"`, `[]`, `{}`}
	if depth > 0 {
		switch rapid.IntRange(0, 2).Draw(t, "nests") {
		case 0:
			var b []byte
			for i := range rapid.IntRange(0, 3).Draw(t, "elements") {
				if i > 0 {
					b = append(b, ',')
				}
				b = append(b, document(t, depth-1)...)
			}
			return jsonrpc.Raw("[" + string(b) + "]")
		case 1:
			var b []byte
			for i := range rapid.IntRange(0, 3).Draw(t, "members") {
				if i > 0 {
					b = append(b, ',')
				}
				b = fmt.Appendf(b, `"%s%d":%s`, rapid.SampledFrom([]string{"a", "F", "leaf", "ä/~"}).Draw(t, "name"), i, document(t, depth-1))
			}
			return jsonrpc.Raw("{" + string(b) + "}")
		}
	}
	return jsonrpc.Raw(rapid.SampledFrom(texts).Draw(t, "text"))
}

// change draws a value that differs from raw in one place.
func change(t *rapid.T, raw string) string {
	if o, ok := rawjson.Members(raw); ok && raw != "{}" && rapid.IntRange(0, 4).Draw(t, "deeper") > 0 {
		var b []byte
		var names, values []string
		for {
			name, val, more := o.Next()
			if !more {
				break
			}
			names, values = append(names, name), append(values, val)
		}
		i := rapid.IntRange(0, len(names)-1).Draw(t, "member")
		switch rapid.IntRange(0, 5).Draw(t, "how") {
		case 0:
			names, values = append(names[:i], names[i+1:]...), append(values[:i], values[i+1:]...)
		case 1:
			names[i] += "x"
		case 2:
			names[i] = strings.ToUpper(names[i])
		default:
			values[i] = change(t, values[i])
		}
		for i := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(rawjson.AppendQuote(b, names[i]), ':'), values[i]...)
		}
		return "{" + string(b) + "}"
	}
	if a, ok := rawjson.Elements(raw); ok && raw != "[]" && rapid.IntRange(0, 4).Draw(t, "deeper") > 0 {
		var values []string
		for {
			val, more := a.Next()
			if !more {
				break
			}
			values = append(values, val)
		}
		i := rapid.IntRange(0, len(values)-1).Draw(t, "element")
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			values = append(values[:i], values[i+1:]...)
		case 1:
			values = append(values, values[i])
		default:
			values[i] = change(t, values[i])
		}
		return "[" + strings.Join(values, ",") + "]"
	}
	return string(document(t, 1))
}

// unsaid reports whether all that is wrong is what JSON Schema does not say.
func unsaid(err error) bool {
	var list schema.ArgumentErrors
	if !errors.As(err, &list) {
		return false
	}
	for _, e := range list {
		switch {
		case e.Kind == schema.ArgumentRange, e.Kind == schema.ArgumentText, e.Kind == schema.ArgumentRepeated:
		case strings.Contains(e.Want, "base64"), strings.Contains(e.Want, "RFC 3339"):
		default:
			return false
		}
	}
	return true
}

// What the schema of a type accepts is read, and what it refuses is not, for random types and
// values; a value that is written is accepted, and reads back as itself.
func TestSchemaAndDecodeAgree(t *testing.T) {
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		d, err := typed.Infer(structs(t, 3, "T"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := d.Schema.JSON()
		if err != nil {
			t.Fatal(err)
		}
		check, err := schema.Compile(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		v := reflect.New(d.Type)
		fill(t, v.Elem(), 3)
		raw, err := d.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := check.Validate(raw); err != nil {
			t.Fatalf("%s\n%s: %v", text, raw, err)
		}
		w, err := d.Decode(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		again, err := d.Encode(w)
		if err != nil || again != raw {
			t.Fatalf("%s became %s, %v", raw, again, err)
		}
		if diff := cmp.Diff(v.Interface(), w.Interface(), cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) }), emptyIsNil); diff != "" {
			t.Fatal(diff)
		}
		for range 8 {
			other := jsonrpc.Raw(change(t, string(raw)))
			_, err := d.Decode(other)
			valid := check.Validate(other) == nil
			switch {
			case valid && err != nil && !unsaid(err):
				t.Fatalf("%s\naccepts %s, which is not read: %v", text, other, err)
			case !valid && err == nil:
				t.Fatalf("%s\nrefuses %s, which is read", text, other)
			}
			if valid {
				accepted++
			} else {
				refused++
			}
		}
	})
	if accepted < 20 || refused < 20 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}

// emptyIsNil compares what omitempty leaves out with what was there.
var emptyIsNil = cmp.FilterValues(func(a, b any) bool {
	v, w := reflect.ValueOf(a), reflect.ValueOf(b)
	if !v.IsValid() || !w.IsValid() || v.Type() != w.Type() {
		return false
	}
	switch v.Kind() {
	case reflect.Slice, reflect.Map:
		return v.Len() == 0 && w.Len() == 0
	case reflect.Float64, reflect.Float32:
		return v.Float() == 0 && w.Float() == 0 || math.IsNaN(v.Float())
	}
	return false
}, cmp.Comparer(func(_, _ any) bool { return true }))
