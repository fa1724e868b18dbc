package purity

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// stale finds names in the rules that the tree does not have: such a rule checks nothing.
// checked are the checked packages, by import path.
func stale(all []*listed, checked map[string]*types.Package, rules Rules) (findings []Finding) {
	report := func(where, text string) {
		findings = append(findings, Finding{Pos: token.Position{Filename: where}, Rule: RuleRules, Text: text})
	}
	directory := func(dir, rule string) {
		if dir != "." && !slices.ContainsFunc(all, func(p *listed) bool { return below(p.rel, []string{dir}) }) {
			report(dir, fmt.Sprintf("%s names a directory without a package", rule))
		}
	}
	for _, dir := range rules.Skip {
		directory(dir, "Skip")
	}
	for _, dir := range rules.Drivers {
		directory(dir, "Drivers")
	}
	for _, dir := range slices.Sorted(maps.Keys(rules.Standard)) {
		directory(dir, "Standard")
	}
	for _, l := range rules.Layers {
		directory(l.Dir, "Layers")
		for _, imported := range l.Imports {
			if !slices.ContainsFunc(rules.Layers, func(o Layer) bool { return o.Dir == imported }) {
				report(l.Dir, fmt.Sprintf("Layers lets it import %s, which is no layer", imported))
			}
		}
	}
	for _, name := range rules.Unordered {
		dot := strings.LastIndexByte(name, '.')
		pkg := checked[name[:max(dot, 0)]]
		if pkg == nil {
			report(name, "Unordered names a type of a package that is not checked")
		} else if _, ok := pkg.Scope().Lookup(name[dot+1:]).(*types.TypeName); !ok {
			report(name, "Unordered names a type that is not there")
		}
	}
	return findings
}
