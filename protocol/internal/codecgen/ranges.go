package main

import (
	"fmt"
	"strings"
)

// ranges writes what the revisions differ by as data: the members that not all of them
// have, and those by whose type one gets there.
func (g *generator) ranges() {
	differ := map[string]bool{} // the types with such members
	for grown := true; grown; {
		grown = false
		for _, t := range g.structs {
			for _, f := range t.fields {
				if !f.inline && !differ[t.name] && (f.ages != "" || f.loose != "0" || differ[base(f)]) {
					differ[t.name], grown = true, true
				}
			}
		}
	}
	most := 0
	g.p("\nvar shapes = [...]shape{")
	for _, t := range g.structs {
		var rows []string
		for _, f := range t.fields {
			if f.inline {
				continue
			}
			of, ages := "idOpen", "ages{}"
			if differ[base(f)] {
				of = partOf(g.source, f)
			}
			if f.ages != "" {
				ages = f.ages
			}
			if f.loose != "0" {
				rows = append(rows, fmt.Sprintf("{%q, %s, %s, %s, %s, func(val string) bool { return %s(new(Raw), val, true, false) == 0 }}",
					f.wire, ages, of, f.arrays, f.loose, kinds[f.typ+" "+f.rule].set))
			} else if f.ages != "" || of != "idOpen" {
				rows = append(rows, fmt.Sprintf("{%q, %s, %s, %s, 0, nil}", f.wire, ages, of, f.arrays))
			}
		}
		if len(rows) > 0 {
			g.p("id%s: {%q, []member{%s}},", t.name, t.schema, strings.Join(rows, ", "))
		}
		most = max(most, len(rows))
	}
	g.p("}")
	g.p("\n// maxMembers is the largest number of members of a shape.")
	g.p("const maxMembers = %d", most)
	g.p("\n// contentKinds are the types of content that not every revision has.")
	g.p("var contentKinds = [...]contentKind{")
	for _, c := range g.kinds {
		g.p("{%s, %q, %s},", c.name, c.schema, c.ages)
	}
	g.p("}")
}
