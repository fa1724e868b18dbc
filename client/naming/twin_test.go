package naming_test

import (
	"strings"
	"testing"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/conformance/texts"
)

// A name is read back as what it was made of, unless it was cut; it has only characters of its
// profile, and no more than Max bytes; no two pairs have one name.
func TestNamesOfNearPairs(t *testing.T) {
	for _, f := range []naming.Form{{}, {Bare: true}, {Prefix: "p", Separator: "__", Max: 33}, {Profile: naming.Provider}, {Profile: naming.Provider, Separator: "-", Max: 40}, {Separator: "_.", Max: 32, Bare: true}} {
		most := f.Max
		if most == 0 {
			most = 128
			if f.Profile == naming.Provider {
				most = 64
			}
		}
		of := map[string][2]string{}
		check := func(server, tool string) {
			id := f.ID(server, tool)
			if before, taken := of[id]; taken && before != [2]string{server, tool} {
				t.Errorf("%+v: %q is the name of %q and of %q %q", f, id, before, server, tool)
			}
			of[id] = [2]string{server, tool}
			for _, c := range id {
				if ok := '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '-' || f.Profile != naming.Provider && c == '.'; !ok {
					t.Errorf("%+v: %q has %q", f, id, c)
				}
			}
			if len(id) > most || f.Long(id) != (len(id) == most) {
				t.Errorf("%+v: %q is %d long, Long %v", f, id, len(id), f.Long(id))
			}
			if a, b, ok := f.Parse(id); !f.Long(id) && (!ok || a != server || b != tool) {
				t.Errorf("%+v: %q is read as %q %q %v, want %q %q", f, id, a, b, ok, server, tool)
			}
		}
		for s := range texts.Near("a.b-c", "é", "-x2e", strings.Repeat("s", 30)) {
			check(s, "t")
		}
		for s := range texts.Near("r_e.a__d", "ü-", strings.Repeat("t", 28)) {
			check("files", s)
		}
		for s := range texts.Every(4, "a", ".", "_", "-", "x2e", "__") {
			check(s, "t")
			check("s", s)
			check(s, s)
		}
	}
}
