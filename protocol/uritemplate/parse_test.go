package uritemplate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "github.com/sansmcp/mcp/protocol/uritemplate"
)

func parse(t interface {
	Helper()
	Fatalf(string, ...any)
}, template string) Template {
	t.Helper()
	tpl, err := Parse(template)
	if err != nil {
		t.Fatalf("%q: %v", template, err)
	}
	return tpl
}

func fault(err error) Error {
	var e *Error
	if errors.As(err, &e) {
		return *e
	}
	return Error{}
}

func TestParse(t *testing.T) {
	const text = "a'%41ü\U000F0000{x,y.z%20_1:12}{+a*}{#b}{.c}{/d:9999}{;e}{?f,F*}{&g}"
	want := []Var{
		{Name: "x"}, {Name: "y.z%20_1", Prefix: 12}, {"a", '+', 0, true}, {Name: "b", Operator: '#'}, {Name: "c", Operator: '.'},
		{"d", '/', 9999, false}, {Name: "e", Operator: ';'}, {Name: "f", Operator: '?'}, {"F", '?', 0, true}, {Name: "g", Operator: '&'},
	}
	tpl := parse(t, text)
	if diff := cmp.Diff(want, tpl.Vars()); diff != "" || tpl.String() != text {
		t.Errorf("%v is %s", diff, tpl)
	}
	if tpl.Vars()[0].Name = "changed"; tpl.Vars()[0].Name != "x" {
		t.Error("the caller changed a template")
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		template string
		want     Error
	}{
		{strings.Repeat("a", MaxTemplate+1), Error{MaxTemplate, ReasonLength}},
		{"a}", Error{1, ReasonClose}}, {"{a}}", Error{3, ReasonClose}},
		{"a{", Error{1, ReasonOpen}}, {"a{b", Error{1, ReasonOpen}}, {"{+", Error{0, ReasonOpen}}, {"{a,", Error{0, ReasonOpen}},
		{"{a.", Error{0, ReasonOpen}}, {"{a:", Error{0, ReasonOpen}}, {"{a:1", Error{0, ReasonOpen}}, {"{a:0", Error{0, ReasonOpen}},
		{"{a*", Error{0, ReasonOpen}},
		{"{}", Error{1, ReasonEmpty}}, {"{?}", Error{2, ReasonEmpty}},
		{"{=a}", Error{1, ReasonOperator}}, {"{,a}", Error{1, ReasonOperator}}, {"{!a}", Error{1, ReasonOperator}},
		{"{@a}", Error{1, ReasonOperator}}, {"{|a}", Error{1, ReasonOperator}},
		{"{-a}", Error{1, ReasonName}}, {"{$a}", Error{1, ReasonName}}, {"{~a}", Error{1, ReasonName}}, {"{+?a}", Error{2, ReasonName}},
		{"{ a}", Error{1, ReasonName}}, {"{a }", Error{2, ReasonName}}, {"{a, b}", Error{3, ReasonName}}, {"{a-b}", Error{2, ReasonName}},
		{"{.a.}", Error{3, ReasonName}}, {"{a..b}", Error{2, ReasonName}}, {"{a,.b}", Error{3, ReasonName}}, {"{a,}", Error{3, ReasonName}},
		{"{%2x}", Error{1, ReasonName}}, {"{ü}", Error{1, ReasonName}}, {"{a{b}}", Error{2, ReasonName}}, {"{a**}", Error{3, ReasonName}},
		{"{a=b}", Error{2, ReasonName}},
		{"{a:}", Error{3, ReasonPrefix}}, {"{a:0}", Error{3, ReasonPrefix}}, {"{a:01}", Error{3, ReasonPrefix}},
		{"{a:10000}", Error{7, ReasonPrefix}}, {"{a:b}", Error{3, ReasonPrefix}}, {"{a:-1}", Error{3, ReasonPrefix}},
		{"{a:1*}", Error{4, ReasonModifiers}}, {"{a*:1}", Error{3, ReasonModifiers}},
		{"a b", Error{1, ReasonLiteral}}, {"%", Error{0, ReasonLiteral}}, {"a%4", Error{1, ReasonLiteral}}, {"%zz", Error{0, ReasonLiteral}},
		{"\x00", Error{0, ReasonLiteral}}, {`"`, Error{0, ReasonLiteral}}, {"<", Error{0, ReasonLiteral}}, {`\`, Error{0, ReasonLiteral}},
		{"a\xff", Error{1, ReasonLiteral}}, {"\u0080", Error{0, ReasonLiteral}}, {"\uFDD0", Error{0, ReasonLiteral}},
		{"\uFFFD", Error{0, ReasonLiteral}}, {"\U0001FFFE", Error{0, ReasonLiteral}}, {"\U000E0FFF", Error{0, ReasonLiteral}},
	} {
		tpl, err := Parse(c.template)
		if got := fault(err); got != c.want || tpl != (Template{}) {
			t.Errorf("%.20q: %v, want %v", c.template, err, &c.want)
		}
	}
}

func TestReasons(t *testing.T) {
	seen := map[string]bool{}
	for r := Reason(0); r <= ReasonComposite; r++ {
		if s := r.String(); s == "" || seen[s] {
			t.Errorf("reason %d is called %q", r, s)
		}
		seen[r.String()] = true
	}
	if (ReasonComposite+1).String() != Reason(0).String() || (&Error{3, ReasonOpen}).Error() != "uritemplate: { without } at 3" {
		t.Error("another text")
	}
}

func TestValues(t *testing.T) {
	items, pairs := []string{"a", "b"}, []Pair{{"k", "v"}, {"l", ""}}
	list, table := List(items...), Pairs(pairs...)
	items[0], pairs[0].Value = "changed", "changed"
	list.List()[0], table.Pairs()[0].Name = "changed", "changed"
	for _, c := range []struct {
		v     Value
		kind  Kind
		text  string
		list  []string
		pairs []Pair
	}{
		{Value{}, KindUndefined, "", nil, nil}, {List(), KindUndefined, "", nil, nil}, {Pairs(), KindUndefined, "", nil, nil},
		{Text(""), KindText, "", []string{""}, nil}, {Text("a,b"), KindText, "a,b", []string{"a,b"}, nil},
		{list, KindList, "a,b", []string{"a", "b"}, nil},
		{table, KindPairs, "k,v,l,", []string{"k", "v", "l", ""}, []Pair{{"k", "v"}, {"l", ""}}},
	} {
		if c.v.Kind() != c.kind || c.v.String() != c.text || !cmp.Equal(c.v.List(), c.list) || !cmp.Equal(c.v.Pairs(), c.pairs) ||
			c.v.Defined() != (c.kind != KindUndefined) {
			t.Errorf("%d %q %q %q", c.v.Kind(), c.v, c.v.List(), c.v.Pairs())
		}
	}
	different := []Value{{}, Text(""), Text("a,b"), List("a,b"), list, List("k", "v", "l", ""), table}
	for i, v := range different {
		for j, w := range different {
			if v.Equal(w) != (i == j) {
				t.Errorf("%d and %d: %t", i, j, v.Equal(w))
			}
		}
	}
	values := Values{{"a", Text("1")}, {"b", Text("2")}, {"b", Text("3")}}
	if values.Get("b").String() != "2" || values.Get("c").Defined() {
		t.Error(values)
	}
}
