package coverage

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/conformance/transcript"
	"github.com/sansmcp/mcp/protocol"
)

// timeless are the packages whose functions have a revision as an argument or need none.
var timeless = []string{"jsonrpc", "protocol"}

// goPackage is the common part of the test files of a package.
type goPackage struct {
	fset     *token.FileSet
	funcs    map[string]*ast.FuncDecl
	walkers  map[string][]string // helpers by name, with the revisions they range over
	timeless bool
}

// goCases finds the rows named in the test files of a package.
func goCases(root, dir string, paths []string, found ledger) error {
	p := &goPackage{fset: token.NewFileSet(), funcs: map[string]*ast.FuncDecl{}, walkers: map[string][]string{}}
	p.timeless = slices.ContainsFunc(timeless, func(t string) bool { return dir == t || strings.HasPrefix(dir, t+"/") })
	var files []*ast.File
	for _, path := range paths {
		file, err := parser.ParseFile(p.fset, filepath.Join(root, path), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
		for _, fn := range functions(file) {
			p.funcs[fn.Name.Name] = fn
			p.walkers[fn.Name.Name] = within(fn.Body, walked)
		}
	}
	for i, file := range files {
		for _, fn := range functions(file) {
			if !strings.HasPrefix(fn.Name.Name, "Test") {
				continue
			}
			if err := p.test(file, fn, paths[i]+" "+fn.Name.Name, found); err != nil {
				return fmt.Errorf("%s: %w", p.fset.Position(fn.Pos()), err)
			}
		}
	}
	return nil
}

func functions(file *ast.File) (list []*ast.FuncDecl) {
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil {
			list = append(list, fn)
		}
	}
	return list
}

// test finds the rows of a test function and of its subtests.
func (p *goPackage) test(file *ast.File, fn *ast.FuncDecl, name string, found ledger) error {
	whole, err := declared(fn.Doc)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(fn.Doc.Text(), "\n") {
		if ids, ok := strings.CutPrefix(line, "rows: "); ok {
			for _, id := range strings.Fields(ids) {
				found.add(id, name, first(whole, p.derived(fn.Body)))
			}
		}
	}
	visit := func(n ast.Node, around []ast.Node) bool {
		id := subtest(n)
		if id == "" {
			return true
		}
		own, e := declared(p.above(file, n))
		if e != nil {
			err = e
		}
		var all []string
		for _, outer := range around {
			all = first(all, p.walks(outer))
		}
		found.add(id, name, first(own, whole, all, p.derived(n)))
		return true
	}
	ast.PreorderStack(fn.Body, nil, visit)
	ast.Inspect(fn.Body, func(n ast.Node) bool { // helpers passed by name
		if body := p.handed(n); body != nil {
			ast.PreorderStack(body, []ast.Node{n}, visit)
		}
		return true
	})
	return err
}

// first returns the first nonempty list.
func first(lists ...[]string) []string {
	for _, list := range lists {
		if len(list) > 0 {
			return list
		}
	}
	return nil
}

// declared returns the revisions in a line "revisions: …" of a comment.
func declared(comment *ast.CommentGroup) ([]string, error) {
	for line := range strings.SplitSeq(comment.Text(), "\n") {
		if list, ok := strings.CutPrefix(line, "revisions: "); ok {
			revisions, err := transcript.Revisions(list)
			return nameAll(revisions), err
		}
	}
	return nil, nil
}

// derived returns the revisions of a test that declares none.
func (p *goPackage) derived(test ast.Node) []string {
	if all := within(test, p.walks); all != nil {
		return all
	}
	if p.timeless && within(test, names) == nil {
		return nameAll(protocol.AllRevisions())
	}
	return []string{Default}
}

// above returns the comment that ends on the line before the node, or nil.
func (p *goPackage) above(file *ast.File, n ast.Node) *ast.CommentGroup {
	line := p.fset.Position(n.Pos()).Line
	for _, c := range file.Comments {
		if p.fset.Position(c.End()).Line == line-1 {
			return c
		}
	}
	return nil
}

// walks returns the revisions that the node ranges over, itself or through a helper
// that it passes a function to.
func (p *goPackage) walks(n ast.Node) []string {
	if p.handed(n) != nil {
		return p.walkers[nameOf(n.(*ast.CallExpr).Fun)]
	}
	return walked(n)
}

// handed returns the body of the function that a call passes to a helper which ranges over
// all revisions, nil for other nodes.
func (p *goPackage) handed(n ast.Node) ast.Node {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	if helper, ok := call.Fun.(*ast.Ident); !ok || p.walkers[helper.Name] == nil {
		return nil
	}
	for _, arg := range call.Args {
		switch arg := arg.(type) {
		case *ast.FuncLit:
			return arg.Body
		case *ast.Ident:
			if fn := p.funcs[arg.Name]; fn != nil {
				return fn.Body
			}
		}
	}
	return nil
}

// walked returns the revisions that the node ranges over, or nil.
func walked(n ast.Node) []string {
	loop, ok := n.(*ast.RangeStmt)
	if !ok {
		return nil
	}
	call, ok := loop.X.(*ast.CallExpr)
	switch {
	case !ok || len(call.Args) > 0:
	case nameOf(call.Fun) == "Revisions":
		return nameAll(protocol.Revisions())
	case nameOf(call.Fun) == "AllRevisions":
		return nameAll(protocol.AllRevisions())
	}
	return nil
}

// names returns the revision of package protocol that the node names, or nil.
func names(n ast.Node) []string {
	if name, ok := n.(*ast.Ident); ok && strings.HasPrefix(name.Name, "Revision2") {
		return []string{name.Name}
	}
	return nil
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// subtest returns the row that a node runs a subtest for, or "".
func subtest(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 2 {
		return ""
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); !ok || sel.Sel.Name != "Run" {
		return ""
	}
	lit, ok := call.Args[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	name, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return rowID.FindString(name)
}

// within returns the first list of the node or of a node below it.
func within(n ast.Node, list func(ast.Node) []string) (found []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if found == nil && n != nil {
			found = list(n)
		}
		return found == nil
	})
	return found
}
