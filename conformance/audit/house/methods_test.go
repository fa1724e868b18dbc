package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// Product code outside protocol names methods in at most maxNamed places: what is
// particular to a method is in its row.
const maxNamed = 51

// dispatched are the methods that the engine knows by name.
var dispatched = []string{"MethodInitialize", "MethodInitialized", "MethodPing", "MethodCancelled", "MethodProgress"}

// namedMethods finds code that names a method instead of using its row.
func namedMethods(t *tree) (found []string) {
	methods := methodConstants(t)
	var places []string
	for _, s := range t.files {
		if !s.product() || s.test() || s.below("protocol") {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok || !slices.Contains(methods, sel.Sel.Name) {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); !ok || pkg.Name != "protocol" {
				return true
			}
			places = append(places, fmt.Sprintf("%s: %s", t.fset.Position(sel.Pos()), sel.Sel.Name))
			if s.below("lifecycle/engine") && !slices.Contains(dispatched, sel.Sel.Name) {
				found = append(found, fmt.Sprintf("%s: the engine names %s", t.fset.Position(sel.Pos()), sel.Sel.Name))
			}
			return true
		})
	}
	if len(places) > maxNamed {
		found = append(found, fmt.Sprintf("methods are named in %d places, at most %d: %s", len(places), maxNamed, strings.Join(places, ", ")))
	}
	return found
}

// methodConstants returns the constants of protocol that name methods.
func methodConstants(t *tree) (names []string) {
	for _, s := range t.files {
		if s.dir != "protocol" || s.test() {
			continue
		}
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, spec := range g.Specs {
				for _, n := range spec.(*ast.ValueSpec).Names {
					if strings.HasPrefix(n.Name, "Method") {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// The rule finds a name in the engine, and one name too many; functions such as
// MethodNotFound do not count.
func TestNamedMethods(t *testing.T) {
	src := fstest.MapFS{
		"protocol/p.go":         {Data: []byte("package protocol\n\nconst (\n\tMethodPing = \"ping\"\n\tMethodToolsCall = \"tools/call\"\n)\n\nfunc MethodNotFound() {}\n")},
		"lifecycle/engine/e.go": {Data: []byte("package engine\n\nvar a, b = protocol.MethodPing, protocol.MethodToolsCall\n")},
		"server/s.go":           {Data: []byte("package server\n\nvar c = protocol.MethodNotFound()\n" + strings.Repeat("var _ = protocol.MethodPing\n", maxNamed-2))},
	}
	for more, want := range []int{1, 2} {
		tree, err := load(src)
		if err != nil {
			t.Fatal(err)
		}
		if found := namedMethods(tree); len(found) != want || !strings.Contains(found[0], "the engine names MethodToolsCall") {
			t.Errorf("%d places: found %q", maxNamed+more, found)
		}
		src["client/c.go"] = &fstest.MapFile{Data: []byte("package client\n\nvar _ = protocol.MethodPing\n")}
	}
}
