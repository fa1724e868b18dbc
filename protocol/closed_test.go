package protocol_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	. "github.com/sansmcp/mcp/protocol"
)

// The types that have a fixed list of values take each of them, as the schema spells it,
// and nothing that is like one.
func TestClosedValues(t *testing.T) {
	for _, c := range []struct {
		name   string
		valid  func(string) bool
		values []string
	}{
		{"Role", func(s string) bool { return Role(s).Valid() }, []string{"user", "assistant"}},
		{"StringFormat", func(s string) bool { return StringFormat(s).Valid() }, []string{"email", "uri", "date", "date-time"}},
		{"ElicitAction", func(s string) bool { return ElicitAction(s).Valid() }, []string{"accept", "decline", "cancel"}},
		{"IncludeContext", func(s string) bool { return IncludeContext(s).Valid() }, []string{"none", "thisServer", "allServers"}},
		{
			"LoggingLevel", func(s string) bool { return LoggingLevel(s).Valid() },
			[]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"},
		},
	} {
		for i, value := range c.values {
			if !c.valid(value) {
				t.Errorf("%s %q is not valid", c.name, value)
			}
			if n := LoggingLevel(value).Severity(); c.name == "LoggingLevel" && n != i {
				t.Errorf("the severity of %s is %d, want %d", value, n, i)
			}
			for _, other := range []string{"", strings.ToUpper(value), strings.ToUpper(value[:1]) + value[1:], value[1:], value[:len(value)-1], value + "s", " " + value} {
				if c.valid(other) && !slices.Contains(c.values, other) {
					t.Errorf("%s %q is valid", c.name, other)
				}
			}
		}
	}
}

// An empty result has no members of its own but _meta: a null under any other name is data
// that stays, whatever the method.
func TestNullsOfEmptyResults(t *testing.T) {
	names := map[string]bool{}
	for _, s := range shapes() {
		for _, m := range s.members {
			names[m.wire] = true
		}
	}
	delete(names, "_meta")
	if len(names) < 50 {
		t.Fatalf("only %d names", len(names))
	}
	var members []string
	for name := range names {
		members = append(members, `"`+name+`":null`)
	}
	slices.Sort(members)
	all := strings.Join(members, ",")
	for _, m := range []string{"x/y", MethodPing, MethodResourcesSubscribe, MethodResourcesUnsubscribe, MethodLoggingSetLevel} {
		if rowOf(m).CheckResult("{}", jsonrpc.Span{}) != nil {
			t.Errorf("%v has a result", m)
		}
		if got := rowOf(m).WithoutNulls(BodyResult, Raw(`{"_meta":null,`+all+`}`)); got != Raw(`{`+all+`}`) {
			t.Errorf("%v: %s", m, got)
		}
	}
}
