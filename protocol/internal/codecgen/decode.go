package main

import (
	"fmt"
	"strings"
)

func (g *generator) decode(t structType) {
	g.p("\n// DecodeJSON reads v from raw, which may be empty for absent params; span is the")
	g.p("// Span of the message whose Body raw is, or zero. The error is a *DecodeError, and")
	g.p("// v is then not to be used.")
	g.p("func (v *%s) DecodeJSON(raw Raw, span jsonrpc.Span) error { return v.read(raw, span, false) }", t.name)
	g.p("\n// read is DecodeJSON. With skim, lists and maps are checked and not built.")
	g.p("func (v *%s) read(raw Raw, span jsonrpc.Span, skim bool) error {", t.name)
	g.p("	*v = %s{}", t.name)
	g.p("	o, ok := members(raw, span)")
	g.p("	if !ok { return fault(%q, \"\", ReasonType) }", t.name)
	if len(t.fields) > 0 {
		g.p("	var m [%d]string", len(t.fields))
	}
	g.p("	for {")
	if len(t.fields) > 0 {
		g.p("	key, val, ok := o.Next()")
		g.p("	if !ok { break }")
		g.p("	switch key {")
		for i, f := range t.fields {
			g.p("	case %q: m[%d] = val", f.wire, i)
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
		g.p("		if err := v.%s.%s; err != nil { return within(%s, err) }", f.name, g.reads(inner, raw), at)
		g.p("	}")
		return
	}
	if g.named[f.typ] && !f.optional {
		call := g.reads(f.typ, raw)
		if f.rule == "sampling" {
			call = fmt.Sprintf("readSampling(Raw(%s), skim)", raw)
		}
		g.p("	if !given(%s) { return fault(%s, lack(%s, true)) }", raw, at, raw)
		g.p("	if err := v.%s.%s; err != nil { return within(%s, err) }", f.name, call, at)
		return
	}
	if e, ok := strings.CutPrefix(f.typ, "[]"); ok && g.named[e] {
		g.p("	if err := setList(&v.%s, %s, %s, %t, skim); err != nil { return err }", f.name, at, raw, !f.optional)
		return
	}
	if e, ok := strings.CutPrefix(f.typ, "[]"); ok && g.enums[e] && f.optional {
		g.p("	if r := setEnums(into(&v.%s, skim), %s); r != 0 { return fault(%s, r) }", f.name, raw, at)
		return
	}
	k, ok := g.kind(f)
	target := "&v." + f.name
	if g.enums[f.typ] {
		k, ok, target = kinds["string"], true, "(*string)("+target+")"
	}
	if k.builds {
		target = "into(" + target + ", skim)"
	}
	if !ok || !k.always && !f.optional {
		g.fail(t, f)
		return
	}
	required := ""
	if k.always {
		required = fmt.Sprintf(", %t", !f.optional)
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

// reads is the call that reads a struct.
func (g *generator) reads(typ, raw string) string {
	if g.methods[typ]["DecodeJSON"] && !g.methods[typ]["read"] {
		return fmt.Sprintf("DecodeJSON(Raw(%s), jsonrpc.Span{})", raw)
	}
	return fmt.Sprintf("read(Raw(%s), jsonrpc.Span{}, skim)", raw)
}
