package purity

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// order finds comparisons by order of unordered types.
func (w *walker) order(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch n.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			w.ordered(n.X)
			w.ordered(n.Y)
		}
	case *ast.CallExpr:
		obj, _ := w.callee(n)
		if b, ok := obj.(*types.Builtin); ok && (b.Name() == "min" || b.Name() == "max") {
			w.ordered(n.Args...)
		}
		switch fullName(obj) {
		case "cmp.Compare", "cmp.Less", "strings.Compare":
			w.ordered(n.Args...)
		}
	}
}

func (w *walker) ordered(operands ...ast.Expr) {
	for _, e := range operands {
		if name := w.unordered(e); name != "" {
			w.report(e.Pos(), RuleOrder, "values of "+name+" have no order")
		}
	}
}

// unordered returns the type of Rules.Unordered that e has, is converted
// from, or is the text of; "" for others.
func (w *walker) unordered(e ast.Expr) string {
	for {
		e = ast.Unparen(e)
		t := w.info.TypeOf(e)
		if t == nil {
			return ""
		}
		if named, ok := types.Unalias(t).(*types.Named); ok {
			obj := named.Obj()
			if name := fullName(obj); obj.Pkg() != nil && obj.Pkg().Path() != w.pkg.ImportPath && slices.Contains(w.rules.Unordered, name) {
				return name
			}
		}
		switch x := e.(type) {
		case *ast.CallExpr:
			if w.info.Types[x.Fun].IsType() && len(x.Args) == 1 {
				e = x.Args[0]
				continue
			}
			b, isBasic := t.Underlying().(*types.Basic)
			sel, isSelector := ast.Unparen(x.Fun).(*ast.SelectorExpr)
			if !isSelector || !isBasic || b.Info()&types.IsString == 0 || w.info.Selections[sel] == nil {
				return ""
			}
			e = sel.X
		case *ast.SelectorExpr:
			if w.info.Selections[x] == nil {
				return ""
			}
			e = x.X
		default:
			return ""
		}
	}
}
