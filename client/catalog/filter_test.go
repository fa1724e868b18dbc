package catalog

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var (
	yes, no = protocol.Ptr(true), protocol.Ptr(false)
	tools   = protocol.ToolList
)

func TestFilter(t *testing.T) {
	const (
		plain  = `{"name":"read"}`
		reader = `{"name":"read","annotations":{"readOnlyHint":true}}`
		adder  = `{"name":"read","annotations":{"destructiveHint":false}}`
		both   = `{"name":"read","annotations":{"readOnlyHint":true,"destructiveHint":true}}`
		odd    = `{"name":"read","annotations":{"readOnlyHint":"true","destructiveHint":0}}`
		list   = `{"name":"read","annotations":[]}`
		null   = `{"name":"read","annotations":null}`
		twice  = `{"name":"read","annotations":{"readOnlyHint":true},"annotations":{"readOnlyHint":false}}`
		again  = `{"name":"read","annotations":{"readOnlyHint":false,"readOnlyHint":true,"destructiveHint":true,"destructiveHint":false}}`
		spelt  = `{"name":"read","\u0061nnotations":{"readOnly\u0048int":true}}`
	)
	for _, c := range []struct {
		why  string
		f    Filter
		kind *protocol.List
		name string
		raw  jsonrpc.Raw
		want bool
	}{
		{"zero", Filter{}, tools, "read", plain, true},
		{"empty lists are none", Filter{Allow: []Rule{}, Deny: []Rule{}}, tools, "read", plain, true},
		{"the zero rule denies all", Filter{Deny: []Rule{{}}}, protocol.PromptList, "x", "", false},
		{"the zero rule allows all", Filter{Allow: []Rule{{}}}, protocol.PromptList, "x", "", true},
		{"allowed by name", Filter{Allow: []Rule{{Name: "re*"}}}, tools, "read", plain, true},
		{"not allowed", Filter{Allow: []Rule{{Name: "re"}}}, tools, "read", plain, false},
		{"denied by name", Filter{Deny: []Rule{{Name: "r?ad"}}}, tools, "read", plain, false},
		{"names have a case", Filter{Deny: []Rule{{Name: "READ"}}}, tools, "read", plain, true},
		{"deny wins", Filter{Allow: []Rule{{Name: "read"}}, Deny: []Rule{{Name: "*"}}}, tools, "read", plain, false},
		{"another kind is not denied", Filter{Deny: []Rule{{Kind: tools}}}, protocol.PromptList, "read", "", true},
		{"another kind is not allowed", Filter{Allow: []Rule{{Kind: tools}}}, protocol.PromptList, "read", "", false},
		{"the second rule", Filter{Allow: []Rule{{Name: "x"}, {Name: "read"}}}, tools, "read", plain, true},
		{"a star takes slashes", Filter{Deny: []Rule{{Name: "file:///secret/*"}}}, protocol.ResourceList, "file:///secret/a/b", "", false},
		{"a mark takes a slash", Filter{Deny: []Rule{{Name: "a?b"}}}, tools, "a/b", "", false},
		{"a slash is no letter", Filter{Deny: []Rule{{Name: "a/b"}}}, tools, "a.b", "", true},
		{"an escaped star", Filter{Deny: []Rule{{Name: `\*`}}}, tools, "*", "", false},

		{"read-only: absent is not", Filter{Allow: []Rule{{ReadOnly: yes}}}, tools, "read", plain, false},
		{"read-only", Filter{Allow: []Rule{{ReadOnly: yes}}}, tools, "read", reader, true},
		{"read-only, spelled with escapes", Filter{Allow: []Rule{{ReadOnly: yes}}}, tools, "read", spelt, true},
		{"read-only: odd is not", Filter{Allow: []Rule{{ReadOnly: yes}}}, tools, "read", odd, false},
		{"not read-only: odd is not allowed", Filter{Allow: []Rule{{ReadOnly: no}}}, tools, "read", odd, false},
		{"read-only: odd is denied", Filter{Deny: []Rule{{ReadOnly: yes}}}, tools, "read", odd, false},
		{"not read-only: odd is denied", Filter{Deny: []Rule{{ReadOnly: no}}}, tools, "read", odd, false},
		{"read-only: a list is odd", Filter{Allow: []Rule{{ReadOnly: no}}}, tools, "read", list, false},
		{"read-only: null is odd", Filter{Deny: []Rule{{ReadOnly: yes}}}, tools, "read", null, false},
		{"read-only: twice is odd", Filter{Allow: []Rule{{ReadOnly: yes}}}, tools, "read", twice, false},
		{"read-only: a hint twice is odd", Filter{Allow: []Rule{{ReadOnly: yes}}}, tools, "read", again, false},
		{"destructive: absent is", Filter{Deny: []Rule{{Destructive: yes}}}, tools, "read", plain, false},
		{"destructive: said not to be", Filter{Deny: []Rule{{Destructive: yes}}}, tools, "read", adder, true},
		{"destructive: what is read-only is not", Filter{Deny: []Rule{{Destructive: yes}}}, tools, "read", both, true},
		{"destructive: twice is odd", Filter{Allow: []Rule{{Destructive: no}}}, tools, "read", again, false},
		{"destructive: odd is denied", Filter{Deny: []Rule{{Destructive: yes}}}, tools, "read", odd, false},
		{"not destructive: odd is denied", Filter{Deny: []Rule{{Destructive: no}}}, tools, "read", odd, false},
		{"both", Filter{Allow: []Rule{{ReadOnly: no, Destructive: no}}}, tools, "read", adder, true},
		{"name and hint", Filter{Allow: []Rule{{Name: "read", ReadOnly: yes}}}, tools, "read", plain, false},
		{"hints are of tools", Filter{Deny: []Rule{{ReadOnly: no}}}, protocol.ResourceList, "x", "{}", true},
		{"a hint allows no resource", Filter{Allow: []Rule{{ReadOnly: no}}}, protocol.ResourceList, "x", "{}", false},
		{"no text", Filter{Allow: []Rule{{ReadOnly: no}}}, tools, "read", "", false},
	} {
		t.Run(c.why, func(t *testing.T) {
			if err := c.f.Check(); err != nil {
				t.Fatal(err)
			}
			if got := c.f.Passes(c.kind, c.name, c.raw); got != c.want {
				t.Errorf("passes: %v", got)
			}
			if !c.want && !c.f.Restricts(c.kind) {
				t.Error("it restricts nothing")
			}
		})
	}
}

func TestRestricts(t *testing.T) {
	for _, c := range []struct {
		f    Filter
		want string // the kinds, by their members
	}{
		{Filter{}, ""},
		{Filter{Allow: []Rule{}}, ""},
		{Filter{Allow: []Rule{{Kind: tools}}}, "tools resources resourceTemplates prompts"},
		{Filter{Deny: []Rule{{Kind: tools}}}, "tools"},
		{Filter{Deny: []Rule{{Kind: protocol.TemplateList}, {ReadOnly: no}}}, "tools resourceTemplates"},
		{Filter{Deny: []Rule{{Name: "x"}}}, "tools resources resourceTemplates prompts"},
	} {
		var got []string
		for _, l := range protocol.Lists() {
			if c.f.Restricts(l) {
				got = append(got, l.Member)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v restricts %q, want %q", c.f, got, c.want)
		}
	}
}

// What cannot be understood is an error, and keeps out where it is used all the same.
func TestFilterCheck(t *testing.T) {
	other := *tools
	for _, c := range []struct {
		rule Rule
		want string
	}{
		{Rule{Name: "[a"}, `catalog: Deny[1].Name is "[a": want a pattern of path.Match`},
		{Rule{Name: `a\`}, `catalog: Deny[1].Name is "a\\": want a pattern of path.Match`},
		{Rule{Name: "zz[]"}, `catalog: Deny[1].Name is "zz[]": want a pattern of path.Match`},
		{Rule{Name: "[a/b]"}, `catalog: Deny[1].Name is "[a/b]": want a pattern of path.Match`},
		{Rule{Kind: &other}, `catalog: Deny[1].Kind is "tools": want one of protocol.Lists, or nil for every kind`},
		{Rule{Kind: protocol.PromptList, ReadOnly: yes}, `catalog: Deny[1].Kind is "prompts": want protocol.ToolList or nil: only tools have ReadOnly and Destructive`},
		{Rule{Kind: protocol.ResourceList, Destructive: no}, `catalog: Deny[1].Kind is "resources": want protocol.ToolList or nil: only tools have ReadOnly and Destructive`},
	} {
		for _, list := range []string{"Deny", "Allow"} {
			rules := []Rule{{}, c.rule}
			f := Filter{Deny: rules}
			if list == "Allow" {
				f = Filter{Allow: rules}
			}
			err := f.Check()
			var setting *lifecycle.ConfigError
			if want := strings.Replace(c.want, "Deny", list, 1); err == nil || err.Error() != want || !errors.Is(err, lifecycle.ErrConfig) || !errors.As(err, &setting) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if c.rule.Name != "" {
			if (Filter{Allow: []Rule{c.rule}}).Passes(tools, "a", "{}") || (Filter{Deny: []Rule{c.rule}}).Passes(tools, "a", "{}") {
				t.Errorf("%q lets something pass", c.rule.Name)
			}
		}
	}
}

// A copy shares nothing, and is equal until one member of one rule is changed: each in turn.
func TestFilterClone(t *testing.T) {
	full := Rule{Kind: tools, Name: "a", ReadOnly: yes, Destructive: no}
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Fatalf("set %s in this test", v.Type().Field(i).Name)
		}
		for _, list := range []int{0, 1} {
			f := Filter{Allow: []Rule{{}, full}, Deny: []Rule{full}}
			g := f.Clone()
			if !f.Equal(g) || !cmp.Equal(f, g, cmp.Comparer(func(a, b *protocol.List) bool { return a == b })) {
				t.Fatalf("%+v is not %+v", g, f)
			}
			rules := [][]Rule{g.Allow, g.Deny}[list]
			field := reflect.ValueOf(&rules[len(rules)-1]).Elem().Field(i)
			if ptr, ok := field.Interface().(*bool); ok {
				if *ptr = !*ptr; f.Equal(g) { // f has its own
					t.Errorf("%s is shared or not compared", v.Type().Field(i).Name)
				}
			}
			field.SetZero()
			if f.Equal(g) || g.Equal(f) {
				t.Errorf("%s is not compared", v.Type().Field(i).Name)
			}
		}
	}
	if (Filter{Allow: []Rule{{}}}).Equal(Filter{}) || (Filter{Allow: []Rule{{}}}).Equal(Filter{Deny: []Rule{{}}}) {
		t.Error("lists of other lengths are equal")
	}
}

// Another rule of Deny never lets more pass, and what passes one Filter passes it without Deny.
func TestDenyOnlyTakesAway(t *testing.T) {
	hint := rapid.SampledFrom([]*bool{nil, yes, no})
	rule := rapid.Custom(func(t *rapid.T) Rule {
		return Rule{
			Kind: rapid.SampledFrom(append(protocol.Lists(), nil)).Draw(t, "kind"), Name: rapid.SampledFrom([]string{"", "a", "*", "a*", "[", "?/*"}).Draw(t, "name"),
			ReadOnly: hint.Draw(t, "ro"), Destructive: hint.Draw(t, "de"),
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		f := Filter{Allow: rapid.SliceOfN(rule, 0, 3).Draw(t, "allow"), Deny: rapid.SliceOfN(rule, 0, 3).Draw(t, "deny")}
		g := f.Clone()
		g.Deny = append(g.Deny, rule.Draw(t, "more"))
		kind := rapid.SampledFrom(protocol.Lists()).Draw(t, "kind")
		name := rapid.SampledFrom([]string{"", "a", "ab", "b/c"}).Draw(t, "name")
		raw := jsonrpc.Raw(rapid.SampledFrom([]string{"", "{}", `{"annotations":{"readOnlyHint":true}}`, `{"annotations":{"destructiveHint":false}}`, `{"annotations":1}`}).Draw(t, "raw"))
		if g.Passes(kind, name, raw) && !f.Passes(kind, name, raw) {
			t.Fatalf("%+v passes %q, %+v does not", g, name, f)
		}
		if f.Passes(kind, name, raw) && f.Denies(kind, name, raw) {
			t.Fatal("it is denied and passes")
		}
		if !f.Restricts(kind) && !f.Passes(kind, name, raw) {
			t.Fatal("it does not pass, and nothing is restricted")
		}
	})
}
