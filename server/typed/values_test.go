package typed_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

type everything struct {
	Bool bool           `json:"bool,omitzero"`
	I    int64          `json:"i,omitzero"`
	I8   int8           `json:"i8,omitzero"`
	U    uint64         `json:"u,omitzero"`
	F    float64        `json:"f,omitzero"`
	F32  float32        `json:"f32,omitzero"`
	S    string         `json:"s,omitzero"`
	B    []byte         `json:"b,omitzero"`
	T    time.Time      `json:"t,omitzero"`
	Big  *big.Int       `json:"big,omitzero"`
	Dec  big.Float      `json:"dec,omitzero"`
	N    typed.Number   `json:"n,omitzero"`
	Raw  jsonrpc.Raw    `json:"raw,omitzero"`
	Any  any            `json:"any,omitzero" schema:"any"`
	D    day            `json:"d,omitzero"`
	P    *inner         `json:"p,omitzero"`
	L    []inner        `json:"l,omitzero"`
	A    [2]int         `json:"a,omitzero"`
	M    map[string]int `json:"m,omitzero" schema:"nullable"`
	Def  int            `json:"def" schema:"default=7"`
	Odd  string         `json:"a/b~c,omitzero"`
	Must *string        `json:"must,omitzero"`
}

// Each value is read exactly, and each fault has its place, its kind and nothing of the value.
func TestDecode(t *testing.T) {
	codec, err := typed.NewCodec[everything]()
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		`{"i":9007199254740993,"u":18446744073709551615,"i8":-128}`: `{"i":9007199254740993,"i8":-128,"u":18446744073709551615,"def":7}`,
		` { "i" : -9223372036854775808 , "s" : "\u0061\n" } `:       `{"i":-9223372036854775808,"s":"a\n","def":7}`,
		`{"i":1e3,"u":1.8446744073709551615e19,"i8":1.0}`:           `{"i":1000,"i8":1,"u":18446744073709551615,"def":7}`,
		`{"big":1e30,"dec":-0.5,"n":1.50,"f":1e21,"f32":0.1}`:       `{"f":1e+21,"f32":0.1,"big":1000000000000000000000000000000,"dec":-0.5,"n":1.50,"def":7}`,
		`{"big":-0,"dec":0}`:                                        `{"big":0,"dec":0,"def":7}`,
		`{"raw":[1, 2],"any":{"a" :1},"m":null,"p":null}`:           `{"raw":[1, 2],"any":{"a" :1},"def":7}`,
		`{"t":"2026-01-01T01:00:00.5+01:00","b":"AAE=","d":"dd"}`:   `{"b":"AAE=","t":"2026-01-01T01:00:00.5+01:00","d":"dd","def":7}`,
		`{"l":[{"a":1,"b":2}],"a":[1,2],"m":{"z":1,"a":2},"def":0}`: `{"l":[{"a":1,"b":2}],"a":[1,2],"m":{"a":2,"z":1},"def":0}`,
		`{"must":null}`: `{"def":7}`,

		// Faults.
		`{"i":9223372036854775808}`:  `/i out of range an integer of 64 bits`,
		`{"i8":128}`:                 `/i8 out of range an integer of 8 bits`,
		`{"i":1e999999999999}`:       `/i out of range an integer of 64 bits`,
		`{"i":1.5}`:                  `/i of another type an integer`,
		`{"i":"1"}`:                  `/i of another type an integer`,
		`{"u":-1}`:                   `/u out of range an integer of 64 bits that is not negative`,
		`{"u":18446744073709551616}`: `/u out of range an integer of 64 bits that is not negative`,
		`{"u":1e19999}`:              `/u out of range an integer of 64 bits that is not negative`,
		`{"f":1e309}`:                `/f out of range a number of 64 bits`,
		`{"f32":1e39}`:               `/f32 out of range a number of 32 bits`,
		`{"big":1e4096}`:             `/big out of range an integer of at most 4096 digits`,
		`{"dec":1e-4097}`:            `/dec out of range a number of at most 4096 digits`,
		`{"bool":1,"s":1,"b":1,"t":1,"l":{},"p":[],"n":""}`:  `/bool of another type a boolean; /s of another type a string; /b of another type a string of base64; /t of another type a string with a date and a time as in RFC 3339; /l of another type an array; /p of another type an object; /n of another type a number`,
		`{"bool":null,"l":null,"raw":null}`:                  `/bool null a boolean; /l null an array`,
		`{"b":"A","t":"2026-01-01 00:00:00Z","d":"x234567"}`: `/b of another type a string of base64; /t of another type a string with a date and a time as in RFC 3339; /d of another type a day`,
		`{"t":"2026-01-01T1:00:00.00Z","b":"AA\nE="}`:        `/t of another type a string with a date and a time as in RFC 3339; /b of another type a string of base64`,
		`{"s":"\ud800"}`:                              `/s a string with an unpaired surrogate `,
		`{"S":"a","secret":1,"secret":2}`:             `/S not expected ; /secret not expected ; /secret given more than once `,
		`{"s":"a","s":"a"}`:                           `/s given more than once `,
		`{"m":{"a":1,"\u0061":2,"\ud800":3,"b":"x"}}`: `/m/a given more than once ; /m/` + "\ufffd" + ` a string with an unpaired surrogate ; /m/b of another type an integer`,
		`{"\ud800":1}`:                                "/\ufffd not expected ",
		`{"a":[1],"l":[{"a":1},{"a":1,"b":2,"c":3}]}`: `/a out of range an array of 2 elements; /l/0/b missing an integer; /l/1/c not expected `,
		`{"a":[1,2,3]}`:                               `/a out of range an array of 2 elements`,
		`{"a/b~c":1}`:                                 `/a~1b~0c of another type a string`,
		`[]`:                                          ` of another type an object`,
		`null`:                                        ` null an object`,
		``:                                            ` not valid JSON `,
		`{"i":1`:                                      ` not valid JSON `,
		`{"i":1,}`:                                    ` not valid JSON `,
		`{"i":1}}`:                                    ` not valid JSON `,
		`{"i" 1}`:                                     ` not valid JSON `,
		`{"l":[`:                                      ` not valid JSON `,
		`{"l":[{"a":1 "b":2}]}`:                       ` not valid JSON `,
		`{"a":[1`:                                     ` not valid JSON `,
		`{"a":[1;2]}`:                                 ` not valid JSON `,
		`{"x":`:                                       ` not valid JSON `,
		`{"i":01}`:                                    ` not valid JSON `,
	} {
		v, err := codec.Decode(jsonrpc.Raw(raw))
		var got string
		var list schema.ArgumentErrors
		switch {
		case errors.As(err, &list):
			var parts []string
			for _, e := range list {
				parts = append(parts, e.Path+" "+e.Kind.String()+" "+e.Want)
			}
			got = strings.Join(parts, "; ")
		case err != nil:
			t.Errorf("%s: %v", raw, err)
		default:
			text, err := codec.Encode(v)
			if got = string(text); err != nil {
				t.Errorf("%s: %v", raw, err)
			}
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", raw, got, want)
		}
	}
}

// A fault says what is there, and what could be.
func TestHints(t *testing.T) {
	codec, err := typed.NewCodec[inner]()
	if err != nil {
		t.Fatal(err)
	}
	const want = `"/A" is not expected (allowed: "a", "b"); "/b" is not an integer but an array; "/a" is missing: want an integer (present: "A")`
	if _, err := codec.Decode(`{"A":1,"b":[]}`); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	for raw, got := range map[jsonrpc.Raw]string{`{"a":{},"b":1}`: "object", `{"a":"","b":1}`: "string", `{"a":true,"b":1}`: "boolean", `{"a":1.5,"b":1}`: "number"} {
		var e *schema.ArgumentError
		if _, err := codec.Decode(raw); !errors.As(err, &e) || e.Got != got {
			t.Errorf("%s: %+v", raw, e)
		}
	}
}

// Arguments that are deep, huge or many cost no more than their size, and faults are few and
// short.
func TestHostileArguments(t *testing.T) {
	codec, err := typed.NewCodec[tree]()
	if err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat(`{"leaf":"","next":`, 600) + `null` + strings.Repeat(`}`, 600)
	var list schema.ArgumentErrors
	if _, err := codec.Decode(jsonrpc.Raw(deep)); !errors.As(err, &list) || list[0].Kind != schema.ArgumentSyntax || len(list) != 1 {
		t.Errorf("%v", err)
	}
	long := `{"leaf":"","` + strings.Repeat("é", 1<<20) + `":1` + strings.Repeat(`,"x":1`, 1000) + `}`
	if _, err := codec.Decode(jsonrpc.Raw(long)); !errors.As(err, &list) || len(list) != 16 || len(err.Error()) > 1200 {
		t.Errorf("%d faults of %d bytes", len(list), len(err.Error()))
	}
	digits := `{"i":` + strings.Repeat("9", 5_000_000) + `,"big":` + strings.Repeat("9", 5_000_000) + `,"f":` + strings.Repeat("9", 300) + `}`
	wide, err := typed.NewCodec[everything]()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := wide.Decode(jsonrpc.Raw(digits)); !errors.As(err, &list) || len(list) != 2 || list[1].Kind != schema.ArgumentRange {
		t.Errorf("%v", err)
	}
	type fat struct {
		List []struct {
			A [1 << 16]byte `json:"a,omitzero"`
		}
		By map[string]struct {
			A [1 << 16]byte `json:"a,omitzero"`
		} `json:"By,omitzero"`
		P []*struct {
			A [1 << 16]byte `json:"a,omitzero"`
		} `json:"P,omitzero"`
	}
	many, err := typed.NewCodec[fat]()
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []string{`{"List":[{}` + strings.Repeat(`,{}`, 100_000) + `]}`, `{"List":[],"P":[{}` + strings.Repeat(`,{}`, 100_000) + `]}`} {
		if _, err := many.Decode(jsonrpc.Raw(raw)); !errors.As(err, &list) || !strings.Contains(err.Error(), "memory") {
			t.Errorf("%v", err)
		}
	}
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, `,"%d":{}`, i)
	}
	if _, err := many.Decode(jsonrpc.Raw(`{"List":[],"By":{` + b.String()[1:] + `}}`)); !errors.As(err, &list) || !strings.Contains(err.Error(), "memory") {
		t.Errorf("%v", err)
	}
	if v, err := many.Decode(`{"List":[{},{}]}`); err != nil || len(v.List) != 2 {
		t.Errorf("%v", err)
	}
}

// What no JSON holds is an error when it is written.
func TestEncode(t *testing.T) {
	var loop tree
	loop.Next = &loop
	for name, err := range map[string]error{
		"contains itself": failure(loop),
		"number":          failure(math.Inf(1)),
		"a number":        failure(typed.Number("x")),
		"not JSON":        failure(jsonrpc.Raw("{")),
		"time":            failure(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)),
		"a JSON form":     failure(*new(big.Float).SetInf(true)),
		"holds int": failure(struct {
			A any `schema:"any"`
		}{1}),
		"no form": failure(map[string]grumpy{"a": 1}),
	} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %q", err, name)
		}
	}
	var zero typed.Codec[int]
	if _, err := zero.Decode("1"); err == nil {
		t.Error("the zero Codec reads")
	}
	if _, err := zero.Encode(1); err == nil {
		t.Error("the zero Codec writes")
	}
	codec, err := typed.NewCodec[map[string]time.Time]()
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := codec.Encode(map[string]time.Time{"b": t0, "a": t0}); err != nil || raw != `{"a":"2026-01-01T00:00:00Z","b":"2026-01-01T00:00:00Z"}` {
		t.Errorf("%s, %v", raw, err)
	}
	empty, err := typed.NewCodec[struct {
		A []int       `json:",omitempty"`
		B [0]int      `json:",omitempty"`
		C inner       `json:",omitempty"`
		D *int        `json:",omitempty"`
		E string      `json:",omitempty"`
		F bool        `json:",omitempty"`
		G jsonrpc.Raw `json:"g"`
		H any         `schema:"any"`
	}]()
	if err != nil {
		t.Fatal(err)
	}
	v, err := empty.Decode(`{"g":null,"H":null}`)
	if err != nil {
		t.Fatal(err)
	}
	v.G, v.H = "", nil
	if raw, err := empty.Encode(v); err != nil || raw != `{"C":{"a":0,"b":0},"g":null,"H":null}` {
		t.Errorf("%s, %v", raw, err)
	}
}

// grumpy has no text.
type grumpy int

func (*grumpy) UnmarshalText([]byte) error  { return nil }
func (grumpy) MarshalText() ([]byte, error) { return nil, errors.New("no form") }

func failure[T any](v T) error {
	c, err := typed.NewCodec[T]()
	if err != nil {
		return err
	}
	_, err = c.Encode(v)
	return err
}

// Absent arguments are {}, whoever calls.
func TestAbsentArguments(t *testing.T) {
	_, f, err := typed.MakeTool(protocol.Tool{Name: "x"}, func(context.Context, server.Caller, none) (string, error) { return "x", nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, raw := range []jsonrpc.Raw{"", "null", "{}"} {
		if r, err := f(context.Background(), nil, protocol.CallToolParams{Arguments: raw}); err != nil || r.Content[0].Text != "x" {
			t.Errorf("%q: %v, %v", raw, r, err)
		}
	}
	var faults schema.ArgumentErrors
	if _, err := f(context.Background(), nil, protocol.CallToolParams{Arguments: `{"a":1}`}); !errors.As(err, &faults) {
		t.Errorf("%v", err)
	}
}

// One function serves many goroutines.
func TestCallsAtOnce(t *testing.T) {
	_, f, err := typed.MakeTool(protocol.Tool{Name: "x"}, divide)
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			for range 100 {
				r, err := f(context.Background(), nil, protocol.CallToolParams{Arguments: jsonrpc.Raw(fmt.Sprintf(`{"a":%d}`, 2*i))})
				if err != nil || string(r.StructuredContent) != fmt.Sprintf(`{"q":%d,"r":0}`, i) {
					t.Errorf("%v, %v", r, err)
					return
				}
			}
		}()
	}
	group.Wait()
}
