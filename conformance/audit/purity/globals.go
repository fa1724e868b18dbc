package purity

import (
	"go/ast"
	"go/token"
	"go/types"
)

// globals finds package-level variables that functions change.
func (w *walker) globals(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			for _, e := range n.Lhs {
				w.change(e)
			}
		}
	case *ast.IncDecStmt:
		w.change(n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			w.change(n.Key)
			w.change(n.Value)
		}
	case *ast.CallExpr:
		obj, _ := w.callee(n)
		if b, ok := obj.(*types.Builtin); ok && len(n.Args) > 0 {
			switch b.Name() {
			case "clear", "copy", "delete":
				w.change(n.Args[0])
			}
		}
	case *ast.SelectorExpr:
		// A method with a pointer receiver, called on a variable, takes its
		// address.
		sel := w.info.Selections[n]
		if sel == nil || sel.Kind() != types.MethodVal || isPointer(sel.Recv()) {
			return
		}
		if recv := sel.Obj().(*types.Func).Signature().Recv(); recv != nil && isPointer(recv.Type()) && !sel.Indirect() {
			w.change(n.X)
		}
	}
}

// change reports e if it is a package-level variable or a part of one.
func (w *walker) change(e ast.Expr) {
	for e != nil {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if w.info.Selections[x] != nil {
				e = x.X
				continue
			}
			e = x.Sel
		case *ast.Ident:
			v, ok := w.info.Uses[x].(*types.Var)
			if ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				w.report(x.Pos(), RuleGlobal, "changes the package-level variable "+v.Name())
			}
			return
		default:
			return
		}
	}
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
