package main

import (
	"go/ast"
	"go/types"
)

// copiers are the functions that return their argument in memory of its own or cut
// to its length.
var copiers = map[string]bool{"strings.Clone": true, "bytes.Clone": true, "slices.Clone": true, "slices.Clip": true, "maps.Clone": true}

// copied uses the original instead of the copy.
func (f *finder) copied(n *ast.CallExpr) {
	sel, ok := n.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	fn, ok := f.info.Uses[sel.Sel].(*types.Func)
	switch {
	case !ok:
	case len(n.Args) == 1 && copiers[fn.FullName()]:
		// strings.Clone(x) becomes mutant.Copy(1, strings.Clone, x).
		m := f.add(n, kindCopy, f.src(n), "", "mutant.Copy(#, ", "")
		m.edits[0].opFrom, m.edits[0].opTo = f.offset(n.Lparen), f.offset(n.Lparen)+1
	case len(n.Args) == 0 && fn.Name() == "Clone" && fn.Signature().Results().Len() == 1:
		// x.Clone() becomes mutant.Copy(1, (T).Clone, x,).
		t := f.typeOf(sel.X)
		if !types.Identical(t, fn.Signature().Recv().Type()) || !types.Identical(t, fn.Signature().Results().At(0).Type()) {
			return
		}
		if name, ok := f.typeName(t); ok {
			m := f.add(n, kindCopy, f.src(n), "", "mutant.Copy(#, ("+name+").Clone, ", ")")
			m.edits[0].opFrom, m.edits[0].opTo = f.offset(sel.X.End()), f.offset(n.End())
		}
	}
}
