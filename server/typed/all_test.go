package typed_test

import (
	"fmt"
	"math/big"
	"reflect"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server/typed"
)

// What is near a value of a type is read as it was and written again, or refused with the same
// faults.
func TestAllNearValues(t *testing.T) {
	codec, err := typed.NewCodec[everything]()
	if err != nil {
		t.Fatal(err)
	}
	through := func(s string) string {
		v, err := codec.Decode(jsonrpc.Raw(s))
		if err != nil {
			return err.Error()
		}
		raw, err := codec.Encode(v)
		return fmt.Sprint(raw, err)
	}
	others := []string{"null", "0", "-1", "128", "4294967296", "18446744073709551616", "1e400", "1.5", "1e1", "true", `""`, `"a"`, `"\ud800"`, "[]", "[1,2,3]", "{}", `{"a":1,"b":2}`, `"2024-02-29T00:00:00Z"`, `"AA="`}
	const one = `{"bool":true,"i":-9223372036854775808,"i8":-128,"u":18446744073709551615,"f":1e300,"f32":0.5,"s":"x","b":"AAE=","t":"2026-01-01T01:00:00.5+01:00","big":1e30,"dec":-0.5,"n":1.50}`
	const two = `{"raw":[1],"any":{"a":1},"d":"dd","p":{"a":1,"b":2},"l":[{"a":1,"b":2}],"a":[1,2],"m":{"z":1},"def":2,"a/b~c":"y","must":"z"}`
	texts.Same(t, "704 of 704, 3bafac01", texts.Values(others, one, two), through)
	texts.Same(t, "29414 of 29414, 1a907587", texts.Near(`{"i8":-12,"t":"2026-01-01T01:00:00.5+01:00","n":1.5e2,"b":"AAE="}`, `{"p":null,"l":[{"a":1,"b":2}],"m":{"z":1,"é":2}}`), through)
}

// Of what is written on fields, the same is taken and becomes the same schema, for each type.
func TestAllShortTags(t *testing.T) {
	schema := func(typ reflect.Type) func(tag string) string {
		return func(tag string) string {
			if tag == "" {
				return ""
			}
			d, err := typed.Infer(reflect.StructOf([]reflect.StructField{{Name: "F", Type: typ, Tag: reflect.StructTag(`schema:"` + tag + `"`)}, {Name: "G", Type: reflect.TypeFor[int]()}}))
			if err != nil {
				return err.Error()
			}
			raw, err := d.Schema.JSON()
			return fmt.Sprint(raw, err)
		}
	}
	words := []string{"any", "nullable", "required", "optional", "unique", "default=1", "default='a'", "title=t", "pattern=^a", "format=date", "min=1", "max=2.5", "above=0", "below=9", "multipleOf=2", "minLength=1", "maxLength=2", "minItems=1", "maxItems=2",
		"minProps=1", "maxProps=2", "enum=1|2", "enum=a|'b,c'", "const=1", "odd=1", "min", "min=1|2", "title='it''s'", "minLength=-1", ",", " "}
	texts.Same(t, "992 of 993, 6b66f340", texts.Every(2, words...), schema(reflect.TypeFor[int]()))
	texts.Same(t, "992 of 993, 1d22f604", texts.Every(2, words...), schema(reflect.TypeFor[string]()))
	for i := range words {
		words[i] += ","
	}
	pairs := texts.Every(2, words...)
	cut := func(f func(string) string) func(string) string {
		return func(s string) string { return f(s[:max(0, len(s)-1)]) }
	}
	texts.Same(t, "992 of 993, 52068151", pairs, cut(schema(reflect.TypeFor[int8]())))
	texts.Same(t, "992 of 993, f45b3fd3", pairs, cut(schema(reflect.TypeFor[float64]())))
	texts.Same(t, "992 of 993, b44bb0d4", pairs, cut(schema(reflect.TypeFor[*string]())))
	texts.Same(t, "992 of 993, bcfd19c3", pairs, cut(schema(reflect.TypeFor[[]string]())))
	texts.Same(t, "992 of 993, d3ad4e96", pairs, cut(schema(reflect.TypeFor[map[string]int]())))
	texts.Same(t, "992 of 993, 97897839", pairs, cut(schema(reflect.TypeFor[any]())))
	texts.Same(t, "992 of 993, 80982e98", pairs, cut(schema(reflect.TypeFor[time.Time]())))
	texts.Same(t, "992 of 993, 09ca4c71", pairs, cut(schema(reflect.TypeFor[big.Int]())))
	texts.Same(t, "9289 of 9289, 198e8d12", texts.Near("default='a,b',title='it''s',enum=1|2"), schema(reflect.TypeFor[string]()))
}

// Names of fields are read as they were.
func TestAllNearNamesOfFields(t *testing.T) {
	texts.Same(t, "22191 of 22191, 9faedd09", texts.Near(`json:"a,omitempty,string"`, `json:"-,"`, `json:",omitzero" doc:"what \"it\" is" schema:"min=1"`), func(tag string) string {
		d, err := typed.Infer(reflect.StructOf([]reflect.StructField{{Name: "F", Type: reflect.TypeFor[int](), Tag: reflect.StructTag(tag)}, {Name: "G", Type: reflect.TypeFor[string](), Tag: `json:"g"`}}))
		if err != nil {
			return err.Error()
		}
		raw, err := d.Schema.JSON()
		v, err2 := d.Decode(`{"F":1,"g":"x","a":2,"-":3}`)
		if err2 != nil {
			return fmt.Sprint(raw, err, err2)
		}
		out, err3 := d.Encode(v)
		return fmt.Sprint(raw, err, out, err3)
	})
}
