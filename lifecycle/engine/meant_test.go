package engine_test

import (
	"testing"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// A name that differs from a method of any revision by case or blanks alone is meant as that.
func TestMeant(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		for _, row := range rev.Rows() {
			for name, want := range map[string]string{
				row.Method: "", " " + row.Method: row.Method, row.Method + "\t": row.Method, "X" + row.Method[1:]: "", row.Method + "s": "",
			} {
				if got := engine.Meant(name); got != want {
					t.Errorf("%q is meant as %q, want %q", name, got, want)
				}
			}
		}
	}
	for name, want := range map[string]string{"Elicitation/Create": "elicitation/create", "sampling/createmessage": "sampling/createMessage", "tools / call": "tools/call", "": "", "mine": ""} {
		if got := engine.Meant(name); got != want {
			t.Errorf("%q is meant as %q, want %q", name, got, want)
		}
	}
}
