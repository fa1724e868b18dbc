package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var (
	prefixed = regexp.MustCompile(`^([a-z][a-z0-9]*): `)
	function = regexp.MustCompile(`((?:[a-z]+/)*[a-z]+)\.([A-Za-z]*)`)
)

// staleNames finds texts with a wrong name of a package or a function: an error of the
// product that begins with the name of another package, and names to look for in stacks.
func staleNames(t *tree) (found []string) {
	report := func(at ast.Node, name, why string) {
		found = append(found, fmt.Sprintf("%v: %s %s", t.fset.Position(at.Pos()), name, why))
	}
	declared := map[string][]string{}
	for _, s := range t.files {
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				declared[s.dir] = append(declared[s.dir], f.Name.Name)
			}
		}
	}
	for _, s := range t.files {
		for _, d := range s.ast.Decls {
			stacks := false // the declaration reads stacks
			ast.Inspect(d, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				stacks = stacks || named(call.Fun, "runtime", "Stack")
				makes := named(call.Fun, "errors", "New") || named(call.Fun, "fmt", "Errorf")
				if !s.product() || s.test() || !makes || len(call.Args) == 0 {
					return true
				}
				if m := prefixed.FindStringSubmatch(text(call.Args[0])); m != nil && m[1] != s.ast.Name.Name {
					report(call, m[1], "is not the package whose error it is")
				}
				return true
			})
			ast.Inspect(d, func(n ast.Node) bool {
				lit, ok := n.(*ast.BasicLit)
				if !ok || !stacks {
					return true
				}
				for _, m := range function.FindAllStringSubmatch(strings.ReplaceAll(text(lit), "github.com/sansmcp/mcp/", ""), -1) {
					if !there(declared, m[1], m[2]) {
						report(lit, m[0], "is in no stack")
					}
				}
				return true
			})
		}
	}
	return found
}

// named reports whether an expression is pkg.name.
func named(e ast.Expr, pkg, name string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == pkg
}

// text returns the value of a string literal, "" for other expressions.
func text(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		s, _ := strconv.Unquote(lit.Value) // an invalid literal does not compile
		return s
	}
	return ""
}

// there reports whether a package, identified by the end of its path, has a function with that prefix.
func there(declared map[string][]string, pkg, name string) bool {
	for dir, functions := range declared {
		for _, f := range functions {
			if strings.HasSuffix("/"+dir, "/"+pkg) && strings.HasPrefix(f, name) {
				return true
			}
		}
	}
	return false
}

func TestStaleNames(t *testing.T) {
	src, err := load(fstest.MapFS{
		"client/child/c.go": {Data: []byte("package child\n\nvar (\n\ta = errors.New(\"child: good\")\n\tb = errors.New(\"stdio: bad\")\n\tc = fmt.Errorf(\"nethttp: %w\", b)\n" +
			"\td = errors.New(\"no prefix: x\")\n\te = f(\"stdio: x\")\n)\n\nfunc startAll() {}\n")},
		"client/child/c_test.go": {Data: []byte("package child\n\nvar a = errors.New(\"stdio: x\")\n\nfunc here() {\n\truntime.Stack(b, true)\n\t_ = []string{\"child.startAll\", \"stdio.startAll\", \"client/child.\", " +
			"\"by github.com/sansmcp/mcp/client/child.start\", \"client/stdio.\", \"child.stop\", \"\\n\\n\"}\n}\n\nfunc other() { _ = \"stdio.x\" }\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"client/child/c.go:5:6: stdio is not the package whose error it is",
		"client/child/c.go:6:6: nethttp is not the package whose error it is",
		"client/child/c_test.go:7:33: stdio.startAll is in no stack",
		"client/child/c_test.go:7:116: client/stdio. is in no stack",
		"client/child/c_test.go:7:133: child.stop is in no stack",
	}
	if diff := cmp.Diff(want, staleNames(src)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
