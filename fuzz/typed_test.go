package fuzz_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server/typed"
)

// wide has a field of most kinds.
type wide struct {
	I    int64             `json:"i,omitempty"`
	U    uint8             `json:"u,omitempty"`
	F    float64           `json:"f"`
	S    string            `json:"s,omitempty"`
	B    []byte            `json:"b,omitempty"`
	T    *time.Time        `json:"t"`
	L    []wide            `json:"l,omitempty"`
	M    map[string]*int32 `json:"m,omitempty"`
	A    [2]bool           `json:"a,omitzero"`
	P    *wide             `json:"p"`
	D    int               `json:"d" schema:"default=7"`
	Any  jsonrpc.Raw       `json:"any,omitempty"`
	N    typed.Number      `json:"n,omitempty"`
	Null bool              `json:"null,omitempty" schema:"nullable"`
}

// FuzzTyped compares what is read into a Go value with its schema, with encoding/json, and
// with the value written and read again.
func FuzzTyped(f *testing.F) {
	for _, s := range []string{
		`{"f":1.5,"i":9007199254740993,"u":255,"s":"a\u0061","b":"AAE=","t":"2026-01-01T00:00:00Z","m":{"x":null,"y":1},"a":[true,false]}`,
		`{"f":0,"l":[{"f":1},{"f":-0.0,"p":{"f":2,"p":null}}],"any":[1,{}],"n":1.50,"null":null,"d":3}`,
		`{"F":1,"f":1e400,"f":2}`, `{"f":1,"i":1e3}`, ` [ ] `, `{"f":`, `{"f":1,"a":[true]}`, "{\"f\":1,\"s\":\"\\ud800\"}",
	} {
		f.Add(s)
	}
	codec, err := typed.NewCodec[wide]()
	if err != nil {
		f.Fatal(err)
	}
	text, err := codec.Schema().JSON()
	if err != nil {
		f.Fatal(err)
	}
	check, err := schema.Compile(text)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		v, err := codec.Decode(jsonrpc.Raw(raw))
		var faults schema.ArgumentErrors
		if err != nil && (!errors.As(err, &faults) || len(faults) == 0 || len(faults) > 16) {
			t.Fatalf("%q: %v", raw, err)
		}
		valid := raw != "" && check.Validate(jsonrpc.Raw(raw)) == nil
		if (err == nil) != valid && !(valid && beyondSchema(faults)) {
			t.Fatalf("%q: valid %t, %v", raw, valid, err)
		}
		if err != nil {
			return
		}
		var w wide
		w.D = 7
		// encoding/json accepts only one spelling of integers, and names in any letter case.
		if json.Unmarshal([]byte(raw), &w) == nil && !strings.ContainsAny(raw, "\ufffd") {
			w.Any = v.Any // for encoding/json it is a string
			again, err1 := codec.Encode(v)
			other, err2 := codec.Encode(w)
			if err1 == nil && err2 == nil && again != other && !nested(v) {
				t.Fatalf("%q:\ngot  %s\njson %s", raw, again, other)
			}
		}
		again, err := codec.Encode(v)
		if err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if check.Validate(again) != nil {
			t.Fatalf("%q is written as %s, which is not valid", raw, again)
		}
		x, err := codec.Decode(again)
		if third, err2 := codec.Encode(x); err != nil || err2 != nil || third != again {
			t.Fatalf("%s was read as %s, %v, %v", again, third, err, err2)
		}
		if !reflect.DeepEqual(v.S, x.S) || v.I != x.I {
			t.Fatalf("%+v became %+v", v, x)
		}
	})
}

// nested reports whether there are nested objects, whose defaults encoding/json does not apply.
func nested(v wide) bool { return v.P != nil || v.L != nil }

// beyondSchema reports whether JSON Schema cannot express any of the faults.
func beyondSchema(faults schema.ArgumentErrors) bool {
	for _, e := range faults {
		switch {
		case e.Kind == schema.ArgumentRange, e.Kind == schema.ArgumentText, e.Kind == schema.ArgumentRepeated:
		case strings.Contains(e.Want, "base64"), strings.Contains(e.Want, "RFC 3339"):
		default:
			return false
		}
	}
	return true
}
