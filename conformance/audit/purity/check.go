package purity

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Check looks for violations of the rules in the module or part of a module in
// dir. Findings are in the order of files and lines. Packages that do
// not compile are checked as far as possible, with a Finding of RuleLoad.
// Check needs the go command, and returns an error if it cannot run it.
func Check(dir string, rules Rules) ([]Finding, error) {
	var findings []Finding
	checked := map[string]*types.Package{}
	if len(rules.Packages) > 0 {
		all, err := list(dir, append([]string{"-deps", "-export"}, rules.Packages...)...)
		if err != nil {
			return nil, err
		}
		byPath := map[string]*listed{}
		for _, p := range all {
			byPath[p.ImportPath] = p
		}
		for _, p := range all {
			if p.DepOnly || below(p.rel, rules.Skip) {
				continue
			}
			w := walker{pkg: p, rules: &rules, known: byPath}
			checked[p.ImportPath] = w.check()
			findings = append(findings, w.findings...)
		}
	}
	all, err := list(dir, "./...")
	if err != nil {
		return nil, err
	}
	findings = append(findings, arrows(all, rules)...)
	findings = append(findings, stale(all, checked, rules)...)
	return arrange(findings), nil
}

// walker checks one package.
type walker struct {
	pkg   *listed
	rules *Rules
	known map[string]*listed

	fset     *token.FileSet
	info     *types.Info
	sorted   map[*ast.Ident]bool // uses of maps.Keys and maps.Values that are sorted immediately
	findings []Finding
}

// check collects the findings and returns the package, typed as far as possible.
func (w *walker) check() *types.Package {
	if w.pkg.Error != nil {
		w.file("", RuleLoad, w.pkg.Error.Err)
	}
	driver := below(w.pkg.rel, w.rules.Drivers)
	if !driver {
		w.build()
	}
	w.fset = token.NewFileSet()
	var files []*ast.File
	for _, name := range w.pkg.GoFiles {
		f, err := parser.ParseFile(w.fset, filepath.Join(w.pkg.Dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			w.file(name, RuleLoad, err.Error())
		}
		if f != nil {
			files = append(files, f)
		}
	}
	pkg := w.types(files)
	for _, f := range files {
		w.imports(f)
		w.directives(f)
		w.findSorted(f)
		ast.Inspect(f, func(n ast.Node) bool {
			w.order(n)
			if !driver {
				w.syntax(n)
				w.uses(n)
				w.mapOrder(n)
				w.globals(n)
			}
			return true
		})
	}
	return pkg
}

func (w *walker) types(files []*ast.File) *types.Package {
	w.info = &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{
		Importer: importer.ForCompiler(w.fset, "gc", w.export),
		Error: func(err error) {
			if e := (types.Error{}); errors.As(err, &e) {
				w.report(e.Pos, RuleLoad, e.Msg)
			}
		},
	}
	// Errors went to conf.Error; what could be checked is in w.info.
	pkg, _ := conf.Check(w.pkg.ImportPath, w.fset, files, w.info)
	return pkg
}

// export opens the export data of a package.
func (w *walker) export(importPath string) (io.ReadCloser, error) {
	p := w.known[importPath]
	if p == nil || p.Export == "" {
		return nil, fmt.Errorf("package %s does not compile", importPath)
	}
	return os.Open(p.Export)
}

func (w *walker) report(pos token.Pos, rule Rule, text string) {
	p := w.fset.Position(pos)
	if p.Filename != "" {
		p.Filename = path.Join(w.pkg.rel, filepath.Base(p.Filename))
	} else {
		p.Filename = w.pkg.rel
	}
	w.findings = append(w.findings, Finding{Pos: p, Rule: rule, Text: text})
}

func (w *walker) file(name string, rule Rule, text string) {
	w.findings = append(w.findings, Finding{
		Pos:  token.Position{Filename: path.Join(w.pkg.rel, name)},
		Rule: rule,
		Text: strings.TrimSpace(text),
	})
}
