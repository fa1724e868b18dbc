package house

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// shared are the exported names that more than maxShared packages of the product have, with their
// meaning in all of them. A name with two meanings is replaced in one of
// them.
var shared = map[string]string{
	"New":            "makes the value that the package is for",
	"Options":        "the settings of a driver or of one function",
	"Config":         "the settings of a machine",
	"Restore":        "makes a machine of its Snapshot",
	"Error":          "what every failed request or call of the package comes to",
	"Event":          "what happened, or what a stream of server-sent events has",
	"Policy":         "how long, how often and in which way; the zero value does what is usual",
	"Reason":         "why it failed, as a number with a text",
	"RequestOptions": "the settings of one request; those of a driver embed those of its machine",
	"Status":         "what the method Status returns: what goes on at the moment",
}

const maxShared = 3

// sharedNames finds exported names that too many packages have, without aliases for the
// same name of another package, and unneeded entries of allowed.
func sharedNames(t *tree, allowed map[string]string) (found []string) {
	dirs := map[string]map[string]bool{}
	for _, s := range t.files {
		if s.test() || s.nested || !s.public() || s.ast.Name.Name == "main" {
			continue
		}
		for name := range declares(s.ast) {
			if dirs[name] == nil {
				dirs[name] = map[string]bool{}
			}
			dirs[name][s.dir] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		if n := len(dirs[name]); n > maxShared && allowed[name] == "" {
			found = append(found, fmt.Sprintf("%s is in %d packages: %s", name, n, strings.Join(slices.Sorted(maps.Keys(dirs[name])), ", ")))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if n := len(dirs[name]); n <= maxShared {
			found = append(found, fmt.Sprintf("%s is in %d packages, and need not be allowed", name, n))
		}
	}
	return found
}

// declares returns the exported names of a file, without methods and aliases.
func declares(f *ast.File) map[string]bool {
	names := map[string]bool{}
	add := func(name *ast.Ident) {
		if name.IsExported() {
			names[name.Name] = true
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					if !spec.Assign.IsValid() {
						add(spec.Name)
					}
				case *ast.ValueSpec:
					for i, name := range spec.Names {
						if len(spec.Values) != len(spec.Names) || !sameName(spec.Values[i], name.Name) {
							add(name)
						}
					}
				}
			}
		}
	}
	return names
}

// sameName reports whether an expression is the name of another package.
func sameName(e ast.Expr, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == name
}

func TestSharedNames(t *testing.T) {
	src, err := load(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range sharedNames(src, shared) {
		t.Error(f)
	}
}

func TestBrokenSharedNames(t *testing.T) {
	fsys := fstest.MapFS{"client/away/go.mod": {}}
	for dir, text := range map[string]string{
		"client":            "type A struct{}\n\nconst B = 1\n\nfunc C() {}\n\nvar D, E int\n\ntype F = x.F\n\nconst G = x.G\n",
		"client/a":          "type A struct{}\n\nconst B = 1\n\nfunc C() {}\n\nvar D, E int\n\ntype F = x.F\n\nvar G = x.G\n",
		"server":            "const (\n\tA = iota\n\tB\n)\n\nfunc C() {}\n\nvar D, E int\n\ntype F = x.F\n\nconst G = x.G\n",
		"server/a":          "const (\n\tA = iota\n\tB\n)\n\nfunc (x) C() {}\n\nvar E int\n\ntype F struct{}\n\nconst G = x.H\n",
		"server/internal/a": "var C, D int\n",
		"client/away":       "var C, D int\n",
		"conformance":       "var C, D int\n",
	} {
		fsys[dir+"/x.go"] = &fstest.MapFile{Data: []byte("package p\n\n" + text)}
	}
	src, err := load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"A is in 4 packages: client, client/a, server, server/a",
		"B is in 4 packages: client, client/a, server, server/a",
		"D is in 3 packages, and need not be allowed",
	}
	if diff := cmp.Diff(want, sharedNames(src, map[string]string{"D": "x", "E": "x"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
