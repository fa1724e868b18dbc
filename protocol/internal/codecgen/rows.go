package main

import (
	"fmt"
	"strings"
)

// table writes what follows from the rows.
func (g *generator) table() {
	if len(g.rows) == 0 {
		return
	}
	g.p("\n// methodCount is the number of methods, the unknown one included.")
	g.p("const methodCount = %d", len(g.rows)+1)
	g.p("\n// methodIndex returns the number of a method, 0 for one that no revision defines.")
	g.p("func methodIndex(name string) uint8 {")
	g.p("	switch name {")
	for i, r := range g.rows {
		g.p("	case %s: return %d", r.method, i+1)
	}
	g.p("	}")
	g.p("	return 0")
	g.p("}")
	g.p("\n// featureRows are the rows of all features.")
	g.p("var featureRows = [...][]Row{%s}", strings.Join(g.features, ", "))
	g.p("\n// bodyTypes are the types of params and results. Those of methods outside the table")
	g.p("// have a _meta.")
	g.p("var bodyTypes = [methodCount][2]typeID{")
	g.p("	{idPingParams, idEmptyResult},")
	for i, r := range g.rows {
		if r.result == "" {
			g.p("	%d: {BodyParams: id%s},", i+1, r.params)
		} else {
			g.p("	%d: {id%s, id%s},", i+1, r.params, r.result)
		}
	}
	g.p("}")
	for _, r := range g.rows {
		g.p("\n// Method returns %s.", strings.Trim(g.names[r.method], `"`))
		g.p("func (%s) Method() string { return %s }", r.params, r.method)
	}
	g.values()
	g.typeSwitches()
}

// values writes what gives zero values of the types.
func (g *generator) values() {
	g.p("\n// bodyValues returns zero values of the types of params and result of a method.")
	g.p("func bodyValues(index uint8) (Params, Result) {")
	g.p("	switch index {")
	for i, r := range g.rows {
		result := "nil"
		if r.result != "" {
			result = r.result + "{}"
		}
		g.p("	case %d: return %s{}, %s", i+1, r.params, result)
	}
	g.p("	}")
	g.p("	return nil, nil")
	g.p("}")
}

// typeSwitches writes what the types of this package alone tell.
func (g *generator) typeSwitches() {
	g.p("\n// paramsOf returns the number of the method whose params p is of the type of, 0 for")
	g.p("// other types, with what dispatch needs to know of them. p is no nil pointer.")
	g.p("func paramsOf(p Params) (uint8, ParamsInfo) {")
	g.p("	switch v := p.(type) {")
	for i, r := range g.rows {
		info := ""
		for _, t := range g.structs {
			if t.name == r.params {
				info = paramsInfo(t)
			}
		}
		for _, typ := range []string{r.params, "*" + r.params} {
			g.p("	case %s: return %d, ParamsInfo{%s}", typ, i+1, info)
		}
	}
	g.p("	}")
	g.p("	return 0, ParamsInfo{}")
	g.p("}")
	g.p("\n// resultOf returns the number of the method whose results alone are of the type of r,")
	g.p("// 255 for other types.")
	g.p("func resultOf(r Result) uint8 {")
	g.p("	switch r.(type) {")
	for i, r := range g.rows {
		if r.result != "" && g.only(r.result) {
			g.p("	case %s, *%s: return %d", r.result, r.result, i+1)
		}
	}
	g.p("	}")
	g.p("	return 255")
	g.p("}")
}

// only reports whether one method alone has results of the type.
func (g *generator) only(typ string) bool {
	n := 0
	for _, r := range g.rows {
		if r.result == typ {
			n++
		}
	}
	return n == 1
}

// checkRows fails for a row that names what is not there.
func (g *generator) checkRows() {
	for _, r := range g.rows {
		if g.names[r.method] == "" || !g.named[r.params] || r.result != "" && !g.named[r.result] {
			g.err = fmt.Errorf("the row of %s has no method, params or result that this package knows", r.method)
		}
	}
}
