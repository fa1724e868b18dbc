package main

import (
	"go/ast"
	"go/token"
	"slices"
)

// order swaps two neighbouring statements that emit.
func (f *finder) order(list []ast.Stmt) {
	for i := 1; i < len(list); i++ {
		a, b := list[i-1], list[i]
		if !f.movable(a) || !f.movable(b) || f.apart(a, b) {
			continue
		}
		m := f.add(a, kindOrder, f.head(a)+" after "+f.head(b), "", "if mutant.On(#) { "+f.src(b)+" }; ", "")
		m.edits = append(m.edits, f.edit(b, "if !mutant.On(#) { ", " }"))
	}
}

// movable reports whether the statement emits, does not declare what others need and does not
// leave.
func (f *finder) movable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE {
			return false
		}
	case *ast.ExprStmt, *ast.IfStmt, *ast.RangeStmt:
	default:
		return false
	}
	stays := f.emits(s)
	ast.Inspect(s, func(n ast.Node) bool {
		switch n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ReturnStmt, *ast.BranchStmt, *ast.LabeledStmt:
			stays = false
		}
		return stays
	})
	return stays
}

// apart reports whether the two set different fields of an Output: their order
// makes no difference.
func (f *finder) apart(a, b ast.Stmt) bool {
	first, ok := f.sets(a)
	second, also := f.sets(b)
	return ok && also && !slices.ContainsFunc(first, func(name string) bool { return slices.Contains(second, name) })
}

// setters are the functions that set one field of an Output each and read no field that
// another of them sets.
var setters = map[string]string{
	"Refuse": "Send", "Reply": "Send", "Violation": "Events", "Ignored": "Events", "LocalViolation": "Events", "Downgraded": "Events",
}

// sets returns the fields of an Output that a statement assigns; false if it passes an Output
// to another function, or assigns a whole one.
func (f *finder) sets(s ast.Stmt) (list []string, ok bool) {
	ok = true
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			sel, method := n.Fun.(*ast.SelectorExpr)
			if field := setters[calledName(n)]; field != "" {
				list = append(list, "o."+field)
				return ok
			}
			ok = ok && !(method && f.isOutput(f.typeOf(sel.X))) && !slices.ContainsFunc(n.Args, func(e ast.Expr) bool { return f.isOutput(f.typeOf(e)) })
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				ok = ok && !f.isOutput(f.typeOf(left))
				if sel, is := left.(*ast.SelectorExpr); is && f.isOutput(f.typeOf(sel.X)) {
					list = append(list, f.src(left))
				}
			}
		}
		return ok
	})
	return list, ok
}

// calledName returns the name of the called function, without its package.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}
