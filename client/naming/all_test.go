package naming_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/conformance/texts"
)

// Names of what is near are made as they were, and read back as they were, in each form.
func TestAllNearNames(t *testing.T) {
	forms := []naming.Form{{}, {Bare: true}, {Prefix: "p", Separator: "__", Max: 33}, {Profile: naming.Provider}, {Profile: naming.Provider, Separator: "-", Max: 40}, {Separator: "_.", Max: 32, Bare: true}}
	for _, f := range forms {
		if err := f.Check(); err != nil {
			t.Fatal(f, err)
		}
	}
	names := func(server, tool string) string {
		out := ""
		for _, f := range forms {
			id := f.ID(server, tool)
			a, b, ok := f.Parse(id)
			out += fmt.Sprintf("%q %v %q %q %v;", id, f.Long(id), a, b, ok)
		}
		return out
	}
	texts.Same(t, "10582 of 10582, e97b349f", texts.Near("a.b-c", "é", "-x2e", strings.Repeat("s", 30)), func(s string) string { return names(s, "t") })
	texts.Same(t, "10065 of 10065, 888f747b", texts.Near("r_e.a__d", "ü-", strings.Repeat("t", 28)), func(s string) string { return names("files", s) })
	texts.Same(t, "19097 of 19097, a1f8ae2c", texts.Near("mcp.files.re-x2dad", "p__-x5f_a__b", "a.b", "mcp__a__b", strings.Repeat("x", 32)), func(s string) string {
		out := ""
		for _, f := range forms {
			a, b, ok := f.Parse(s)
			out += fmt.Sprintf("%q %q %v %v;", a, b, ok, f.Long(s))
		}
		return out
	})
	texts.Same(t, "9331 of 9331, dd6cacd7", texts.Every(5, "", ".", "_", "-", "a", "mcp"), func(s string) string {
		out := ""
		for _, f := range []naming.Form{{Separator: s}, {Prefix: s}, {Separator: s, Profile: naming.Provider}, {Prefix: s, Profile: naming.Provider, Max: 64}} {
			if err := f.Check(); err != nil {
				out += err.Error()
			}
			out += ";"
		}
		return out
	})
	texts.Same(t, "3099 of 3099, c2a38fe8", texts.Near("aé\u200b", "mcp", "a b"), func(s string) string { return fmt.Sprint(naming.Valid(s, 4), naming.Valid(s, 3), naming.Scheme(s)) })
	texts.Same(t, "6452 of 6452, 31568cf7", texts.Near("mcp+a-b://x/é", "mcp+files:y"), func(s string) string {
		scheme, rest, ok := naming.SplitURI(s)
		return fmt.Sprintf("%q %q %v", scheme, rest, ok)
	})
}
