package main

import (
	"go/ast"
	"go/types"
	"slices"
)

// arguments swaps each two arguments of one type. Calls and function literals
// stay in place: what has an effect is evaluated once.
func (f *finder) arguments(n *ast.CallExpr) {
	first := 0
	switch f.builtin(n) {
	case "":
	case "append":
		first = 1
	default:
		return
	}
	if f.symmetric(n) || n.Ellipsis.IsValid() || f.info.Types[n.Fun].IsType() {
		return
	}
	for i := first; i < len(n.Args); i++ {
		for j := i + 1; j < len(n.Args); j++ {
			a, b := n.Args[i], n.Args[j]
			if !f.quiet(a) || !f.quiet(b) || f.src(a) == f.src(b) || !types.Identical(f.typeOf(a), f.typeOf(b)) {
				continue
			}
			pick, ok := f.generic("Pick", f.typeOf(a), a, b)
			if !ok {
				continue
			}
			shown := f.src(a) + " and " + f.src(b) + " in " + f.src(n)
			if f.hint(a) {
				a, b = b, a // a swapped hint is still a hint
			}
			m := f.add(a, kindArguments, shown, "", pick+"(#, ", ", "+f.src(b)+")")
			m.edits = append(m.edits, f.edit(b, pick+"(#, ", ", "+f.src(a)+")"))
		}
	}
}

// symmetric reports whether the called function is symmetric.
func (f *finder) symmetric(n *ast.CallExpr) bool {
	sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr)
	if !ok {
		return false
	}
	callee, ok := f.info.Uses[sel.Sel].(*types.Func)
	return ok && slices.Contains([]string{"strings.ContainsAny", "strings.EqualFold", "slices.Equal", "bytes.Equal"}, callee.FullName())
}

// builtin returns the name of the called builtin, or "".
func (f *finder) builtin(n *ast.CallExpr) string {
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok {
		return ""
	}
	if b, ok := f.info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// quiet reports whether e can be evaluated again without an effect.
func (f *finder) quiet(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return true
	case *ast.ParenExpr:
		return f.quiet(e.X)
	case *ast.SelectorExpr:
		return f.quiet(e.X)
	case *ast.StarExpr:
		return f.quiet(e.X)
	case *ast.UnaryExpr:
		return f.quiet(e.X)
	case *ast.BinaryExpr:
		return f.quiet(e.X) && f.quiet(e.Y)
	case *ast.IndexExpr:
		return f.quiet(e.X) && f.quiet(e.Index)
	case *ast.SliceExpr:
		for _, x := range []ast.Expr{e.X, e.Low, e.High, e.Max} {
			if x != nil && !f.quiet(x) {
				return false
			}
		}
		return true
	case *ast.CallExpr:
		name := f.builtin(e)
		return len(e.Args) == 1 && f.quiet(e.Args[0]) && (f.info.Types[e.Fun].IsType() || name == "len" || name == "cap")
	}
	return false
}

// generic names a generic function of the switch for values of type t. It is instantiated
// if the file imports the package of the type, and otherwise left to inference if
// none of the values is a constant or nil.
func (f *finder) generic(name string, t types.Type, values ...ast.Expr) (string, bool) {
	if b, ok := t.(*types.Basic); ok && b.Info()&types.IsUntyped != 0 {
		if b.Kind() == types.UntypedNil {
			return "", false
		}
		t = types.Default(t)
	}
	if named, ok := f.typeName(t); ok {
		return "mutant." + name + "[" + named + "]", true
	}
	for _, v := range values {
		if tv := f.info.Types[v]; tv.Value != nil || tv.IsNil() {
			return "", false
		}
	}
	return "mutant." + name, true
}
