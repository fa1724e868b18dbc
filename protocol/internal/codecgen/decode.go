package main

import (
	"fmt"
	"strings"
)

func (g *generator) decode(t structType) {
	g.p("\n// DecodeJSON reads v from raw, which may be empty for absent params; span is the")
	g.p("// Span of the message whose Body raw is, or zero. The error is a *DecodeError, and")
	g.p("// v is then not to be used.")
	g.p("func (v *%s) DecodeJSON(raw Raw, span jsonrpc.Span) error { return v.read(raw, span, mode{}) }", t.name)
	g.p("\n// read is DecodeJSON in the given mode.")
	g.p("func (v *%s) read(raw Raw, span jsonrpc.Span, how mode) error {", t.name)
	g.p("	*v = %s{}", t.name)
	g.p("	var o rawjson.Object")
	g.p("	if !members(&o, raw, span) { return fault(%q, \"\", ReasonType) }", t.name)
	if len(t.fields) > 0 {
		g.p("	var m [%d]string", len(t.fields))
	}
	g.p("	for {")
	if len(t.fields) > 0 {
		g.p("	key, val, ok := o.Next()")
		g.p("	if !ok { break }")
		g.p("	switch key {")
		for i, f := range t.fields {
			if f.ages == "" {
				g.p("	case %q: m[%d] = val", f.wire, i)
			} else {
				g.p("	case %q: if how.age.in(%s) { m[%d] = val }", f.wire, f.ages, i)
			}
		}
		if t.asks {
			g.p("	case %q, %q: if how.skim { v.Input = noted }", "inputResponses", "requestState")
		}
		g.p("	}")
	} else {
		g.p("	if _, _, ok := o.Next(); !ok { break }")
	}
	g.p("	}")
	g.p("	if o.Bad() { return fault(%q, \"\", ReasonSyntax) }", t.name)
	for i, f := range t.fields {
		g.decodeField(t, f, fmt.Sprintf("m[%d]", i))
	}
	g.p("	return nil")
	g.p("}")
}

func (g *generator) decodeField(t structType, f field, raw string) {
	at := fmt.Sprintf("%q, %q", t.name, f.wire)
	if inner, ok := strings.CutPrefix(f.typ, "*"); ok && g.named[inner] && f.optional {
		g.p("	if given(%s) {", raw)
		g.p("		v.%s = &%s{}", f.name, inner)
		g.p("		if err := v.%s.%s; err != nil { return within(%s, err) }", f.name, reads(raw, "how"), at)
		g.p("	}")
		return
	}
	if g.named[f.typ] && !f.optional {
		call := reads(raw, placed(f))
		g.p("	if !given(%s) { return fault(%s, lack(%s, true)) }", raw, at, raw)
		g.p("	if err := v.%s.%s; err != nil { return within(%s, err) }", f.name, call, at)
		return
	}
	if e, ok := strings.CutPrefix(f.typ, "[]"); ok && g.named[e] {
		set := "setList"
		switch {
		case f.rule == "lenient":
			set = "setGood"
		case one(f):
			if f.arrays != "0" {
				g.p("	if !how.age.in(ages{%s, 0}) && given(%s) && %s[0] == '[' { return fault(%s, ReasonType) }", f.arrays, raw, raw, at)
			}
			set = "setOne"
		}
		g.p("	if err := %s(&v.%s, %s, %s, %t, %s); err != nil { return err }", set, f.name, at, raw, !f.optional, placed(f))
		return
	}
	if e, ok := strings.CutPrefix(f.typ, "[]"); ok && g.enums[e] && f.optional {
		g.p("	if r := setEnums(into(&v.%s, how.skim), %s); r != 0 { return fault(%s, r) }", f.name, raw, at)
		return
	}
	k, ok := g.kind(f)
	target := "&v." + f.name
	if g.enums[f.typ] {
		k, ok, target = kinds["string"], true, "(*string)("+target+")"
	}
	if k.builds {
		target = "into(" + target + ", how.skim)"
	}
	if !ok || !k.always && !f.optional {
		g.fail(t, f)
		return
	}
	required := ""
	if k.always {
		required = fmt.Sprintf(", %t", !f.optional)
		if f.free != "0" {
			required = fmt.Sprintf(", how.age.every() || !how.age.in(ages{%s, %s})", f.free, f.again)
		}
	}
	switch {
	case k.loose:
		required += fmt.Sprintf(", how.age.takes(%s)", f.loose)
	case k.arrays && f.arrays == "0":
		required += ", false"
	case k.arrays:
		required += fmt.Sprintf(", how.age.in(ages{%s, 0})", f.arrays)
	}
	g.p("	if r := %s(%s, %s%s); r != 0 { return fault(%s, r) }", k.set, target, raw, required, at)
	switch {
	case g.enums[f.typ] && f.optional:
		g.p("	if given(%s) && !v.%s.Valid() { return fault(%s, ReasonValue) }", raw, f.name, at)
	case g.enums[f.typ]:
		g.p("	if !v.%s.Valid() { return fault(%s, ReasonValue) }", f.name, at)
	case f.rule == "request":
		g.token(t, f)
	case k.verify == verifyUnit:
		g.p("	if r := %s; r != 0 { return fault(%s, r) }", fmt.Sprintf(verifyUnit, "", "v."+f.name), at)
	}
}
