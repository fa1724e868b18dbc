package purity

import (
	"go/ast"
	"go/types"
)

// disordered are the functions that yield elements in the order of a map.
var disordered = map[string]bool{
	"maps.All":                 true,
	"maps.Keys":                true,
	"maps.Values":              true,
	"(reflect.Value).MapKeys":  true,
	"(reflect.Value).MapRange": true,
	"(reflect.Value).Seq":      true,
	"(reflect.Value).Seq2":     true,
}

// mapOrder finds code that depends on the order of a map.
func (w *walker) mapOrder(n ast.Node) {
	switch n := n.(type) {
	case *ast.RangeStmt:
		if (n.Key != nil || n.Value != nil) && isMap(w.info.TypeOf(n.X)) {
			w.report(n.Pos(), RuleMapOrder, "range over a map; range over slices.Sorted(maps.Keys(m)) instead")
		}
	case *ast.Ident:
		if name := fullName(w.info.Uses[n]); disordered[name] && !w.sorted[n] {
			w.report(n.Pos(), RuleMapOrder, name+" gives the order of a map; sort it at once with slices.Sorted")
		}
	}
}

// findSorted records arguments of functions that sort them. Values are
// sorted only by slices.Sorted, which leaves no choice between equal
// ones.
func (w *walker) findSorted(f *ast.File) {
	w.sorted = map[*ast.Ident]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		outer, ok := n.(*ast.CallExpr)
		if !ok || len(outer.Args) == 0 {
			return true
		}
		sorter, _ := w.callee(outer)
		inner, ok := ast.Unparen(outer.Args[0]).(*ast.CallExpr)
		if sorter == nil || !ok {
			return true
		}
		source, id := w.callee(inner)
		switch fullName(sorter) {
		case "slices.Sorted":
			w.sorted[id] = true
		case "slices.SortedFunc": // keys differ, so that there is nothing to choose
			w.sorted[id] = fullName(source) == "maps.Keys" || fullName(source) == "(reflect.Value).Seq"
		}
		return true
	})
}

// isMap reports whether t is a map, or a type parameter that can be one.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Union:
		for term := range u.Terms() {
			if isMap(term.Type()) {
				return true
			}
		}
	case *types.Interface:
		if _, ok := types.Unalias(t).(*types.TypeParam); !ok && u.IsMethodSet() {
			return false
		}
		for e := range u.EmbeddedTypes() {
			if isMap(e) {
				return true
			}
		}
	}
	return false
}
