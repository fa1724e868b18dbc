package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// A capacity is a hint: whatever number it is, what is made holds the same, and append
// makes up for too little. A mutant of it survives by construction and says nothing about
// the tests. So hints are left alone: the last argument of a make that has a length too or
// makes a map, the Grow of the standard library and what it is given, and the variables and parameters that end up nowhere
// else. A bound on a hint is none: without it the peer chooses how much memory is taken.

// span is a part of the source.
type span struct{ from, to token.Pos }

// hints are the parts of a package that are hints.
type hints struct {
	*finder
	vars  map[*types.Var]bool // that may be hints alone
	named map[*types.Func]*types.Signature
	spans []span
}

// findHints looks for the hints of a package. It begins with all variables that could be
// such and drops those that are used for something else, until nothing changes.
func (t *target) findHints() []span {
	h := &hints{finder: &finder{target: t}, vars: map[*types.Var]bool{}, named: map[*types.Func]*types.Signature{}}
	for _, obj := range t.info.Defs {
		if v, ok := obj.(*types.Var); ok && v.Kind() == types.LocalVar && isInteger(v.Type()) {
			h.vars[v] = true
		}
	}
	for _, file := range t.files {
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && !fn.Name.IsExported() && fn.Recv == nil {
				h.parameters(t.info.Defs[fn.Name].(*types.Func))
			}
		}
	}
	for before := -1; before != len(h.vars); {
		before, h.spans = len(h.vars), nil
		for _, file := range t.files {
			h.walk(file)
		}
	}
	return h.spans
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// parameters takes in those of a function that only this package calls.
func (h *hints) parameters(fn *types.Func) {
	sig := fn.Signature()
	if sig.Variadic() || sig.TypeParams() != nil {
		return
	}
	h.named[fn] = sig
	for v := range sig.Params().Variables() {
		if named(v) && isInteger(v.Type()) {
			h.vars[v] = true
		}
	}
}

// walk drops the variables that the file uses for something else, and notes its hints.
func (h *hints) walk(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			h.stack = h.stack[:len(h.stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.Ident:
			h.use(n)
		case *ast.CallExpr:
			for i, arg := range n.Args {
				if h.capacity(n, i) {
					h.note(arg)
				}
			}
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && h.grows(call) {
				h.note(n)
			}
		case *ast.AssignStmt:
			h.assigned(n)
		case *ast.IncDecStmt:
			if h.is(n.X) {
				h.note(n)
			}
		}
		h.stack = append(h.stack, n)
		return true
	})
}

func (h *hints) note(n ast.Node) { h.spans = append(h.spans, span{n.Pos(), n.End()}) }

// is reports whether e names a variable that may be a hint.
func (h *hints) is(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	if !ok {
		return false
	}
	v, _ := h.info.ObjectOf(id).(*types.Var)
	return h.vars[v]
}

// assigned notes what a hint is set to. A value that has an effect is left out.
func (h *hints) assigned(n *ast.AssignStmt) {
	if len(n.Lhs) != len(n.Rhs) { // several values of one call
		return
	}
	for i, left := range n.Lhs {
		switch {
		case h.same(left, n.Rhs[i]):
			h.note(n)
		case !h.is(left) || !h.quiet(n.Rhs[i]):
		case len(n.Lhs) == 1:
			h.note(n)
		default:
			h.note(left)
			h.note(n.Rhs[i])
		}
	}
}

// same reports whether left is set to itself with room for more.
func (h *hints) same(left, right ast.Expr) bool {
	call, ok := right.(*ast.CallExpr)
	return ok && h.grows(call) && len(call.Args) == 2 && types.ExprString(call.Args[0]) == types.ExprString(left)
}

// use drops the variable that id names if this use of it is none as a hint, and the
// parameters of a function that is used otherwise than by a call.
func (h *hints) use(id *ast.Ident) {
	switch obj := h.info.Uses[id].(type) {
	case *types.Func:
		if sig, call := h.named[obj], h.stack[len(h.stack)-1]; sig != nil {
			if c, ok := call.(*ast.CallExpr); !ok || c.Fun != id {
				for v := range sig.Params().Variables() {
					delete(h.vars, v)
				}
			}
		}
	case *types.Var:
		if h.vars[obj] && !h.hinted(id) {
			delete(h.vars, obj)
		}
	}
}

// hinted reports whether e, on top of the stack, only decides a hint.
func (h *hints) hinted(e ast.Expr) bool {
	for i := len(h.stack) - 1; i >= 0; i-- {
		switch up := h.stack[i].(type) {
		case *ast.ParenExpr:
			e = up
		case *ast.BinaryExpr:
			if !isInteger(h.typeOf(up)) {
				return false
			}
			e = up
		case *ast.CallExpr:
			for k, arg := range up.Args {
				if arg == e && h.capacity(up, k) {
					return true
				}
			}
			if name := h.builtin(up); name != "min" && name != "max" && !h.info.Types[up.Fun].IsType() {
				return false
			}
			e = up
		case *ast.IncDecStmt:
			return true
		case *ast.AssignStmt:
			for k := range up.Lhs {
				if up.Lhs[k] == e {
					return true
				}
				if len(up.Lhs) == len(up.Rhs) && up.Rhs[k] == e {
					return h.is(up.Lhs[k])
				}
			}
			return false
		default:
			return false
		}
	}
	return false
}

// capacity reports whether argument i of the call is a hint.
func (h *hints) capacity(n *ast.CallExpr, i int) bool {
	switch fn := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		if h.builtin(n) == "make" {
			_, isMap := h.typeOf(n).Underlying().(*types.Map)
			return i == 2 || isMap && i == 1
		}
		callee, _ := h.info.Uses[fn].(*types.Func)
		sig := h.named[callee]
		return sig != nil && i < sig.Params().Len() && h.vars[sig.Params().At(i)]
	case *ast.SelectorExpr:
		return h.grows(n) && i == len(n.Args)-1
	}
	return false
}

// grows reports whether a Grow of the standard library is called.
func (h *hints) grows(n *ast.CallExpr) bool {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	callee, _ := h.info.Uses[sel.Sel].(*types.Func)
	return callee != nil && callee.Name() == "Grow" && slices.Contains([]string{"bytes", "slices", "strings"}, callee.Pkg().Path())
}

// idle reports whether n is a part of a hint.
func (f *finder) idle(n ast.Node) bool {
	for _, s := range f.hints {
		if s.from <= n.Pos() && n.End() <= s.to {
			return true
		}
	}
	return false
}

// levels reports whether the comparison, moved by one, only sets a variable to what it is
// already: if a > b { a = b }.
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

// makesAnew reports whether the comparison with a capacity, moved by one, takes the way
// of too little room for just enough: what was made anew holds the same.
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
