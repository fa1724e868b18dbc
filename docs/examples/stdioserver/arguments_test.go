package main

import (
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
)

// Names are compared letter for letter, however they are written, and no argument is there
// twice.
func TestArguments(t *testing.T) {
	for raw, want := range map[jsonrpc.Raw]string{
		`{"path":"a"}`:                        "a",
		`{"path":"a","PATH":"b"}`:             "a",
		`{"PATH":"b","path":"a"}`:             "a",
		`{"pa\u0074h":"a"}`:                   "a",
		`{"path":"a","path":"b"}`:             "refused",
		`{"path":"a","pa\u0074h":"b"}`:        "refused",
		`{"x":{"path":"b"},"path":"a"}`:       "a",
		`{"p\u017fath":"b","path":"a\u0062"}`: "ab",
		`[]`:                                  "refused",
		`{"path":"a"`:                         "refused",
	} {
		args, err := read(raw)
		got := "refused"
		if err == nil {
			got = args.text("path")
		}
		if got != want {
			t.Errorf("%s gives %q, want %q", raw, got, want)
		}
	}
}

// A number that cannot be had is an error, and not another number.
func TestNumbers(t *testing.T) {
	for raw, ok := range map[jsonrpc.Raw][2]bool{ // as a number, as an integer
		`{"n":1}`: {true, true}, `{"n":-3e0}`: {true, true}, `{"n":1e10}`: {true, false}, `{"n":1e400}`: {false, false}, `{"n":"1"}`: {false, false}, `{}`: {false, false},
	} {
		for i := range ok {
			args, err := read(raw)
			if err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				args.number("n")
			} else {
				args.integer("n")
			}
			if (args.err == nil) != ok[i] {
				t.Errorf("%s: %v", raw, args.err)
			}
		}
	}
}
