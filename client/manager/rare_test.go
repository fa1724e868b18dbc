package manager

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
)

// What copies of a connection share is written by way of edit alone: c.failures++ would change the Managers of
// before as well, and few tests look at what they were.
func TestSharedIsEdited(t *testing.T) {
	shared := map[string]bool{"rare": true}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[rare]()) {
		shared[f.Name] = true
	}
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || name == "restore.go" { // which fills in a new one
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			var to []ast.Expr
			switch n := n.(type) {
			case *ast.AssignStmt:
				to = n.Lhs
			case *ast.IncDecStmt:
				to = []ast.Expr{n.X}
			}
			for _, x := range to {
				of := ""
				for s, ok := x.(*ast.SelectorExpr); ok; s, ok = s.X.(*ast.SelectorExpr) {
					of = s.Sel.Name
					if id, is := s.X.(*ast.Ident); is && id.Name == "c" && shared[of] && !(name == "conn.go" && of == "rare") {
						t.Errorf("%v: c.%s is shared: write c.edit().%s", set.Position(x.Pos()), of, of)
					}
				}
				if of != "" {
					seen++
				}
			}
			return true
		})
	}
	if seen < 50 {
		t.Errorf("only %d members are written: the test looks at the wrong thing", seen)
	}
}
