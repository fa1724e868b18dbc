package purity

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

// build reports the files that the type checker does not see.
func (w *walker) build() {
	for _, name := range w.pkg.IgnoredGoFiles {
		if !strings.HasSuffix(name, "_test.go") {
			w.file(name, RuleBuild, "left out by a build constraint")
		}
	}
	for _, names := range [][]string{w.pkg.CgoFiles, w.pkg.CFiles, w.pkg.SFiles, w.pkg.SysoFiles} {
		for _, name := range names {
			w.file(name, RuleBuild, "not written in Go alone")
		}
	}
}

func (w *walker) imports(f *ast.File) {
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has reported it
		}
		switch {
		case w.standard(p):
			if !below(w.pkg.rel, w.rules.Drivers) && !slices.Contains(w.allowed(), p) {
				w.report(spec.Pos(), RuleImport, fmt.Sprintf("%s is not in the list of what may be imported here", p))
			}
		case !w.own(p):
			w.report(spec.Pos(), RuleImport, fmt.Sprintf("%s is outside of the module and the standard library", p))
		}
	}
}

// allowed returns the standard library packages that the package may import.
func (w *walker) allowed() []string {
	for dir := w.pkg.rel; ; dir = path.Dir(dir) {
		if list, ok := w.rules.Standard[dir]; ok || dir == "." {
			return list
		}
	}
}

// standard reports whether the import path belongs to the standard library,
// whose paths have no dot in their first element.
func (w *walker) standard(importPath string) bool {
	if p := w.known[importPath]; p != nil {
		return p.Standard
	}
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// own reports whether the import path is in the checked tree.
func (w *walker) own(importPath string) bool {
	p := w.known[importPath]
	return p != nil && !p.Standard && p.rel != "" && !strings.HasPrefix(p.rel, "..")
}

// directives reports the compiler directives that give a function without a body
// any implementation.
func (w *walker) directives(f *ast.File) {
	for _, group := range f.Comments {
		for _, c := range group.List {
			for _, prefix := range []string{"//go:linkname", "//go:wasmimport", "//go:cgo_"} {
				if strings.HasPrefix(c.Text, prefix) {
					w.report(c.Pos(), RuleDirective, strings.TrimPrefix(prefix, "//"))
				}
			}
		}
	}
}
