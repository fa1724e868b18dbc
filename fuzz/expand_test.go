package fuzz_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
)

// A byte from 128 on stands for a line, and the bytes after it are its numbers; other bytes are
// literal.
func TestExpand(t *testing.T) {
	for in, want := range map[string]string{
		"{}\n":           "{}\n",
		"":               "",
		" \xff\n":        " \xff\n",
		"\x83\n":         `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n",
		"\x83\x07\n":     `{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n",
		"\x83\x13ab":     `{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n",
		"\x94\x02\x05\n": `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":5}}` + "\n",
	} {
		if got := string(expand([]byte(in))); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	for i, line := range lines {
		m := jsonrpc.Decode(expand([]byte{0x80 + byte(i), 2}))
		wrong := strings.Contains(line, `},"error":{}`) || strings.Contains(line, `"id":null,"method"`) || !strings.Contains(line, "jsonrpc")
		if (m.Kind == jsonrpc.KindInvalid) != wrong {
			t.Errorf("%s: %v", line, m.Kind)
		}
	}
}

// The first byte of a program chooses its initial State.
func TestStart(t *testing.T) {
	for program, want := range map[string]struct {
		state int
		rest  string
	}{"": {0, ""}, "\x00ab": {0, "ab"}, "\x05ab": {2, "ab"}, "\xff": {0, ""}} {
		if s, rest := pickStart([]int{0, 1, 2}, []byte(program)); s != want.state || string(rest) != want.rest {
			t.Errorf("%q: %d, %q", program, s, rest)
		}
	}
}
