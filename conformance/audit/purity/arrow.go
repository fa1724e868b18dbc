package purity

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// arrows finds imports that violate the layers. In-package tests count like
// the package; external test packages may import upward.
func arrows(pkgs []*listed, rules Rules) []Finding {
	rel := map[string]string{}
	for _, p := range pkgs {
		rel[p.ImportPath] = p.rel
	}
	var findings []Finding
	for _, p := range pkgs {
		from, ok := layerOf(p.rel, rules.Layers)
		if !ok {
			continue
		}
		for _, imported := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(p.Imports, p.TestImports)))) {
			dir, ok := rel[imported]
			if !ok {
				continue
			}
			to, ok := layerOf(dir, rules.Layers)
			if !ok || to.Dir == from.Dir || slices.Contains(from.Imports, to.Dir) {
				continue
			}
			findings = append(findings, Finding{
				Pos:  token.Position{Filename: p.rel},
				Rule: RuleArrow,
				Text: fmt.Sprintf("%s may not import %s", from.Dir, dir),
			})
		}
	}
	return findings
}

// layerOf returns the layer with the longest Dir that contains dir.
func layerOf(dir string, layers []Layer) (Layer, bool) {
	var best Layer
	found := false
	for _, l := range layers {
		if (dir == l.Dir || strings.HasPrefix(dir, l.Dir+"/")) && (!found || len(l.Dir) > len(best.Dir)) {
			best, found = l, true
		}
	}
	return best, found
}
