package main

import (
	"cmp"
	"strings"
)

// capability is a member of what a party declares, or a flag of such a member.
type capability struct {
	constant, name string // CapToolsListChanged, tools.listChanged
	member, flag   string // the Go fields: Tools, ListChanged
	typ            string // of the member, without the pointer
	object         bool   // the flag is declared by the presence of an object
	ages           string // as field.ages
}

// declared returns the capabilities of one of the two structs that declare them.
func (g *generator) declared(typ string) (list []capability) {
	for _, f := range g.structNamed(typ).fields {
		inner, ok := strings.CutPrefix(f.typ, "*")
		if !ok || !g.named[inner] {
			continue // experimental ones have no constant
		}
		whole := capability{constant: "Cap" + f.name, name: f.wire, member: f.name, typ: inner, ages: f.ages}
		list = append(list, whole)
		for _, part := range g.structNamed(inner).fields {
			if object := part.typ == "*Flag"; object || part.typ == "bool" {
				c := whole
				c.constant, c.name, c.flag, c.object = c.constant+part.name, c.name+"."+part.wire, part.name, object
				if part.ages != "" {
					c.ages = part.ages
				}
				list = append(list, c)
			}
		}
	}
	return list
}

func (g *generator) structNamed(name string) structType {
	for _, t := range g.structs {
		if t.name == name {
			return t
		}
	}
	return structType{}
}

// capabilities writes the constants of capabilities and what follows from them.
func (g *generator) capabilities() {
	parties := [...]string{"ServerCapabilities", "ClientCapabilities"}
	var all, server []capability
	for i, typ := range parties {
		list := g.declared(typ)
		if all = append(all, list...); i == 0 {
			server = list
		}
	}
	if len(all) == 0 {
		return
	}
	g.p("\n// The capabilities. One is declared by the presence of its object; a flag of it needs the")
	g.p("// flag to be true, or its own object to be there.")
	g.p("const (")
	for i, c := range all {
		first := ""
		if i == 0 {
			first = " Capability = 1 << iota"
		}
		g.p("	%s%s // %s", c.constant, first, c.name)
	}
	g.p(")")
	var constants []string
	for _, c := range server {
		constants = append(constants, c.constant)
	}
	g.p("\n// ServerCaps are those that a server can declare (lifecycle, Capability Negotiation).")
	g.p("const ServerCaps = %s", strings.Join(constants, " | "))
	g.p("\nvar capabilityNames = [...]string{")
	for _, c := range all {
		g.p("	%q,", c.name)
	}
	g.p("}")
	g.p("\nvar capabilityAges = [...]ages{")
	for _, c := range all {
		g.p("	%s,", cmp.Or(c.ages, "{}"))
	}
	g.p("}")
	for _, typ := range parties {
		g.set(typ)
		g.declare(typ)
	}
}

func (g *generator) set(typ string) {
	g.p("\nfunc (v *%s) set() (s Capability) {", typ)
	for _, c := range g.declared(typ) {
		switch at := "v." + c.member; {
		case c.flag == "":
			g.p("	if %s != nil { s |= %s }", at, c.constant)
		case c.object:
			g.p("	if %s != nil && %s.%s != nil { s |= %s }", at, at, c.flag, c.constant)
		default:
			g.p("	if %s != nil && %s.%s { s |= %s }", at, at, c.flag, c.constant)
		}
	}
	g.p("	return s")
	g.p("}")
}

func (g *generator) declare(typ string) {
	g.p("\nfunc (v *%s) declare(s Capability) {", typ)
	for _, c := range g.declared(typ) {
		switch at := "v." + c.member; {
		case c.flag == "":
			g.p("	if s&%s != 0 { %s = &%s{} }", c.constant, at, c.typ)
		case c.object:
			g.p("	if %s != nil && s&%s != 0 { %s.%s = &Flag{} }", at, c.constant, at, c.flag)
		default:
			g.p("	if %s != nil { %s.%s = s&%s != 0 }", at, at, c.flag, c.constant)
		}
	}
	g.p("}")
}
