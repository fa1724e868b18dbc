package naming

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/lifecycle"
)

var forms = []Form{
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
		n                Form
		server, tool, id string
	}{
		{Form{}, "files", "read", "mcp.files.read"},
		{Form{}, "files", "fs.read", "mcp.files.fs.read"},
		{Form{}, "a.b", "c", "mcp.a-x2Eb.c"},
		{Form{}, "server-everything", "get_tiny-image", "mcp.server-everything.get_tiny-image"},
		{Form{}, "linux-x64", "-x", "mcp.linux-x2Dx64.-x"},
		{Form{}, "é", "a/b c", "mcp.-xC3-xA9.a-x2Fb-x20c"},
		{Form{}, "", "", "mcp.."},
		{Form{}, "a", long, "mcp.icv72kv3gfcqijnu." + long[:107]},
		{Form{Profile: Provider}, "files", "fs.read", "mcp__files__fs-x2Eread"},
		{Form{Profile: Provider}, "a_", "_b", "mcp__a-x5F___b"},
		{Form{Profile: Provider}, "a__b_c", "d__e", "mcp__a-x5F_b_c__d__e"},
		{Form{Bare: true, Separator: "__"}, "server", "tool", "server__tool"},
		{Form{Bare: true, Separator: "-"}, "a-b", "c-d_x41", "a_x2Db-c-d_x5Fx41"},
		{Form{Prefix: "x"}, "a", "b", "x.a.b"},
	} {
		if err := (Policy{Form: c.n}).Check(); err != nil {
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
		"mcp.a." + strings.Repeat("b", defaultMax), "mcp.a." + strings.Repeat("b", defaultMax-6),
	} {
		server, tool, ok := Form{}.Parse(id)
		if again := (Form{}).ID(server, tool); ok && again != id {
			t.Errorf("%q is %q, %q, which is %q", id, server, tool, again)
		} else if ok && id != "mcp.a.-x2fb" {
			t.Errorf("%q is %q, %q", id, server, tool)
		}
	}
}

// Point 21: a name that is cut has the whole name of the tool, as far as there is room, and the name
// of the server gives way.
func TestCutNames(t *testing.T) {
	const key = "https://example.com/mcp/servers/github-x"
	for _, c := range []struct {
		f                Form
		server, tool, id string
	}{
		{Form{Profile: Provider}, key, "create_pull_request", "mcp__https-x3A-x2F-x2Fexam-hcf33i4g7ise2xlq__create_pull_request"},
		{Form{Profile: Provider}, key, strings.Repeat("t", 41), "mcp__m5xdcabce2mcztf3__" + strings.Repeat("t", 41)},
		{Form{Profile: Provider}, key, strings.Repeat("t", 200), ""},
		{Form{Profile: Provider}, "a", strings.Repeat("t", 200), ""},
		{Form{Profile: Provider, Max: 32}, key, "create_pull_request", ""},
		{Form{Profile: Provider, Max: 32, Prefix: strings.Repeat("p", 14)}, key, "create_pull_request", ""},
		{Form{Max: 32, Prefix: strings.Repeat("p", 14)}, key, "create_pull_request", ""}, // room for a separator, and for nothing behind it
		{Form{Bare: true, Separator: "-"}, strings.Repeat("s", 300), "x", ""},
		{Form{}, strings.Repeat("s", 122), "x", ""}, // exactly Max
	} {
		id := c.f.ID(c.server, c.tool)
		if f := c.f.form(); len(id) != f.max || !f.plainAll(id) || !c.f.Long(id) || strings.HasSuffix(id, f.sep) {
			t.Errorf("%q: %d bytes", id, len(id))
		}
		if c.id != "" && id != c.id {
			t.Errorf("%q, want %q", id, c.id)
		}
	}
	if id := (Form{}).ID(strings.Repeat("s", 121), "x"); len(id) != defaultMax-1 || (Form{}).Long(id) {
		t.Errorf("%q is cut", id)
	}
}

// E34: a form that cannot be used is refused, field by field; it is total all the same.
func TestFormCheck(t *testing.T) {
	for _, c := range []struct {
		f    Form
		want string
	}{
		{Form{Profile: 2}, `naming: Form.Profile is 2: want 0 to 1`},
		{Form{Separator: "/"}, `naming: Form.Separator is "/": want one to four of`},
		{Form{Separator: "....."}, `naming: Form.Separator is ".....": want one to four of`},
		{Form{Separator: "_-"}, `naming: Form.Separator is "_-": want`},
		{Form{Separator: "x"}, `naming: Form.Separator is "x": want`},
		{Form{Separator: ".", Profile: Provider}, `naming: Form.Separator is ".": want`},
		{Form{Max: -1}, `naming: Form.Max is -1: want 32 or more, or 0 for 128`},
		{Form{Max: minMax - 1}, `naming: Form.Max is 31: want 32 or more`},
		{Form{Max: defaultProviderMax + 1, Profile: Provider}, `naming: Form.Max is 65: want 32 to 64 with Provider, or 0 for 64`},
		{Form{Max: minMax - 1, Profile: Provider}, `naming: Form.Max is 31: want 32 to 64`},
		{Form{Prefix: "a b"}, `naming: Form.Prefix is "a b": want`},
		{Form{Prefix: strings.Repeat("p", 64)}, `naming: Form.Prefix is "ppp`},
		{Form{Prefix: "p", Bare: true}, `naming: Form.Prefix is "p": want "" for a bare name`},
	} {
		err := Policy{Form: c.f}.Check()
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !errors.Is(err, lifecycle.ErrConfig) {
			t.Errorf("%+v: %v", c.f, err)
		}
		for _, s := range []string{"", "a", "a_-_-b", strings.Repeat("é", 300)} {
			c.f.Parse(c.f.ID(s, s))
			c.f.Long(s)
		}
	}
	for _, f := range []Form{{}, {Max: minMax}, {Max: 1000}, {Profile: Provider, Max: defaultProviderMax}, {Prefix: strings.Repeat("p", 63)}, {Bare: true}} {
		if err := (Policy{Form: f}).Check(); err != nil {
			t.Error(err)
		}
	}
}

// E8: names are one to one, of the profile, and as long as they may be.
func TestNamesAreOneToOne(t *testing.T) {
	part := rapid.OneOf(rapid.StringOfN(rapid.SampledFrom([]rune("a_-.xX2DE5F")), 0, 12, -1), rapid.String(), rapid.StringMatching(`[a-z_.-]{0,150}`))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(forms).Draw(t, "naming")
		f := n.form()
		a, b := part.Draw(t, "server"), part.Draw(t, "tool")
		c, d := part.Draw(t, "server2"), part.Draw(t, "tool2")
		id := n.ID(a, b)
		if len(id) > f.max || !f.plainAll(id) {
			t.Fatalf("%q is no name of the profile", id)
		}
		if room := f.max - len(f.head()) - len(f.sep) - 17; len(id) == f.max && len(n.ID("", b))-len(f.head())-len(f.sep) <= room && !strings.HasSuffix(id, n.ID("", b)[len(f.head()):]) {
			t.Fatalf("%q, %q is %q, without the tool", a, b, id)
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
	for _, n := range forms {
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
