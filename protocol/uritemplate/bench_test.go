package uritemplate_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/sansmcp/mcp/protocol/uritemplate"
)

func BenchmarkMatch(b *testing.B) {
	for _, c := range []struct{ name, template, uri string }{
		{"short", "db://{table}/{row}", "db://users/17"},
		{"query", "db://{table}/{row}{?columns,limit}", "db://users/17?columns=name,age&limit=10"},
		{"other", "db://{table}/{row}", "file:///etc/motd"},
		{"hostile10k", "{+a}{+b}{+c}", strings.Repeat("a", 10_000)},
		{"hostile20k", "{+a}{+b}{+c}", strings.Repeat("a", 20_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			tpl := parse(b, c.template)
			b.ReportAllocs()
			for b.Loop() {
				tpl.Match(c.uri)
			}
		})
	}
}

func BenchmarkExpand(b *testing.B) {
	tpl := parse(b, "db://{table}/{row}{?columns,limit}")
	values := Values{{"table", Text("users")}, {"row", Text("17")}, {"columns", List("name", "age")}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tpl.Expand(values); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	var all []Template
	for i := range 100 {
		all = append(all, parse(b, fmt.Sprintf("s%d://{a}/{b}", i)))
	}
	set := NewSet(all...)
	b.ReportAllocs()
	for b.Loop() {
		set.Find("s50://x/y")
	}
}
