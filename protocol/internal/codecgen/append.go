package main

import (
	"fmt"
	"strings"
)

func (g *generator) append(t structType) {
	g.p("\n// AppendJSON appends v as JSON to dst.")
	g.p("func (v %s) AppendJSON(dst []byte) []byte {", t.name)
	defer g.p("}")
	if len(t.fields) == 0 {
		g.p("	return append(dst, \"{}\"...)")
		return
	}
	// An optional first member writes a comma that closeObject turns to a brace.
	first := t.fields[0]
	if first.optional {
		g.p("	n := len(dst)")
	}
	for i, f := range t.fields {
		sign := ","
		if i == 0 && !f.optional {
			sign = "{"
		}
		if f.optional {
			g.p("	if %s {", present(f))
		}
		g.appendField(t, f, fmt.Sprintf("append(dst, `%s\"%s\":`...)", sign, f.wire))
		if f.optional {
			g.p("	}")
		}
	}
	if first.optional {
		g.p("	return closeObject(dst, n)")
	} else {
		g.p("	return append(dst, '}')")
	}
}

// present is the condition under which the optional field f is written.
func present(f field) string {
	switch {
	case f.typ[0] == '*', f.typ[0] == '[', f.typ[0] == 'm':
		return "v." + f.name + " != nil"
	case f.typ == "bool":
		return "v." + f.name
	}
	return "v." + f.name + ` != ""`
}

// appendField writes the statements that append the value of f to dst, an
// expression of what was appended so far.
func (g *generator) appendField(t structType, f field, dst string) {
	v := "v." + f.name
	inner, isPointer := strings.CutPrefix(f.typ, "*")
	elem, isList := strings.CutPrefix(f.typ, "[]")
	switch {
	case g.named[inner] && f.optional == isPointer:
		g.p("	dst = %s.AppendJSON(%s)", v, dst)
	case isList && g.named[elem] && one(f):
		g.p("	dst = %s", dst)
		g.p("	if len(%s) == 1 { dst = %s[0].AppendJSON(dst) } else {", v, v)
		g.appendList("dst", v)
		g.p("	}")
	case isList && g.named[elem]:
		g.appendList(dst, v)
	case isList && g.enums[elem]:
		g.p("	dst = appendStrings(%s, %s)", dst, v)
	case g.enums[f.typ]:
		g.p("	dst = rawjson.AppendQuote(%s, string(%s))", dst, v)
	default:
		k, ok := g.kind(f)
		if !ok {
			g.fail(t, f)
			return
		}
		form := k.append
		if !f.optional && k.required != "" {
			form = k.required
		}
		g.p("	dst = %s", fmt.Sprintf(form, dst, v))
	}
}

// appendList writes the statements that append the structs of a list to dst.
func (g *generator) appendList(dst, v string) {
	g.p("	dst = append(%s, '[')", dst)
	g.p("	for i := range %s {", v)
	g.p("		if i > 0 { dst = append(dst, ',') }")
	g.p("		dst = %s[i].AppendJSON(dst)", v)
	g.p("	}")
	g.p("	dst = append(dst, ']')")
}
