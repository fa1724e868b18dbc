package uritemplate_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/conformance/texts"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// Of all short texts the same ones are templates, and they have the same variables, expansions and
// matches; others are refused at the same place for the same reason.
func TestAllShortTemplates(t *testing.T) {
	values := uritemplate.Values{
		{Name: "a", Value: uritemplate.Text("x/é%")}, {Name: "b", Value: uritemplate.List("1", "", "c,d")},
		{Name: "c", Value: uritemplate.Pairs(uritemplate.Pair{Name: "k", Value: "v"}, uritemplate.Pair{Name: "l", Value: "="})}, {Name: "d", Value: uritemplate.Text("")},
	}
	all := func(s string) string {
		p, err := uritemplate.Parse(s)
		if err != nil {
			return fmt.Sprint(err)
		}
		uri, err := p.Expand(values)
		found, ok := p.Match(uri)
		exact, is := p.MatchExact(uri)
		return fmt.Sprintf("%+v %s %v %+v %v %+v %v", p.Vars(), uri, err, found, ok, exact, is)
	}
	texts.Same(t, "22621 of 22621, aa907636", texts.Every(4, "{", "}", "a", "b", "c", ",", "*", ":2", "+", "#", "/", "?"), all)
	texts.Same(t, "22621 of 22621, ae295425", texts.Every(4, "{a}", "{b*}", "{/c}", "{?d,a:1}", "{&b}", "{.a}", "{;c*,d}", "{+a}", "{#b}", "/", "x", "%41"), all)
	texts.Same(t, "15998 of 15998, 566e1ec8", texts.Near("x:/{a}/b%2Fé{+c*}{?d,a:10}", "{#a_b.c,%41d}{;e:9999}{.f}{/g*}{&h}"), all)
}

// What a uri is to templates of all kinds is what it was, and so is which of them takes it.
func TestAllShortMatches(t *testing.T) {
	var list []uritemplate.Template
	for _, s := range []string{"{a}", "a/{b}", "{a}/{b}", "{+a}", "a{/b*}", "a{?b,c}", "a{?b*}", "a?b={c}{&d}", "a{#b}", "a{.b,c}", "a{;b,c}", "{a:2}{b}", "a%20{b}", "{a}a{b}", "{a},{b}", "a/{+b}/a"} {
		p, err := uritemplate.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	set := uritemplate.NewSet(list...)
	all := func(uri string) string {
		found, ok := set.Find(uri)
		out := fmt.Sprintf("%v %d %+v", ok, found.Index, found.Values)
		for _, p := range list {
			if values, ok := p.Match(uri); ok {
				out += fmt.Sprintf(" %v: %+v", p, values)
			}
		}
		return out
	}
	texts.Same(t, "16105 of 16105, 2c599f07", texts.Every(4, "a", "/", "?", "b=", "&", "c", "#", ",", ";", ".", "%20"), all)
	texts.Same(t, "8774 of 8774, b2ac9c71", texts.Near("a/b%2f%C3%A9/a?b=1&c=2#x", "é.a,b;b=1"), all)
}
