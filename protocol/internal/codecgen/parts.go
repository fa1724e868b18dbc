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
	answers := g.answers()
	most := 0
	for _, t := range g.structs {
		var rows []string
		for _, f := range t.fields {
			if row := g.part(f, answers[t.name]); row != "" {
				rows = append(rows, row)
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

// answers returns the types that a result can have in it, whose odd members are left out (mender).
// What a block of content has, protocol/mend.go says by its kind.
func (g *generator) answers() map[string]bool {
	found := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if found[name] || name == "Content" {
			return
		}
		for _, t := range g.structs {
			if t.name != name {
				continue
			}
			found[name] = true
			for _, f := range t.fields {
				if f.binds && !strings.HasPrefix(f.typ, "[]") {
					continue // it stays as it is
				}
				visit(strings.TrimPrefix(strings.TrimPrefix(f.typ, "[]"), "*"))
			}
		}
	}
	for _, t := range g.structs {
		if strings.HasSuffix(t.name, "Result") {
			visit(t.name)
		}
	}
	visit("Resource") // a link
	return found
}

// part writes one member of a type; "" for one that is required and has nothing optional in it. mended
// says that the member is left out if it is odd.
func (g *generator) part(f field, mended bool) string {
	may, id := f.optional || f.free != "0", partOf(g.source, f)
	elem, isList := strings.CutPrefix(f.typ, "[]")
	if !may && id == "idOpen" && !isList {
		return ""
	}
	row := fmt.Sprintf("name: %q", f.wire)
	if may {
		row += ", optional: true"
	}
	if id != "idOpen" {
		row += ", of: " + id
	}
	k, _ := g.kind(f)
	if k.null {
		row += ", null: " + f.loose
	}
	if f.binds {
		row += ", binds: true"
	}
	if place := placeOf(f); place != "" {
		row += ", place: " + strings.ToLower(place)
	}
	if isList {
		row += ", list: true"
	}
	base := strings.TrimPrefix(elem, "*")
	switch {
	case f.rule == "fields" || !mended || f.binds:
	case g.named[base]:
		row += fmt.Sprintf(", fits: func(val string, how mode) bool { return new(%s).%s == nil }", base, reads("val", "how"))
	case isList && g.enums[elem], g.enums[f.typ]:
		row += fmt.Sprintf(", fits: fitsEnum[%s]", elem)
	case isList, f.typ == "*string":
		row += ", fits: fitsString"
	default:
		set := fmt.Sprintf("var v %s; return %s(&v, val", f.typ, k.set)
		if k.builds {
			set = fmt.Sprintf("return %s(nil, val", k.set)
		}
		if k.always {
			set += ", false"
		}
		if k.arrays {
			set += ", true"
		}
		how := "_"
		if k.loose {
			how = "how"
			set += fmt.Sprintf(", how.age.takes(%s)", f.loose)
		}
		set += ") == 0"
		if k.verify == verifyUnit {
			set += " && " + fmt.Sprintf(verifyUnit, "", "v") + " == 0"
		}
		row += fmt.Sprintf(", fits: func(val string, %s mode) bool { %s }", how, set)
	}
	return "{" + row + "}"
}
