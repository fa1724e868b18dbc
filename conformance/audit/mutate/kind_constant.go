package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// constant replaces e by the next constant of the same type; for an unnamed
// type by the next of the same declaration, and for a number without a neighbor by one
// more. True and false are swapped.
func (f *finder) constant(e ast.Expr) {
	id, ok := e.(*ast.Ident)
	if sel, is := e.(*ast.SelectorExpr); is {
		id, ok = sel.Sel, true
	}
	if !ok {
		return
	}
	c, ok := f.info.Uses[id].(*types.Const)
	if !ok || !f.replaceable(e) {
		return
	}
	switch {
	case c.Pkg() == nil:
		f.boolean(e)
	default:
		if other := f.neighbour(c); other != nil {
			text := other.Name()
			if sel, ok := e.(*ast.SelectorExpr); ok {
				text = f.src(sel.X) + "." + text
			}
			if pick, ok := f.generic("Pick", f.typeOf(e), e); ok {
				f.add(e, kindConstant, f.src(e)+" is "+text+" in "+f.around(), "", pick+"(#, ", ", "+text+")")
			}
		} else if shown := f.number(e); shown != nil {
			if b, ok := f.typeOf(e).(*types.Basic); ok && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUntyped == 0 {
				f.add(e, kindConstant, f.src(e)+" in "+f.src(shown), "", "mutant.Plus["+b.Name()+"](#, ", ")")
			}
		}
	}
}

// boolean swaps true and false unless another kind does.
func (f *finder) boolean(e ast.Expr) {
	if c := f.info.Types[e].Value; c == nil || c.Kind() != constant.Bool {
		return
	}
	switch up := f.stack[len(f.stack)-1].(type) {
	case *ast.CallExpr, *ast.ValueSpec:
	case *ast.AssignStmt:
		if up.Tok != token.DEFINE {
			return
		}
	case *ast.KeyValueExpr, *ast.CompositeLit:
		if f.inStruct() {
			return
		}
	default:
		return
	}
	f.add(e, kindConstant, f.src(e)+" in "+f.around(), "", "((", ") != "+f.on(e)+")")
}

// replaceable reports whether a variable can replace the constant e.
func (f *finder) replaceable(e ast.Expr) bool {
	switch up := f.stack[len(f.stack)-1].(type) {
	case *ast.SelectorExpr:
		return false // e is a part of the name
	case *ast.KeyValueExpr:
		if up.Key == e {
			lit := f.stack[len(f.stack)-2].(*ast.CompositeLit)
			_, isMap := f.typeOf(lit).Underlying().(*types.Map)
			return isMap
		}
	case ast.Expr:
		return f.info.Types[up].Value == nil && !f.info.Types[up].IsType()
	}
	return true
}

// inStruct reports whether the innermost literal of the stack is a struct literal.
func (f *finder) inStruct() bool {
	for i := len(f.stack) - 1; i >= 0; i-- {
		if lit, ok := f.stack[i].(*ast.CompositeLit); ok {
			_, is := deref(f.typeOf(lit)).Underlying().(*types.Struct)
			return is
		}
	}
	return false
}

// around returns the source around e, up to its body.
func (f *finder) around() string {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch n := f.stack[i].(type) {
		case *ast.CallExpr, *ast.BinaryExpr, *ast.AssignStmt, *ast.ReturnStmt, *ast.KeyValueExpr, *ast.ValueSpec,
			*ast.IfStmt, *ast.CaseClause, *ast.SwitchStmt, *ast.CompositeLit, *ast.RangeStmt, *ast.ForStmt:
			return f.head(n)
		}
	}
	return ""
}

// neighbour returns the constant with the next value, after the last the first; nil
// without another one.
func (f *finder) neighbour(c *types.Const) *types.Const {
	var group []*types.Const
	if _, named := types.Unalias(c.Type()).(*types.Named); named {
		for _, name := range c.Pkg().Scope().Names() {
			o, ok := c.Pkg().Scope().Lookup(name).(*types.Const)
			if ok && types.Identical(o.Type(), c.Type()) && (c.Pkg() == f.pkg || o.Exported()) {
				group = append(group, o)
			}
		}
	} else {
		group = f.declared(c)
	}
	before := func(a, b constant.Value) bool { return constant.Compare(a, token.LSS, b) }
	group = slices.DeleteFunc(group, func(o *types.Const) bool {
		b, untyped := o.Type().(*types.Basic)
		untyped = untyped && b.Info()&types.IsUntyped != 0
		return !untyped && !types.Identical(o.Type(), c.Type()) ||
			o.Val().Kind() != c.Val().Kind() || o.Val().Kind() == constant.Bool || o != c && constant.Compare(o.Val(), token.EQL, c.Val())
	})
	if len(group) < 2 {
		return nil
	}
	slices.SortFunc(group, func(a, b *types.Const) int {
		switch {
		case before(a.Val(), b.Val()):
			return -1
		case before(b.Val(), a.Val()):
			return 1
		}
		return strings.Compare(a.Name(), b.Name())
	})
	return group[(slices.Index(group, c)+1)%len(group)]
}

// declared returns the constants of the parenthesized declaration of c.
func (f *finder) declared(c *types.Const) (group []*types.Const) {
	for _, file := range f.files {
		for _, d := range file.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST || c.Pos() < gen.Pos() || c.Pos() > gen.End() || c.Pkg() != f.pkg {
				continue
			}
			for _, spec := range gen.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if o, ok := f.info.Defs[name].(*types.Const); ok && name.Name != "_" {
						group = append(group, o)
					}
				}
			}
		}
	}
	return group
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
