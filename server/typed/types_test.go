package typed_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/typed"
)

type inner struct {
	A int `json:"a"`
	B int `json:"b"`
}

type outer struct {
	inner
	B    string `json:"b"`
	Skip int    `json:"-"`
	Dash int    `json:"-,"` //nolint:staticcheck // that is the test
}

type pair[T any] struct {
	Left  T        `json:"left"`
	Right *pair[T] `json:"right,omitempty"`
}

type mutual struct{ Back []other }

type other struct{ Forth map[string]mutual }

type day int

func (d day) MarshalText() ([]byte, error) { return []byte(strings.Repeat("d", int(d))), nil }

func (d *day) UnmarshalText(text []byte) error {
	if len(text) > 6 {
		return json.Unmarshal(text, new(int))
	}
	*d = day(len(text))
	return nil
}

func text[T any](t *testing.T) string {
	t.Helper()
	s, err := typed.SchemaFor[T]()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// The schema of each type that has one.
func TestSchemas(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{text[int](t), `{"type":"integer"}`},
		{text[int8](t), `{"type":"integer","minimum":-128,"maximum":127}`},
		{text[int32](t), `{"type":"integer","minimum":-2147483648,"maximum":2147483647}`},
		{text[uint](t), `{"type":"integer","minimum":0}`},
		{text[uint64](t), `{"type":"integer","minimum":0}`},
		{text[uint16](t), `{"type":"integer","minimum":0,"maximum":65535}`},
		{text[float32](t), `{"type":"number"}`},
		{text[[]byte](t), `{"type":"string","contentEncoding":"base64"}`},
		{text[time.Time](t), `{"type":"string","format":"date-time"}`},
		{text[big.Int](t), `{"type":"integer"}`},
		{text[*big.Float](t), `{"type":["number","null"]}`},
		{text[json.Number](t), `{"type":"number"}`},
		{text[typed.Number](t), `{"type":"number"}`},
		{text[jsonrpc.Raw](t), `{}`},
		{text[json.RawMessage](t), `{}`},
		{text[netip.Addr](t), `{"type":"string"}`},
		{text[day](t), `{"type":"string"}`},
		{text[[2]bool](t), `{"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2}`},
		{text[map[string][]int](t), `{"type":"object","additionalProperties":{"type":"array","items":{"type":"integer"}}}`},
		{text[struct{}](t), `{"type":"object","properties":{},"additionalProperties":false}`},
		{text[outer](t), `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"-":{"type":"integer"}},"required":["a","b","-"],"additionalProperties":false}`},
		{text[struct {
			A *int              `doc:"A, or none"`
			B string            `json:"b,omitempty" schema:"minLength=1,maxLength=3,pattern='^a{1,2}|b$',format=x,title='It''s'"`
			C []int             `json:",omitzero" schema:"minItems=1,maxItems=2,unique,items.min=0,items.max=9,nullable"`
			D float64           `schema:"above=0,below=10,multipleOf=0.5,default=1.5,examples=2|3"`
			E map[string]string `schema:"minProps=1,maxProps=2,items.enum=a|b"`
			F *string           `schema:"required,enum=x|'y,z'"`
			G any               `schema:"any,optional"`
			H []any             `schema:"any"`
			I [][]*int8         `schema:"items.items.min=1,items.maxItems=4"`
		}](t), `{"type":"object","properties":{` +
			`"A":{"type":["integer","null"],"description":"A, or none"},` +
			`"b":{"type":"string","title":"It's","minLength":1,"maxLength":3,"pattern":"^a{1,2}|b$","format":"x"},` +
			`"C":{"type":["array","null"],"items":{"type":"integer","minimum":0,"maximum":9},"minItems":1,"maxItems":2,"uniqueItems":true},` +
			`"D":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":10,"multipleOf":0.5,"default":1.5,"examples":[2,3]},` +
			`"E":{"type":"object","additionalProperties":{"type":"string","enum":["a","b"]},"minProperties":1,"maxProperties":2},` +
			`"F":{"type":["string","null"],"enum":["x","y,z",null]},"G":{},"H":{"type":"array","items":{}},` +
			`"I":{"type":"array","items":{"type":"array","items":{"type":["integer","null"],"minimum":1,"maximum":127},"maxItems":4}}},` +
			`"required":["E","F","H","I"],"additionalProperties":false}`},
		{text[wide](t), `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`},
		{text[pair[int]](t), `{"type":"object","properties":{"left":{"type":"integer"},"right":{"anyOf":[{"$ref":"#/$defs/pair"},{"type":"null"}]}},"required":["left"],"additionalProperties":false,` +
			`"$defs":{"pair":{"type":"object","properties":{"left":{"type":"integer"},"right":{"anyOf":[{"$ref":"#/$defs/pair"},{"type":"null"}]}},"required":["left"],"additionalProperties":false}}}`},
		{text[struct {
			P pair[bool]
			Q pair[int] `doc:"the other"`
			M mutual
		}](t), `{"type":"object","properties":{"P":{"$ref":"#/$defs/pair"},"Q":{"$ref":"#/$defs/pair2","description":"the other"},"M":{"$ref":"#/$defs/mutual"}},"required":["P","Q","M"],"additionalProperties":false,"$defs":{` +
			`"pair":{"type":"object","properties":{"left":{"type":"boolean"},"right":{"anyOf":[{"$ref":"#/$defs/pair"},{"type":"null"}]}},"required":["left"],"additionalProperties":false},` +
			`"pair2":{"type":"object","properties":{"left":{"type":"integer"},"right":{"anyOf":[{"$ref":"#/$defs/pair2"},{"type":"null"}]}},"required":["left"],"additionalProperties":false},` +
			`"mutual":{"type":"object","properties":{"Back":{"type":"array","items":{"type":"object","properties":{"Forth":{"type":"object","additionalProperties":{"$ref":"#/$defs/mutual"}}},"required":["Forth"],"additionalProperties":false}}},"required":["Back"],"additionalProperties":false}}}`},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}

// wide has other members.
type wide struct {
	_ struct{} `schema:"open"`
	A int      `json:"a"`
}

// Other members are allowed where the type says so, and not read.
func TestOpen(t *testing.T) {
	c, err := typed.NewCodec[[]wide]()
	if err != nil {
		t.Fatal(err)
	}
	if v, err := c.Decode(`[{"b":1,"a":2,"b":{}}]`); err != nil || v[0].A != 2 {
		t.Errorf("%v, %v", v, err)
	}
	if _, err := c.Decode(`[{"b":1,"a":2,"b":{]}]`); err == nil {
		t.Error("it reads what is no JSON")
	}
	if _, err := typed.NewCodec[struct {
		_ struct{} `schema:"closed"`
		A int
	}](); err == nil {
		t.Error("closed is no word")
	}
	if _, err := typed.NewCodec[struct {
		_ struct{} `schema:"open"`
	}](); err != nil {
		t.Error(err)
	}
}

type (
	lists    []lists
	pointers *pointers
	maps     map[string][]maps
	nodes    []node
	node     struct {
		Sons nodes            `json:"sons"`
		By   map[string]nodes `json:"by"`
	}
)

// A type may contain itself, if there is a struct between.
func TestTypesThatContainThemselves(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[lists](), reflect.TypeFor[pointers](), reflect.TypeFor[maps](), reflect.TypeFor[struct{ A lists }]()} {
		if _, err := typed.Infer(typ); err == nil || !strings.Contains(err.Error(), "contains itself") {
			t.Errorf("%v: %v", typ, err)
		}
	}
	for _, text := range []string{text[nodes](t), text[node](t), text[map[string]nodes](t)} {
		if !strings.Contains(text, `"$defs":{"node":`) {
			t.Errorf("%s", text)
		}
	}
	c, err := typed.NewCodec[nodes]()
	if err != nil {
		t.Fatal(err)
	}
	const raw = `[{"sons":[{"sons":[],"by":{"a":[]}}],"by":{}}]`
	v, err := c.Decode(raw)
	if again, err2 := c.Encode(v); err != nil || err2 != nil || again != raw {
		t.Errorf("%s, %v, %v", again, err, err2)
	}
}

type deep struct{ X, Y int }

type deeper struct{ deep }

type beside struct{ X, Z int }

// Of fields with one name the less deep counts, in whatever order they stand.
func TestEmbedding(t *testing.T) {
	type first struct {
		deeper
		deep
		beside
		X string
	}
	type last struct {
		X string
		beside
		deep
		deeper
	}
	const want = `"Z":{"type":"integer"}`
	for _, got := range []string{text[first](t), text[last](t)} {
		if strings.Count(got, `"X":`) != 1 || strings.Count(got, `"Y":`) != 1 || !strings.Contains(got, want) || !strings.Contains(got, `"X":{"type":"string"}`) {
			t.Errorf("%s", got)
		}
	}
	if _, err := typed.SchemaFor[struct {
		deep
		beside
	}](); err == nil || !strings.Contains(err.Error(), `"X" is the name of two fields`) {
		t.Errorf("%v", err)
	}
	c, err := typed.NewCodec[first]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Decode(`{"X":"x","Y":1,"Z":2}`)
	if err != nil || v.X != "x" || v.deep.Y != 1 || v.Z != 2 || v.deep.X != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	if raw, err := c.Encode(v); err != nil || raw != `{"Y":1,"Z":2,"X":"x"}` {
		t.Errorf("%s, %v", raw, err)
	}
}

// A struct may have many fields, and other ways to keep JSON.
func TestManyFields(t *testing.T) {
	var fields []reflect.StructField
	for i := range 130 {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[json.RawMessage]()})
	}
	d, err := typed.Infer(reflect.StructOf(fields))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range 130 {
		fmt.Fprintf(&b, `,"F%d":[%d]`, i, i)
	}
	raw := jsonrpc.Raw("{" + b.String()[1:] + "}")
	v, err := d.Decode(raw)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := d.Encode(v); err != nil || again != raw {
		t.Errorf("%s, %v", again, err)
	}
	if _, err := d.Decode(raw[:len(raw)-1] + `,"F129":1}`); err == nil || err.Error() != `"/F129" is given more than once` {
		t.Errorf("%v", err)
	}
	c, err := typed.NewCodec[[]json.Number]()
	if err != nil {
		t.Fatal(err)
	}
	if text, err := c.Schema().JSON(); err != nil || text != `{"type":"array","items":{"type":"number"}}` {
		t.Errorf("%s, %v", text, err)
	}
	for _, bad := range []jsonrpc.Raw{"[", "[1", "[1,", "[,", "[1 2]"} {
		if _, err := c.Decode(bad); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// Types without a schema, and tags that say what cannot be, are errors.
func TestRefusedTypes(t *testing.T) {
	type b1 struct{ A, B, C, D, E, F, G, H, I, J []inner }
	type b2 struct{ A, B, C, D, E, F, G, H, I, J []b1 }
	type b3 struct{ A, B, C, D, E, F, G, H, I, J []b2 }
	for want, typ := range map[string]reflect.Type{
		"no JSON form":              reflect.TypeFor[chan int](),
		"A: func() has no":          reflect.TypeFor[struct{ A func() }](),
		"complex128 has no":         reflect.TypeFor[[]complex128](),
		"uintptr has no":            reflect.TypeFor[map[string]uintptr](),
		"interface with methods":    reflect.TypeFor[struct{ A error }](),
		"say any":                   reflect.TypeFor[struct{ A any }](),
		"or say any":                reflect.TypeFor[map[string]any](),
		"pointer to a pointer":      reflect.TypeFor[**int](),
		"keys that are not strings": reflect.TypeFor[map[int]int](),
		"time.Duration":             reflect.TypeFor[struct{ A time.Duration }](),
		"JSON form of its own":      reflect.TypeFor[struct{ A []protocol.Content }](),
		"jsonrpc.Error has a JSON": reflect.TypeFor[struct {
			A jsonrpc.Error `schema:"optional"`
			B jsonrpc.ID
		}](),
		"no agreed JSON form": reflect.TypeFor[[]time.Duration](),
		"embedded":            reflect.TypeFor[struct{ *inner }](),
		"two fields":          reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[int](), Tag: `json:"x"`}, {Name: "B", Type: reflect.TypeFor[int](), Tag: `json:"x"`}}),
		"not known": reflect.TypeFor[struct {
			A int `json:"a,string"`
		}](),
		`"colour", which is not known; a value with a comma stands in single quotes`: reflect.TypeFor[struct {
			A int `schema:"colour=red"`
		}](),
		"has items., and the type has no items": reflect.TypeFor[struct {
			A []int `schema:"items.items.min=1"`
		}](),
		`"enum", which is not known`: reflect.TypeFor[struct {
			A int `schema:"enum"`
		}](),
		"with 0 values, not 1": reflect.TypeFor[struct {
			A int `schema:"min"`
		}](),
		"with 2 values, not 0": reflect.TypeFor[struct {
			A int `schema:"optional=1|2"`
		}](),
		"want a number": reflect.TypeFor[struct {
			A string `schema:"minLength=x"`
		}](),
		"it is not a number": reflect.TypeFor[struct {
			A int `schema:"min="`
		}](),
		"keywords for strings": reflect.TypeFor[struct {
			A int `schema:"minLength=1"`
		}](),
		"quote that does not end": reflect.TypeFor[struct {
			A string `schema:"title='x"`
		}](),
		"after a quoted value": reflect.TypeFor[struct {
			A string `schema:"title='x'y"`
		}](),
		"ends with a comma": reflect.TypeFor[struct {
			A string `schema:"title=x,"`
		}](),
		`/properties/A/minimum`: reflect.TypeFor[struct {
			A int `schema:"min=2,max=1"`
		}](),
		"the default": reflect.TypeFor[struct {
			A int `schema:"default=x"`
		}](),
		"A/default": reflect.TypeFor[struct {
			A int `schema:"default=3,max=2"`
		}](),
		"may be left out": reflect.TypeFor[struct {
			A int `json:",omitempty" schema:"required"`
		}](),
		"has any, and": reflect.TypeFor[struct {
			A int `schema:"any"`
		}](),
		"the type has no items": reflect.TypeFor[struct {
			A int `schema:"items.min=1"`
		}](),
		"cannot be the name": reflect.TypeFor[struct {
			A int "json:\"a\\\"b\""
		}](),
		"has a tag, and is not": reflect.TypeFor[struct {
			A int "json:\"-\" doc:\"x\""
		}](),
		"no fields that can be": reflect.TypeFor[struct{ a int }](),
		"more than 10000 parts": reflect.TypeFor[struct{ A, B, C b3 }](),
	} {
		_, err := typed.Infer(typ)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", typ, err, want)
		}
	}
}
