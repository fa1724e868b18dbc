package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// add records a mutant, unless it is part of a hint.
func (f *finder) add(n ast.Node, kind, text, vital, before, after string) *mutant {
	m := &mutant{
		file: f.file, line: f.fset.Position(n.Pos()).Line, fn: f.where(), kind: kind, vital: vital,
		text: brief(text), edits: []edit{f.edit(n, before, after)},
	}
	if kind == kindLimit || !f.hint(n) {
		f.found = append(f.found, m)
	}
	return m
}

func (f *finder) edit(n ast.Node, before, after string) edit {
	return edit{from: f.offset(n.Pos()), to: f.offset(n.End()), before: before, after: after}
}

// brief shortens a text to one line.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 140 {
		return string(r[:140]) + "…"
	}
	return text
}

// where names the function of the stack.
func (f *finder) where() string {
	for _, n := range f.stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv == nil {
				return n.Name.Name
			}
			t := n.Recv.List[0].Type
			for {
				switch x := t.(type) {
				case *ast.StarExpr:
					t = x.X
					continue
				case *ast.IndexExpr:
					t = x.X
					continue
				}
				return fmt.Sprintf("%s.%s", f.src(t), n.Name.Name)
			}
		case *ast.ValueSpec:
			return n.Names[0].Name
		}
	}
	return "?"
}

func (f *finder) offset(p token.Pos) int { return f.fset.Position(p).Offset }

func (f *finder) src(n ast.Node) string { return f.text[f.offset(n.Pos()):f.offset(n.End())] }

// head is the source of a statement up to its body.
func (f *finder) head(n ast.Node) string {
	end := n.End()
	switch n := n.(type) {
	case *ast.IfStmt:
		end = n.Body.Pos()
	case *ast.ForStmt:
		end = n.Body.Pos()
	case *ast.RangeStmt:
		end = n.Body.Pos()
	case *ast.CaseClause:
		end = n.Colon
	}
	return f.text[f.offset(n.Pos()):f.offset(end)]
}

func (f *finder) typeOf(e ast.Expr) types.Type {
	if t := f.info.TypeOf(e); t != nil {
		return t
	}
	return types.Typ[types.Invalid]
}

// zero reports whether e is a literal zero value.
func (f *finder) zero(e ast.Expr) bool {
	tv := f.info.Types[e]
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		return len(lit.Elts) == 0
	}
	if tv.Value == nil {
		return tv.IsNil()
	}
	switch tv.Value.Kind() {
	case constant.String:
		return constant.StringVal(tv.Value) == ""
	case constant.Int, constant.Float:
		return constant.Sign(tv.Value) == 0
	}
	return false
}

// unset reports whether e, a result of ret, is a variable that still has its
// zero value.
func (f *finder) unset(e ast.Expr, ret *ast.ReturnStmt) bool {
	fn := f.function()
	id, ok := e.(*ast.Ident)
	if fn == nil || !ok {
		return false
	}
	v, ok := f.info.Uses[id].(*types.Var)
	if !ok || f.changed(fn.Body, v, ret) {
		return false
	}
	for r := range f.info.Defs[fn.Name].(*types.Func).Signature().Results().Variables() {
		if r == v {
			return true
		}
	}
	bare := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && spec.Values == nil {
			for _, name := range spec.Names {
				bare = bare || f.info.Defs[name] == v
			}
		}
		return !bare
	})
	return bare
}

// typeName writes a type for this file; false if it does not import the package.
func (f *finder) typeName(t types.Type) (string, bool) {
	ok := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == f.pkg {
			return ""
		}
		name, imported := f.names[p.Path()]
		ok = ok && imported
		return name
	})
	at := f.stack[len(f.stack)-1].Pos()
	scope := f.pkg.Scope().Innermost(at)
	for _, word := range words.FindAllStringSubmatch(name, -1) {
		if scope == nil {
			break
		}
		switch _, o := scope.LookupParent(word[1], at); o.(type) {
		case *types.Var, *types.Const, *types.Func:
			ok = false // another declaration hides the type
		}
	}
	return name, ok
}

// words finds the names in a type, without those after a package.
var words = regexp.MustCompile(`(?:^|[^.\pL_0-9])([\pL_][\pL_0-9]*)`)

// on returns the test whether the mutant is on, in the type of the condition e.
func (f *finder) on(e ast.Expr) string {
	t := f.typeOf(e)
	if _, basic := types.Unalias(t).(*types.Basic); basic {
		return "mutant.On(#)"
	}
	name, _ := f.typeName(t)
	return name + "(mutant.On(#))"
}
