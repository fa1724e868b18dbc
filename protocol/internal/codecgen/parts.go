package main

import (
	"fmt"
	"strings"
)

// parts writes what the types are made of as data: their optional members, and the
// members whose types have such.
func (g *generator) parts() {
	g.p("\n// The types of the schema.")
	g.p("const (")
	g.p("idOpen typeID = iota // not looked into")
	for _, t := range g.structs {
		if t.tagged || g.methods[t.name]["AppendJSON"] && g.methods[t.name]["DecodeJSON"] {
			g.p("id%s", t.name)
		}
	}
	g.p("idCount")
	g.p(")")
	g.p("\nvar parts = [...][]part{")
	most := 0
	for _, t := range g.structs {
		var rows []string
		for _, f := range t.fields {
			may := f.optional || f.free != "0"
			if id := partOf(g.source, f); may || id != "idOpen" {
				rows = append(rows, fmt.Sprintf("{%q, %t, %s}", f.wire, may, id))
			}
		}
		if len(rows) > 0 {
			g.p("id%s: {%s},", t.name, strings.Join(rows, ", "))
		}
		most = max(most, len(rows))
	}
	g.p("}")
	g.p("\n// maxParts is the largest number of parts of a type.")
	g.p("const maxParts = %d", most)
}

// partOf returns the constant for the type of a field, or of its elements.
func partOf(s *source, f field) string {
	inner := strings.TrimPrefix(strings.TrimPrefix(f.typ, "*"), "[]")
	switch {
	case f.rule == "fields":
		return "idFields"
	case placeOf(f) == "Sampling":
		return "idSamplingContent"
	case s.named[inner]:
		return "id" + inner
	case f.rule == "schema":
		return "idSchema"
	case f.rule == "request":
		return "idRequestMeta"
	}
	return "idOpen"
}
