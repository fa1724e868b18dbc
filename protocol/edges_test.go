package protocol_test

import (
	"testing"

	. "github.com/sansmcp/mcp/protocol"
)

// Whoever answers a method declares no more than its gate asks for, in every revision.
func TestDeclaredWithinGate(t *testing.T) {
	for _, rev := range Revisions() {
		for _, r := range rev.Rows() {
			if r.Gate != 0 && !r.Gate.Has(r.Declares) {
				t.Errorf("%s, %s: declares %s behind the gate %s", rev, r.Method, r.Declares, r.Gate)
			}
		}
	}
}

// A List of another package reads no item, and says so without a path.
func TestForeignList(t *testing.T) {
	if err := new(List).Check(`{}`); err == nil || err.Error() != "protocol: Item has the wrong type" {
		t.Error(err)
	}
}

// A default that does not fit its field is found however its keyword is spelled.
func TestDefaultSpelledWithEscapes(t *testing.T) {
	for keyword, rule := range map[string]string{`default`: "ELIC-120", `defaul\u0074`: "ELIC-120", `other`: "", `othe\u0072`: ""} {
		params := Raw(`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"integer","maximum":1,"` + keyword + `":2}}}}`)
		got := Revision20251125.Row(MethodElicitationCreate).Terms(Asked{Params: params, Received: true, Caps: CapElicitation})
		if got.Rule != rule {
			t.Errorf("%s: rule %q, want %q", keyword, got.Rule, rule)
		}
	}
}
