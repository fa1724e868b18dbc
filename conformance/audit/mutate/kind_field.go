package main

import (
	"fmt"
	"go/ast"
	"go/types"
)

// fields omits parts of a literal: a field of a struct, an element of an array or a
// slice.
func (f *finder) fields(n *ast.CompositeLit) {
	switch t := deref(f.typeOf(n)).Underlying().(type) {
	case *types.Struct:
		for i, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				f.left(kv.Value, f.typeOf(kv.Key), f.src(kv)+" in "+f.name(n))
			} else if i < t.NumFields() {
				f.left(e, t.Field(i).Type(), f.src(e)+" in "+f.name(n))
			}
		}
	case *types.Array:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				f.left(kv.Value, t.Elem(), f.src(kv)+" in "+f.name(n))
			}
		}
	case *types.Slice:
		f.elements(n)
	}
}

// left replaces e by the zero value of a type.
func (f *finder) left(e ast.Expr, t types.Type, shown string) {
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil || f.zero(e) {
		return
	}
	tv := f.info.Types[e]
	if b, ok := tv.Type.(*types.Basic); ok && b.Info()&types.IsBoolean != 0 && tv.Value != nil && f.src(e) == "false" {
		return
	}
	if types.Identical(f.typeOf(e), t) && tv.Value == nil {
		f.add(e, kindField, shown, "", "mutant.Zero(#, ", ")")
	} else if name, ok := f.typeName(t); ok {
		f.add(e, kindField, shown, "", "mutant.Zero["+name+"](#, ", ")")
	}
}

// elements omits each element of a slice literal.
func (f *finder) elements(n *ast.CompositeLit) {
	if up, ok := f.stack[len(f.stack)-1].(*ast.UnaryExpr); ok && up.X == n || n.Type == nil {
		return
	}
	for i, e := range n.Elts {
		if _, keyed := e.(*ast.KeyValueExpr); keyed {
			return
		}
		f.add(n, kindField, f.src(e)+" in "+f.name(n), "", fmt.Sprintf("mutant.Without(#, %d, ", i), ")")
	}
}

// name is the type of a literal as written, or the omitted type.
func (f *finder) name(n *ast.CompositeLit) string {
	if n.Type != nil {
		return f.src(n.Type)
	}
	return types.TypeString(f.typeOf(n), func(*types.Package) string { return "" })
}
