package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// stale returns, instead of a result, the receiver or the parameter of its type as
// it was when the function began.
func (f *finder) stale(n *ast.ReturnStmt) {
	fn := f.function()
	if fn == nil {
		return
	}
	sig := f.info.Defs[fn.Name].Type().(*types.Signature)
	if sig.Results().Len() != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		t := sig.Results().At(i).Type()
		old := f.given(sig, t)
		if old == nil || f.src(e) == old.Name() && !f.changed(fn.Body, old, n) || f.info.Types[e].IsNil() {
			continue
		}
		pick, ok := f.generic("Pick", t)
		if !ok {
			continue
		}
		shown := f.text[f.offset(n.Pos()):f.offset(e.Pos())] + "[" + f.src(e) + "]" + f.text[f.offset(e.End()):f.offset(n.End())]
		m := f.add(e, kindStale, shown+" as "+old.Name()+" was", "", pick+"(#, ", ", mutant#)")
		at := f.offset(fn.Body.Lbrace) + 1
		m.edits = append(m.edits, edit{from: at, to: at, before: " mutant# := " + old.Name() + ";"})
	}
}

// function returns the function of the stack; nil inside of a literal.
func (f *finder) function() *ast.FuncDecl {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch n := f.stack[i].(type) {
		case *ast.FuncLit:
			return nil
		case *ast.FuncDecl:
			return n
		}
	}
	return nil
}

// given returns the first of receiver and parameters with the type t, which is not a
// basic one; nil without one.
func (f *finder) given(sig *types.Signature, t types.Type) *types.Var {
	if _, basic := t.Underlying().(*types.Basic); basic || isError(t) {
		return nil
	}
	if r := sig.Recv(); r != nil && named(r) && types.Identical(r.Type(), t) {
		return r
	}
	for v := range sig.Params().Variables() {
		if named(v) && types.Identical(v.Type(), t) {
			return v
		}
	}
	return nil
}

func named(v *types.Var) bool { return v.Name() != "" && v.Name() != "_" }

// changed reports whether something in the body, before the return or around it, may
// have changed the variable: an assignment to it or to a part, its address, a method with
// a pointer receiver.
func (f *finder) changed(body ast.Node, v *types.Var, ret *ast.ReturnStmt) (found bool) {
	end := ret.Pos()
	for _, n := range f.stack {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			end = max(end, n.End())
		}
	}
	is := func(e ast.Expr) bool {
		for {
			switch x := e.(type) {
			case *ast.ParenExpr:
				e = x.X
			case *ast.SelectorExpr:
				e = x.X
			case *ast.IndexExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			case *ast.Ident:
				return f.info.Uses[x] == v
			default:
				return false
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if n != nil && n.Pos() >= end {
			return false
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				found = found || is(left)
			}
		case *ast.IncDecStmt:
			found = found || is(n.X)
		case *ast.UnaryExpr:
			found = found || n.Op == token.AND && is(n.X)
		case *ast.SelectorExpr:
			if sel := f.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal {
				recv := sel.Obj().(*types.Func).Signature().Recv()
				_, pointer := types.Unalias(recv.Type()).(*types.Pointer)
				found = found || pointer && is(n.X)
			}
		}
		return !found
	})
	return found
}

// lost discards one of the values of an assignment, if that differs from omitting the
// whole statement.
func (f *finder) lost(n *ast.AssignStmt) {
	if n.Tok != token.ASSIGN || len(n.Lhs) == 1 && !f.isInit(n) {
		return
	}
	for _, left := range n.Lhs {
		if f.src(left) == "_" {
			continue
		}
		if index, ok := ast.Unparen(left).(*ast.IndexExpr); ok {
			if _, isMap := f.typeOf(index.X).Underlying().(*types.Map); isMap {
				continue
			}
		}
		f.add(left, kindStale, f.src(left)+" in "+f.src(n), "", "*mutant.Aside(#, &", ")")
	}
}

// isInit reports whether the statement is the init statement of an if or switch.
func (f *finder) isInit(s ast.Stmt) bool {
	switch up := f.stack[len(f.stack)-1].(type) {
	case *ast.IfStmt:
		return up.Init == s
	case *ast.SwitchStmt:
		return up.Init == s
	}
	return false
}
