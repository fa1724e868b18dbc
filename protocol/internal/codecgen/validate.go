package main

import (
	"fmt"
	"slices"
	"strings"
)

func (g *generator) validate(t structType) {
	g.p("\n// Validate reports whether v can be sent. The error is a *DecodeError.")
	g.p("func (v %s) Validate() error {", t.name)
	for _, f := range t.fields {
		g.validateField(t, f)
	}
	g.p("	return nil")
	g.p("}")
}

func (g *generator) validateField(t structType, f field) {
	v := "v." + f.name
	at := fmt.Sprintf("%q, %q", t.name, f.wire)
	inner, isPointer := strings.CutPrefix(f.typ, "*")
	elem, isList := strings.CutPrefix(f.typ, "[]")
	switch {
	case g.named[inner] && !g.fallible(inner), isList && g.named[elem] && !g.fallible(elem):
	case g.named[inner]:
		call := validates(f)
		if isPointer {
			g.p("	if %s != nil {", v)
		}
		g.p("	if err := %s.%s; err != nil { return within(%s, err) }", v, call, at)
		if isPointer {
			g.p("	}")
		}
	case isList && g.named[elem]:
		g.p("	for i := range %s {", v)
		g.p("		if err := %s[i].%s; err != nil { return within(%q, item(%q, i), err) }", v, validates(f), t.name, f.wire)
		g.p("	}")
	case isList && g.enums[elem]:
		g.p("	for i := range %s {", v)
		g.p("		if !%s[i].Valid() { return fault(%q, item(%q, i), ReasonValue) }", v, t.name, f.wire)
		g.p("	}")
	case g.enums[f.typ] && f.optional:
		g.p("	if %s != \"\" && !%s.Valid() { return fault(%s, ReasonValue) }", v, v, at)
	case g.enums[f.typ]:
		g.p("	if !%s.Valid() { return fault(%s, ReasonValue) }", v, at)
	default:
		if k, _ := g.kind(f); k.verify != "" {
			if f.optional && f.rule == "uri" {
				g.p("	if %s != \"\" {", v)
				defer g.p("	}")
			}
			g.p("	if r := %s; r != 0 { return fault(%s, r) }", fmt.Sprintf(k.verify, "", v), at)
		}
	}
	if f.rule == "request" {
		g.token(t, f)
	}
}

// validates is the call that checks a value of the field, or an element.
func validates(f field) string {
	if place := placeOf(f); place != "" {
		return "validate" + place + "()"
	}
	return "Validate()"
}

// fallible reports whether some value of the struct type is not valid. path holds
// the types that the question came through.
func (g *generator) fallible(name string, path ...string) bool {
	if g.methods[name]["Validate"] {
		return true
	}
	path = append(path, name)
	for _, t := range g.structs {
		for _, f := range t.fields {
			base := strings.TrimLeft(f.typ, "*[]")
			k, _ := g.kind(f)
			if t.name == name && (k.verify != "" || g.enums[base] ||
				g.named[base] && !slices.Contains(path, base) && g.fallible(base, path...)) {
				return true
			}
		}
	}
	return false
}
