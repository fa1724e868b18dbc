package main

import (
	"go/ast"
	"go/types"
)

// limit omits one side of min or max. The other side is evaluated again in its
// place, only if the mutant is on unless evaluating has no effect.
func (f *finder) limit(n *ast.CallExpr) {
	name := f.builtin(n)
	if name != "min" && name != "max" || len(n.Args) != 2 || f.info.Types[n].Value != nil {
		return
	}
	for i, e := range n.Args {
		other := n.Args[1-i]
		shown := f.src(e) + " in " + f.src(n)
		if pick, ok := f.generic("Pick", f.typeOf(n), e, other); ok && f.quiet(other) {
			f.add(e, kindLimit, shown, "", pick+"(#, ", ", "+f.src(other)+")")
		} else if name, ok := f.typeName(f.typeOf(n)); ok {
			f.add(e, kindLimit, shown, "", "mutant.Late(#, ", ", func() "+name+" { return "+f.src(other)+" })")
		}
	}
}

// instants moves the bound of a comparison of instants: Before, or not After.
func (f *finder) instants(n *ast.CallExpr) {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok || len(n.Args) != 1 {
		return
	}
	fn, ok := f.info.Uses[sel.Sel].(*types.Func)
	if !ok || fn.FullName() != "(time.Time).Before" && fn.FullName() != "(time.Time).After" {
		return
	}
	m := f.add(n, kindOff, f.src(n), "", "mutant."+fn.Name()+"(#, ", "")
	m.edits[0].opFrom, m.edits[0].opTo = f.offset(sel.X.End()), f.offset(n.Lparen)+1
}
