package texts

import (
	"iter"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// Values yields the examples, which are JSON without blanks, and what is made of them by putting
// each of others in the place of a value, by another name for a member, and by a member twice.
func Values(others []string, examples ...string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, s := range examples {
			if !yield(s) {
				return
			}
			for _, v := range valuesOf(s) {
				before, val, after := s[:v.at], s[v.at:v.end], s[v.end:]
				for _, other := range others {
					if !yield(before + other + after) {
						return
					}
				}
				if v.name > 0 && (!yield(s[:v.name+1]+"x"+s[v.name+1:]) || !yield(before+val+","+s[v.name:v.at]+val+after)) {
					return
				}
			}
		}
	}
}

// value is where a value is: name is where its name begins, 0 without one.
type value struct{ name, at, end int }

// valuesOf returns the values of a JSON text, the outer ones first.
func valuesOf(s string) (list []value) {
	var walk func(at, name int)
	walk = func(at, name int) {
		list = append(list, value{name, at, rawjson.Skip(s, at, rawjson.DefaultDepth)})
		isObject := s[at] == '{'
		if !isObject && s[at] != '[' || s[at+1] == s[at]+2 { // a bracket is ended by the next but one
			return
		}
		for i := at + 1; ; {
			name := 0
			if isObject {
				name = i
				_, i = rawjson.Key(s, i)
			}
			walk(i, name)
			if i = rawjson.Skip(s, i, rawjson.DefaultDepth); s[i] != ',' {
				return
			}
			i++
		}
	}
	walk(0, 0)
	return list
}

// Aside returns a text with each object or array that is the value of a member of this name set aside,
// with a short string in its place, and what puts them back.
func Aside(name, text string) (short string, back func(string) string) {
	var pairs []string
	for at := 0; ; {
		i := strings.Index(text[at:], `"`+name+`":`)
		if i < 0 {
			return text, strings.NewReplacer(pairs...).Replace
		}
		at += i + len(name) + 3
		mark := `"#` + name + strconv.Itoa(len(pairs)) + `"`
		end := rawjson.Skip(text, at, rawjson.DefaultDepth)
		pairs = append(pairs, mark, text[at:end])
		text = text[:at] + mark + text[end:]
	}
}
