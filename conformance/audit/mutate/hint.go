package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A capacity is a hint: with any number the result holds the same, because append
// grows it. A mutant of it survives by construction and says nothing about
// the tests. So hints are not mutated: the last argument of a make with a length too or
// of a map, and the Grow of the standard library. A bound on a hint is not a hint: without it
// the peer chooses how much memory is used.

// hint reports whether n, at the top of the stack or below, is part of a hint.
func (f *finder) hint(n ast.Node) bool {
	within := func(e ast.Node) bool { return e.Pos() <= n.Pos() && n.End() <= e.End() }
	for _, up := range append(f.stack[:len(f.stack):len(f.stack)], n) {
		switch up := up.(type) {
		case *ast.ExprStmt:
			if call, ok := up.X.(*ast.CallExpr); ok && f.grows(call) {
				return true
			}
		case *ast.AssignStmt:
			if len(up.Rhs) == 1 {
				call, ok := up.Rhs[0].(*ast.CallExpr)
				if ok && f.grows(call) && len(call.Args) == 2 && f.src(call.Args[0]) == f.src(up.Lhs[0]) {
					return true
				}
			}
		case *ast.CallExpr:
			last := len(up.Args) - 1
			if f.grows(up) && within(up.Args[last]) {
				return true
			}
			if f.builtin(up) != "make" || last < 1 {
				continue
			}
			if _, isMap := f.typeOf(up).Underlying().(*types.Map); (isMap || last == 2) && within(up.Args[last]) {
				return true
			}
		}
	}
	return false
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// grows reports whether a Grow of the standard library is called.
func (f *finder) grows(n *ast.CallExpr) bool {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	callee, _ := f.info.Uses[sel.Sel].(*types.Func)
	return callee != nil && callee.Name() == "Grow" && slices.Contains([]string{"bytes", "slices", "strings"}, callee.Pkg().Path())
}

// levels reports whether the comparison, moved by one, only sets a variable to its present
// value: if a > b { a = b }.
func (f *finder) levels(n *ast.BinaryExpr) bool {
	up, ok := f.stack[len(f.stack)-1].(*ast.IfStmt)
	if !ok || up.Cond != n || up.Else != nil || len(up.Body.List) != 1 || !isInteger(f.typeOf(n.X)) || !f.quiet(n.X) || !f.quiet(n.Y) {
		return false
	}
	set, ok := up.Body.List[0].(*ast.AssignStmt)
	if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 {
		return false
	}
	x, y, left, right := f.src(n.X), f.src(n.Y), f.src(set.Lhs[0]), f.src(set.Rhs[0])
	return x == left && y == right || x == right && y == left
}

// makesAnew reports whether the comparison with a capacity, moved by one, only allocates
// where the room just suffices: the result is the same.
func (f *finder) makesAnew(n *ast.BinaryExpr) bool {
	isCap := func(e ast.Expr) bool {
		call, ok := ast.Unparen(e).(*ast.CallExpr)
		return ok && f.builtin(call) == "cap"
	}
	switch n.Op {
	case token.LSS, token.GEQ:
		return isCap(n.X)
	case token.GTR, token.LEQ:
		return isCap(n.Y)
	}
	return false
}
