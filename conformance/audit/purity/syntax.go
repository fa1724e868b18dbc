package purity

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// syntax finds goroutines, and channels in all their forms.
func (w *walker) syntax(n ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		w.report(n.Pos(), RuleGo, "starts a goroutine")
	case *ast.SelectStmt:
		w.report(n.Pos(), RuleSelect, "select")
	case *ast.ChanType:
		w.report(n.Pos(), RuleChan, "a channel type")
	case *ast.SendStmt:
		w.report(n.Arrow, RuleChan, "sends on a channel")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			w.report(n.Pos(), RuleChan, "receives from a channel")
		}
	case ast.Expr:
		if t := w.info.TypeOf(n); t != nil {
			if _, ok := t.Underlying().(*types.Chan); ok {
				w.report(n.Pos(), RuleChan, "a channel")
			}
		}
	}
}

// uses finds identifiers in Rules.Functions, those excluded by Rules.Names, and the builtins that print.
func (w *walker) uses(n ast.Node) {
	id, ok := n.(*ast.Ident)
	if !ok {
		return
	}
	obj := w.info.Uses[id]
	if obj == nil {
		return
	}
	if b, ok := obj.(*types.Builtin); ok {
		if b.Name() == "print" || b.Name() == "println" {
			w.report(id.Pos(), RuleAmbient, b.Name()+" uses the console")
		}
		return
	}
	name := fullName(obj)
	if why, ok := w.rules.Functions[name]; ok {
		w.report(id.Pos(), RuleAmbient, name+" "+why)
	}
	if obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return
	}
	if names, ok := w.rules.Names[obj.Pkg().Path()]; ok && !slices.Contains(names, obj.Name()) {
		w.report(id.Pos(), RuleAmbient, name+" is not in the list of what may be used of its package")
	}
}

// fullName returns time.Now, (time.Time).Local and the like, "" for names that are
// local to a function or have no package.
func fullName(obj types.Object) string {
	if f, ok := obj.(*types.Func); ok {
		return f.Origin().FullName()
	}
	if obj == nil || obj.Pkg() == nil || obj.Parent() != obj.Pkg().Scope() {
		return ""
	}
	return obj.Pkg().Path() + "." + obj.Name()
}

// callee returns the called object, nil if it has no name.
func (w *walker) callee(call *ast.CallExpr) (types.Object, *ast.Ident) {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return w.info.Uses[f], f
	case *ast.SelectorExpr:
		return w.info.Uses[f.Sel], f.Sel
	}
	return nil, nil
}
