package uritemplate_test

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	. "github.com/sansmcp/mcp/protocol/uritemplate"
)

// Find with the index finds what trying all templates finds.
func TestFindIsTrial(t *testing.T) {
	begin := rapid.SampledFrom([]string{
		"", "f:///", "f:///x", "f:///%78", "f:///x/", "f:///x/y/", "f:///x?", "f:///x?v=1", "f:///x?v=1&w=2", "f:///%2F", "f:///%2f", "f://", "g:", "f:///ü", "f:///%C3%BC",
	})
	rest := rapid.OneOf(templates(), rapid.SampledFrom([]string{"", "{a}", "{+a}", "{&q,r}", "{&q*}", "{?q,r}", "/{a}", "{/a*}", "{#a}"}))
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		var all []Template
		for range rapid.IntRange(0, 30).Draw(t, "templates") {
			text := begin.Draw(t, "begin") + rest.Draw(t, "rest")
			if tpl, err := Parse(text); err == nil {
				all = append(all, tpl)
			}
		}
		cut := rapid.IntRange(0, len(all)).Draw(t, "at once")
		set := NewSet(all[:cut]...)
		for _, tpl := range all[cut:] {
			set = set.With(tpl)
		}
		for range 5 {
			uri := rapid.OneOf(uris(), rapid.Custom(func(t *rapid.T) string {
				return begin.Draw(t, "begin") + rapid.SampledFrom([]string{"", "x", "x/y", "/", "&q=1", "&r=2&q=1", "?w=2&v=1&q=1", "?r=2&q=1", "#a", "&w=2"}).Draw(t, "end")
			})).Draw(t, "uri")
			f, ok := set.Find(uri)
			g, ok2 := FindByTrial(set, uri)
			if ok != ok2 || f.Index != g.Index || f.Template.String() != g.Template.String() || show(f.Values) != show(g.Values) {
				t.Fatalf("%s: found %v, %v; want %v, %v", uri, f, ok, g, ok2)
			}
			if ok {
				found++
			}
		}
	})
	if found < 50 && !testing.Short() {
		t.Errorf("%d uris had a template: too few to show anything", found)
	}
}

// The number of templates that a Find tries does not grow with those that have another start.
func TestFindTriesFew(t *testing.T) {
	for _, n := range []int{100, 10_000} {
		var all []Template
		var one Set
		for i := range n {
			all = append(all, parse(t, "f:///"+strconv.Itoa(i)+"/{a}"))
			one = one.With(all[i])
		}
		all = append(all, parse(t, "f:///{a}"), parse(t, "{+a}"))
		one = one.With(all[n]).With(all[n+1])
		for name, set := range map[string]Set{"made at once": NewSet(all...), "made one by one": one} {
			if tried := Tried(set, "f:///77/x"); tried != 3 {
				t.Errorf("%d templates %s: a Find tries %d; want 3", n, name, tried)
			}
			if found, ok := set.Find("f:///77/x"); !ok || found.Index != 77 {
				t.Errorf("%d templates %s: found %v, %v", n, name, found.Template, ok)
			}
		}
	}
}

// Parameters in the text of a template have no order either.
func TestFindWithParametersOfText(t *testing.T) {
	set := NewSet(parseAll(t, "f:///x?v=1{&q,r}", "f:///x{&q,r}", "f:///y?v=1{&q,r}")...)
	if found, ok := set.Find("f:///x?r=2&v=1&q=3"); !ok || found.Index != 0 || show(found.Values) != "q=3 r=2" {
		t.Error(found.Template, show(found.Values), ok)
	}
}
