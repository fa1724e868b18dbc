package typed_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server/typed"
)

type nested struct {
	Next *nested           `json:"next,omitzero"`
	In   []nested          `json:"in,omitzero"`
	By   map[string]nested `json:"by,omitzero"`
	Two  [2]*nested        `json:"two,omitzero"`
	Any  any               `json:"any,omitzero" schema:"any"`
	Text string            `json:"text,omitzero"`
	Maps map[string]string `json:"maps,omitzero" schema:"nullable"`
}

type lenient struct {
	_    struct{} `schema:"open"`
	Text string   `json:"text,omitzero"`
}

// What is read into a type nests as deep as what is skipped, wherever the depth is: in a
// value, or in one that is skipped because it fits nothing.
func TestDepthOfArguments(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	shaped := func(begin, end string) func(n int) string {
		return func(n int) string { return strings.Repeat(begin, n-1) + "{}" + strings.Repeat(end, n-1) }
	}
	for name, one := range map[string]struct {
		typ   reflect.Type
		above int // objects and arrays around the nested value
		doc   func(n int) string
		odd   bool // there is another fault
	}{
		"a struct in a struct":       {reflect.TypeFor[nested](), 0, shaped(`{"next":`, `}`), false},
		"a list of structs":          {reflect.TypeFor[nested](), 1, func(n int) string { return `{"next":{"in":[` + deep(n-2) + `]}}` }, true},
		"an element of a list":       {reflect.TypeFor[[]jsonrpc.Raw](), 1, func(n int) string { return `[` + deep(n) + `]` }, false},
		"an element of an array":     {reflect.TypeFor[[1]jsonrpc.Raw](), 1, func(n int) string { return `[` + deep(n) + `]` }, false},
		"one too many in an array":   {reflect.TypeFor[[1]jsonrpc.Raw](), 1, func(n int) string { return `[1,` + deep(n) + `]` }, true},
		"a value of a map":           {reflect.TypeFor[map[string]jsonrpc.Raw](), 1, func(n int) string { return `{"a":` + deep(n) + `}` }, false},
		"a name twice in a map":      {reflect.TypeFor[map[string]jsonrpc.Raw](), 1, func(n int) string { return `{"a":1,"a":` + deep(n) + `}` }, true},
		"half a character in a map":  {reflect.TypeFor[map[string]jsonrpc.Raw](), 1, func(n int) string { return `{"\ud800":` + deep(n) + `}` }, true},
		"an interface":               {reflect.TypeFor[nested](), 1, func(n int) string { return `{"any":` + deep(n) + `}` }, false},
		"a list in place of a text":  {reflect.TypeFor[nested](), 1, func(n int) string { return `{"text":` + deep(n) + `}` }, true},
		"a list in place of a map":   {reflect.TypeFor[nested](), 1, func(n int) string { return `{"by":` + deep(n) + `}` }, true},
		"a name that nobody knows":   {reflect.TypeFor[nested](), 1, func(n int) string { return `{"odd":` + deep(n) + `}` }, true},
		"such a name twice":          {reflect.TypeFor[nested](), 1, func(n int) string { return `{"odd":1,"odd":` + deep(n) + `}` }, true},
		"a name twice":               {reflect.TypeFor[nested](), 1, func(n int) string { return `{"any":1,"any":` + deep(n) + `}` }, true},
		"half a character in a name": {reflect.TypeFor[nested](), 1, func(n int) string { return `{"\ud800":` + deep(n) + `}` }, true},
		"a name that may be there":   {reflect.TypeFor[lenient](), 1, func(n int) string { return `{"odd":` + deep(n) + `}` }, false},
	} {
		d, err := typed.Infer(one.typ)
		if err != nil {
			t.Fatal(name, err)
		}
		for n, fits := range map[int]bool{rawjson.DefaultDepth - one.above: true, rawjson.DefaultDepth - one.above + 1: false} {
			_, err := d.Decode(jsonrpc.Raw(one.doc(n)))
			var faults schema.ArgumentErrors
			errors.As(err, &faults)
			syntax := len(faults) == 1 && faults[0].Kind == schema.ArgumentSyntax
			switch {
			case fits && (syntax || (err != nil) != one.odd):
				t.Errorf("%s, %d deep in all: %.200v", name, n+one.above, err)
			case !fits && !syntax:
				t.Errorf("%s, %d deep in all: %.200v, want a fault of the syntax", name, n+one.above, err)
			}
		}
	}
}

// What is written nests as deep as what is read: a value that contains itself ends there.
func TestDepthOfResults(t *testing.T) {
	d, err := typed.Infer(reflect.TypeFor[nested]())
	if err != nil {
		t.Fatal(err)
	}
	for name, wrap := range map[string]struct {
		by func(nested) nested
		is int // how deep the wrapping is, with pointers
	}{
		"a pointer": {func(v nested) nested { return nested{Next: &v} }, 2},
		"a list":    {func(v nested) nested { return nested{In: []nested{v}} }, 2},
		"a map":     {func(v nested) nested { return nested{By: map[string]nested{"a": v}} }, 2},
		"an array":  {func(v nested) nested { return nested{Two: [2]*nested{&v}} }, 3},
	} {
		fits := (rawjson.DefaultDepth - 2) / wrap.is // the innermost has a text
		for n, want := range map[int]bool{fits: true, fits + 1: false} {
			v := nested{Text: "."}
			for range n {
				v = wrap.by(v)
			}
			p := reflect.New(d.Type)
			p.Elem().Set(reflect.ValueOf(v))
			text, err := d.Encode(p)
			if (err == nil) != want {
				t.Errorf("%s in %d others: %v", name, n, err)
			}
			if want && !rawjson.Valid(string(text)) {
				t.Errorf("%s in %d others: no JSON", name, n)
			}
		}
	}
}
