package toolset

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var namings = []Naming{
	{},
	{Profile: Provider},
	{Bare: true},
	{Bare: true, Separator: "__"},
	{Bare: true, Separator: "-"},
	{Separator: "_", Prefix: "tools_x"},
	{Separator: "._.", Max: 32},
	{Separator: "--", Profile: Provider, Max: 40},
	{Separator: "-.-", Bare: true, Max: 1000},
}

// E8, B29: the names, and what is escaped in them.
func TestNames(t *testing.T) {
	long := strings.Repeat("a", 200)
	for _, c := range []struct {
		n                Naming
		server, tool, id string
	}{
		{Naming{}, "files", "read", "mcp.files.read"},
		{Naming{}, "files", "fs.read", "mcp.files.fs.read"},
		{Naming{}, "a.b", "c", "mcp.a-x2Eb.c"},
		{Naming{}, "server-everything", "get_tiny-image", "mcp.server-everything.get_tiny-image"},
		{Naming{}, "linux-x64", "-x", "mcp.linux-x2Dx64.-x"},
		{Naming{}, "é", "a/b c", "mcp.-xC3-xA9.a-x2Fb-x20c"},
		{Naming{}, "", "", "mcp.."},
		{Naming{}, "a", long, "mcp.a." + long[:105] + "-icv72kv3gfcqijnu"},
		{Naming{Profile: Provider}, "files", "fs.read", "mcp__files__fs-x2Eread"},
		{Naming{Profile: Provider}, "a_", "_b", "mcp__a-x5F___b"},
		{Naming{Profile: Provider}, "a__b_c", "d__e", "mcp__a-x5F_b_c__d__e"},
		{Naming{Bare: true, Separator: "__"}, "server", "tool", "server__tool"},
		{Naming{Bare: true, Separator: "-"}, "a-b", "c-d_x41", "a_x2Db-c-d_x5Fx41"},
		{Naming{Prefix: "x"}, "a", "b", "x.a.b"},
	} {
		if err := c.n.Check(); err != nil {
			t.Errorf("%+v: %v", c.n, err)
		}
		id := c.n.ID(c.server, c.tool)
		if id != c.id {
			t.Errorf("%+v: %q, %q is %q, want %q", c.n, c.server, c.tool, id, c.id)
		}
		server, tool, ok := c.n.Parse(id)
		if cut := len(c.tool) > 100; ok == cut || !cut && (server != c.server || tool != c.tool) {
			t.Errorf("%+v: %q is %q, %q, %v", c.n, id, server, tool, ok)
		}
	}
}

// E8: other texts are no names.
func TestParseOther(t *testing.T) {
	for _, id := range []string{
		"", "mcp", "mcp.", "mcp.a", "MCP.a.b", "mcp.a-x41.b", "mcp.a.b-x41", "mcp.a.é", "mcp.a. ", "mcp.a.-x2fb",
		"mcp.a." + strings.Repeat("b", DefaultMax), "mcp.a." + strings.Repeat("b", DefaultMax-6),
	} {
		server, tool, ok := Naming{}.Parse(id)
		if again := (Naming{}).ID(server, tool); ok && again != id {
			t.Errorf("%q is %q, %q, which is %q", id, server, tool, again)
		} else if ok && id != "mcp.a.-x2fb" {
			t.Errorf("%q is %q, %q", id, server, tool)
		}
	}
}

// E34: a naming that cannot be used is refused; it is total all the same.
func TestNamingCheck(t *testing.T) {
	for _, n := range []Naming{
		{Profile: 2}, {Separator: "/"}, {Separator: "....."}, {Separator: "_-"}, {Separator: "x"}, {Separator: ".", Profile: Provider},
		{Max: -1}, {Max: MinMax - 1}, {Max: DefaultProviderMax + 1, Profile: Provider}, {Prefix: "a b"}, {Prefix: strings.Repeat("p", 64)}, {Prefix: "p", Bare: true},
	} {
		if err := n.Check(); !errors.Is(err, ErrNaming) {
			t.Errorf("%+v: %v", n, err)
		}
		for _, s := range []string{"", "a", "a_-_-b", strings.Repeat("é", 300)} {
			n.Parse(n.ID(s, s))
		}
	}
}

// E8: names are one to one, of the profile, and as long as they may be.
func TestNamesAreOneToOne(t *testing.T) {
	part := rapid.OneOf(rapid.StringOfN(rapid.SampledFrom([]rune("a_-.xX2DE5F")), 0, 12, -1), rapid.String(), rapid.StringMatching(`[a-z_.-]{0,150}`))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(namings).Draw(t, "naming")
		f := n.form()
		a, b := part.Draw(t, "server"), part.Draw(t, "tool")
		c, d := part.Draw(t, "server2"), part.Draw(t, "tool2")
		id := n.ID(a, b)
		if len(id) > f.max || !f.plainAll(id) {
			t.Fatalf("%q is no name of the profile", id)
		}
		if (a != c || b != d) && id == n.ID(c, d) {
			t.Fatalf("%q, %q and %q, %q are both %q", a, b, c, d, id)
		}
		server, tool, ok := n.Parse(id)
		if ok != (len(id) < f.max) || ok && (server != a || tool != b) {
			t.Fatalf("%q, %q is %q, which is %q, %q, %v", a, b, id, server, tool, ok)
		}
		if server, tool, ok := n.Parse(a); ok && n.ID(server, tool) != a {
			t.Fatalf("%q is %q, %q", a, server, tool)
		}
	})
}

// Names from a small alphabet, all of them: no two are the same.
func TestAllShortNames(t *testing.T) {
	parts := []string{""}
	for from := 0; len(parts[from]) < 3; from++ {
		for _, c := range "_-.a" {
			parts = append(parts, parts[from]+string(c))
		}
	}
	parts = append(parts, "-x5F", "-x2D", "_x5F", "_x2D", "-x2E", "_x2E")
	for _, n := range namings {
		seen := map[string][2]string{}
		for _, a := range parts {
			for _, b := range parts {
				id := n.ID(a, b)
				if was, ok := seen[id]; ok {
					t.Fatalf("%+v: %q is %q and %q", n, id, was, [2]string{a, b})
				}
				seen[id] = [2]string{a, b}
				if len(id) >= n.form().max {
					continue
				}
				if server, tool, ok := n.Parse(id); !ok || server != a || tool != b {
					t.Fatalf("%+v: %q, %q is %q, which is %q, %q, %v", n, a, b, id, server, tool, ok)
				}
			}
		}
	}
}
