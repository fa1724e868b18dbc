package mapping_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/sansmcp/mcp/"

// tree is a checkout; each folder is parsed once.
type tree struct {
	t     *testing.T
	root  string
	files map[string][]*ast.File // by folder; that of the tests ends in " test"
}

func newTree(t *testing.T) *tree { return &tree{t, "../../..", map[string][]*ast.File{}} }

func (r *tree) at(name string) string { return path.Join(r.root, name) }

// sources returns the Go files of a folder, tests or the others.
func (r *tree) sources(dir string, tests bool) []*ast.File {
	r.t.Helper()
	key := dir
	if tests {
		key += " test"
	}
	if files, ok := r.files[key]; ok {
		return files
	}
	var files []*ast.File
	list, err := os.ReadDir(r.at(dir))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, e := range list {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") != tests {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path.Join(r.at(dir), e.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			r.t.Fatal(err)
		}
		files = append(files, f)
	}
	r.files[key] = files
	return files
}

// identifiers returns what the packages export: pkg.Name, pkg.Type.Method and
// pkg.Type.Field; for an alias of another of these packages, what that has.
func (r *tree) identifiers(dirs ...string) map[string]bool {
	known, alias := map[string]bool{}, map[string]string{}
	for _, dir := range dirs {
		pkg := path.Base(dir)
		for _, f := range r.sources(dir, false) {
			imported := map[string]bool{}
			for _, i := range f.Imports {
				if p, _ := strconv.Unquote(i.Path.Value); strings.HasPrefix(p, module) {
					imported[path.Base(p)] = true
				}
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					known[pkg+"."+receiver(d)+d.Name.Name] = true
				case *ast.GenDecl:
					for _, s := range d.Specs {
						declare(known, alias, imported, pkg, s)
					}
				}
			}
		}
	}
	for name, of := range alias {
		for other := range known {
			if rest, ok := strings.CutPrefix(other, of+"."); ok {
				known[name+"."+rest] = true
			}
		}
	}
	return known
}

// receiver returns the type of a method with a dot, or nothing.
func receiver(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if name, ok := typ.(*ast.Ident); ok {
		return name.Name + "."
	}
	return "?."
}

func declare(known map[string]bool, alias map[string]string, imported map[string]bool, pkg string, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			known[pkg+"."+n.Name] = true
		}
	case *ast.TypeSpec:
		name := pkg + "." + s.Name.Name
		known[name] = true
		switch typ := s.Type.(type) {
		case *ast.StructType:
			for _, f := range typ.Fields.List {
				for _, n := range f.Names {
					known[name+"."+n.Name] = true
				}
			}
		case *ast.SelectorExpr:
			if x, ok := typ.X.(*ast.Ident); ok && s.Assign.IsValid() && imported[x.Name] {
				alias[name] = x.Name + "." + typ.Sel.Name
			}
		}
	}
}

// hasTest reports whether the folder has the test, example or fuzz target, and its
// subtest, if one is named.
func (r *tree) hasTest(dir, name string) bool {
	if info, err := os.Stat(r.at(dir)); err != nil || !info.IsDir() {
		return false
	}
	name, sub, _ := strings.Cut(name, "/")
	funcs := map[string]*ast.FuncDecl{}
	for _, f := range r.sources(dir, true) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				funcs[fn.Name.Name] = fn
			}
		}
	}
	fn := funcs[name]
	if fn == nil || sub == "" {
		return fn != nil
	}
	if runs(fn, sub) {
		return true
	}
	found := false
	ast.Inspect(fn, func(n ast.Node) bool { // what it passes to a helper by name
		if call, ok := n.(*ast.CallExpr); ok {
			for _, arg := range call.Args {
				if id, ok := arg.(*ast.Ident); ok && funcs[id.Name] != nil {
					found = found || runs(funcs[id.Name], sub)
				}
			}
		}
		return !found
	})
	return found
}

// runs reports whether a function has a subtest with that name.
func runs(fn *ast.FuncDecl, sub string) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 2 {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Run" {
				if lit, ok := call.Args[0].(*ast.BasicLit); ok && lit.Value == strconv.Quote(sub) {
					found = true
				}
			}
		}
		return true
	})
	return found
}
