package limits_test

import (
	"fmt"
	"strings"
)

// shape makes a JSON value of about n bytes that may cost more than its size
// suggests.
type shape struct {
	name string
	of   func(n int) string
}

// many repeats an item between brackets, up to n bytes; %d in it is numbered.
func many(open, item, shut string) func(int) string {
	return func(n int) string {
		var b strings.Builder
		b.WriteString(open)
		for i := 0; i == 0 || b.Len() < n-len(shut); i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			if strings.Contains(item, "%d") {
				fmt.Fprintf(&b, item, i)
			} else {
				b.WriteString(item)
			}
		}
		b.WriteString(shut)
		return b.String()
	}
}

// text repeats a part of a string.
func text(open, part string) func(int) string {
	return func(n int) string { return `"` + open + strings.Repeat(part, max(n-2-len(open), 1)/len(part)) + `"` }
}

// deep nests as deep as a message may, repeatedly.
func deep(open, core, shut string) func(int) string {
	const depth = 400
	return many("[", strings.Repeat(open, depth)+core+strings.Repeat(shut, depth), "]")
}

var shapes = []shape{
	{"long string", text("", "x")},
	{"escapes", text("", `\u0041\n`)},
	{"unpaired surrogates", text("", `\ud800`)},
	{"slashes", text("file:///", "a/")},
	{"triplets", text("c:", "%41")},
	{"braces", text("a:", "{+a}")},
	{"arrays", deep("[", "", "]")},
	{"objects", deep(`{"a":`, "0", "}")},
	{"members", many("{", `"k%d":0`, "}")},
	{"texts by name", many("{", `"k%d":"v"`, "}")},
	{"equal names", many("{", `"a":0`, "}")},
	{"names with escapes", many("{", `"\u0061%d":""`, "}")},
	{"nulls", many("[", "null", "]")},
	{"members that are null", many("{", `"k%d":null`, "}")},
	{"empty objects", many("[", "{}", "]")},
	{"empty strings", many("[", `""`, "]")},
	{"numbers", many("[", "1e5", "]")},
	{"long number", func(n int) string { return strings.Repeat("7", n) }},
	{"long fraction", func(n int) string { return "0." + strings.Repeat("0", n) + "1" }},
	{"blanks", func(n int) string { return "[" + strings.Repeat(" \n", n/2) + "]" }},
}

// filled are the templates with a shape in place of $, as entries for take.
func filled(name string, templates []string, most float64, take func(text string) func()) (list []entry) {
	for _, t := range templates {
		for _, s := range shapes {
			list = append(list, entry{
				name: name + " " + t + ", " + s.name, most: most, one: true,
				of: func(n int) func() { return take(strings.Replace(t, "$", s.of(n), 1)) },
			})
		}
	}
	return list
}
