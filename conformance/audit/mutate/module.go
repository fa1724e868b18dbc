package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// patterns are the mutated packages.
var patterns = []string{"./jsonrpc/...", "./protocol/...", "./lifecycle/...", "./server/...", "./client/..."}

// module is the module that the command runs in.
type module struct {
	path, dir string
	exports   map[string]string // compiled packages, by import path
	targets   []*target
}

// target is a mutated package.
type target struct {
	path, dir string
	fset      *token.FileSet
	files     []*ast.File
	text      map[*ast.File]string
	pkg       *types.Package
	info      *types.Info
}

// listed is the output of go list for a package.
type listed struct {
	ImportPath, Dir, Name, Export, ForTest string
	GoFiles, Deps                          []string
	DepOnly                                bool
}

// goList decodes the output of go list.
func goList(dir string, args ...string) ([]listed, error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Name,Export,ForTest,GoFiles,Deps,DepOnly"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var list []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return list, nil
		case err != nil:
			return nil, err
		}
		list = append(list, p)
	}
}

// loadModule parses and checks the mutated packages.
func loadModule(dir string) (*module, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Path}}\n{{.Dir}}")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("not inside the module: %w", err)
	}
	path, dir, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	mod := &module{path: path, dir: dir, exports: map[string]string{}}
	list, err := goList(dir, append([]string{"-export", "-deps"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		mod.exports[p.ImportPath] = p.Export
	}
	for _, p := range list {
		if p.DepOnly || strings.Contains(p.ImportPath, "/internal/") {
			continue
		}
		t := &target{path: p.ImportPath, dir: p.Dir, fset: token.NewFileSet(), text: map[*ast.File]string{}}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			if err := t.parse(filepath.Join(p.Dir, name), string(text)); err != nil {
				return nil, err
			}
		}
		if err := t.check(mod.importer(t.fset)); err != nil {
			return nil, err
		}
		mod.targets = append(mod.targets, t)
	}
	return mod, nil
}

// importer reads compiled packages.
func (mod *module) importer(fset *token.FileSet) types.Importer {
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		file := mod.exports[path]
		if file == "" {
			return nil, fmt.Errorf("no compiled package %s", path)
		}
		return os.Open(file)
	})
}

func (t *target) parse(name, text string) error {
	f, err := parser.ParseFile(t.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.files = append(t.files, f)
	t.text[f] = text
	return nil
}

func (t *target) check(imp types.Importer) (err error) {
	t.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	conf := types.Config{Importer: imp}
	t.pkg, err = conf.Check(t.path, t.fset, t.files, t.info)
	return err
}

// mutants returns all mutants of all targets.
func (mod *module) mutants() ([]*mutant, error) {
	var all []*mutant
	for _, t := range mod.targets {
		for _, f := range t.files {
			if ast.IsGenerated(f) {
				continue
			}
			name, err := filepath.Rel(mod.dir, t.fset.File(f.Pos()).Name())
			if err != nil {
				return nil, err
			}
			all = append(all, t.find(f, filepath.ToSlash(name), mod.path+"/lifecycle")...)
		}
	}
	slices.SortStableFunc(all, byPlace)
	identify(all)
	return all, nil
}

// apart are the packages whose tests check the source tree or the commands, not the
// library.
var apart = []string{"conformance/cmd/", "conformance/audit/"}

// judging returns the packages whose tests depend on a mutated package.
func (mod *module) judging() ([]listed, error) {
	list, err := goList(mod.dir, "-test", "./...")
	if err != nil {
		return nil, err
	}
	var judges []listed
	for _, p := range list {
		path, isTest := strings.CutSuffix(p.ImportPath, ".test")
		rel := strings.TrimPrefix(path, mod.path+"/")
		if !isTest || slices.ContainsFunc(apart, func(a string) bool { return strings.HasPrefix(rel+"/", a) }) {
			continue
		}
		if slices.ContainsFunc(p.Deps, func(dep string) bool {
			dep, _, _ = strings.Cut(dep, " ")
			return slices.ContainsFunc(mod.targets, func(t *target) bool { return t.path == dep })
		}) {
			judges = append(judges, listed{ImportPath: path, Dir: rel, Deps: p.Deps})
		}
	}
	return judges, nil
}

// copyTo copies the module without .git, installed npm packages and the failing inputs
// of rapid. It copies nested modules because tests of the module read their files.
func (mod *module) copyTo(dst string) error {
	return filepath.WalkDir(mod.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(mod.dir, name)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if rel != "." && (d.Name() == ".git" || d.Name() == "node_modules" || strings.HasSuffix(filepath.ToSlash(rel), "testdata/rapid")) {
				return fs.SkipDir
			}
			return os.MkdirAll(filepath.Join(dst, rel), 0o755)
		}
		if !d.Type().IsRegular() || d.Name() == ".git" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dst, rel), text, 0o644)
	})
}
