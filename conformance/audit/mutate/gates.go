package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// isOutput reports whether t is an Output or a pointer to one.
func (f *finder) isOutput(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Name() == "Output" && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == f.engine
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// emits reports whether something in n, outside of function literals, passes an
// Output to a function or assigns to one.
func (f *finder) emits(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && f.isOutput(f.typeOf(sel.X)) {
				found = true
			}
			for _, arg := range n.Args {
				found = found || f.isOutput(f.typeOf(arg))
			}
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				sel, ok := left.(*ast.SelectorExpr)
				found = found || f.isOutput(f.typeOf(left)) || ok && f.isOutput(f.typeOf(sel.X))
			}
		}
		return !found
	})
	return found
}

// member reports whether the statement writes a member of a snapshot: a call with the name
// as its first argument.
func (f *finder) member(s ast.Stmt) bool {
	if !strings.HasSuffix(f.file, "/snapshot.go") {
		return false
	}
	e, ok := s.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := e.X.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	lit, ok := call.Args[0].(*ast.BasicLit)
	return ok && lit.Kind == token.STRING
}

// gates returns "gate" if the condition of the body decides whether something is refused or
// reported: the body emits, returns an error, or leaves a function that has an Output.
func (f *finder) gates(body []ast.Stmt) string {
	vital := ""
	for _, s := range body {
		if f.emits(s) {
			return "gate"
		}
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ReturnStmt, *ast.BranchStmt:
				if f.leaves(n.(ast.Stmt)) != "" {
					vital = "gate"
				}
			}
			return true
		})
	}
	return vital
}

// leaves returns "gate" for a return, break or continue of a function that has an
// Output, and for the return of an error.
func (f *finder) leaves(s ast.Stmt) string {
	if f.givenOutput() {
		return "gate"
	}
	ret, ok := s.(*ast.ReturnStmt)
	sig := f.signature()
	if !ok || sig == nil || sig.Results().Len() != len(ret.Results) {
		return ""
	}
	for i, e := range ret.Results {
		if isError(sig.Results().At(i).Type()) && !f.info.Types[e].IsNil() {
			return "gate"
		}
	}
	return ""
}

// signature returns the signature of the innermost function of the stack.
func (f *finder) signature() *types.Signature {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch n := f.stack[i].(type) {
		case *ast.FuncLit:
			sig, _ := f.typeOf(n).(*types.Signature)
			return sig
		case *ast.FuncDecl:
			sig, _ := f.info.Defs[n.Name].Type().(*types.Signature)
			return sig
		}
	}
	return nil
}

func (f *finder) givenOutput() bool {
	sig := f.signature()
	if sig == nil {
		return false
	}
	for v := range sig.Params().Variables() {
		if f.isOutput(v.Type()) {
			return true
		}
	}
	return false
}
