package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// finder collects the mutants of one file.
type finder struct {
	*target
	file    string
	text    string
	engine  string            // the path of the package with Output
	names   map[string]string // of imports, by path
	stack   []ast.Node        // the parents of the visited node
	handled map[ast.Expr]bool // operands that belong to a condition
	found   []*mutant
}

// find returns the mutants of a file. engine is the path of the package with Output.
func (t *target) find(file *ast.File, name, engine string) []*mutant {
	f := &finder{target: t, file: name, text: t.text[file], engine: engine, names: map[string]string{}, handled: map[ast.Expr]bool{}}
	for _, imp := range file.Imports {
		path, _ := strconv.Unquote(imp.Path.Value)
		f.names[path] = path[strings.LastIndexByte(path, '/')+1:]
		if imp.Name != nil {
			f.names[path] = imp.Name.Name
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			f.stack = f.stack[:len(f.stack)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.ArrayType, *ast.FuncType, *ast.StructType, *ast.InterfaceType, *ast.MapType, *ast.FieldList:
			return false
		case *ast.GenDecl:
			if n.Tok != token.VAR {
				return false
			}
		}
		f.visit(n)
		f.stack = append(f.stack, n)
		return true
	})
	return f.found
}

func (f *finder) visit(n ast.Node) {
	switch n := n.(type) {
	case *ast.BlockStmt:
		f.list(n.List)
		f.order(n.List)
	case *ast.CaseClause:
		f.list(n.Body)
		f.order(n.Body)
		f.clause(n)
	case *ast.AssignStmt:
		f.lost(n)
	case *ast.CallExpr:
		f.arguments(n)
		f.copied(n)
		f.limit(n)
		f.instants(n)
	case *ast.CompositeLit:
		f.fields(n)
	case *ast.Ident:
		f.constant(n)
	case *ast.SelectorExpr:
		f.constant(n)
	case *ast.IfStmt:
		f.branch(n)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.condition(n.Cond, "")
		}
	case *ast.ReturnStmt:
		f.results(n)
		f.stale(n)
	case *ast.BinaryExpr:
		f.binary(n)
	case *ast.IndexExpr:
		if _, isMap := types.Unalias(f.typeOf(n.X)).Underlying().(*types.Map); !isMap {
			f.index(n.Index)
		}
	case *ast.SliceExpr:
		for _, e := range []ast.Expr{n.Low, n.High, n.Max} {
			if e != nil {
				f.index(e)
			}
		}
	case *ast.RangeStmt:
		f.index(n.X)
	case *ast.BasicLit:
		f.literal(n)
	}
}

// list omits each of the statements.
func (f *finder) list(list []ast.Stmt) {
	if len(f.stack) > 0 {
		if up, ok := f.stack[len(f.stack)-1].(*ast.IfStmt); ok && up.Else == nil && len(list) == 1 {
			return // equivalent to omitting the if
		}
	}
	for _, s := range list {
		vital := ""
		switch {
		case f.emits(s):
			vital = "emission"
		case f.member(s):
			vital = "member"
		}
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, ok := s.X.(*ast.CallExpr); !ok || f.src(call.Fun) == "panic" {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt, *ast.RangeStmt:
		case *ast.ForStmt:
			if s.Cond == nil {
				continue
			}
		case *ast.BranchStmt:
			if s.Tok != token.BREAK && s.Tok != token.CONTINUE {
				continue
			}
			vital = f.leaves(s)
		case *ast.ReturnStmt:
			if sig := f.signature(); (sig == nil || sig.Results().Len() > 0) && !f.optional() {
				continue
			}
			vital = f.leaves(s)
		default:
			continue
		}
		f.add(s, kindDelete, f.head(s), vital, "if !mutant.On(#) { ", " }")
	}
}

// optional reports whether the function continues if a return at this place is omitted.
func (f *finder) optional() bool {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch n := f.stack[i].(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			return false
		case *ast.IfStmt:
			if n.Else == nil {
				return true
			}
		case *ast.RangeStmt:
			return true
		case *ast.ForStmt:
			if n.Cond != nil {
				return true
			}
		}
	}
	return false
}

func (f *finder) branch(n *ast.IfStmt) {
	vital := f.gates(n.Body.List)
	if n.Else == nil {
		f.add(n.Cond, kindDelete, f.head(n), vital, "(!"+f.on(n.Cond)+" && (", "))")
	}
	f.condition(n.Cond, vital)
}

// clause handles a case of a switch without a tag.
func (f *finder) clause(n *ast.CaseClause) {
	up, ok := f.stack[len(f.stack)-2].(*ast.SwitchStmt)
	if !ok || up.Tag != nil || n.List == nil {
		return
	}
	vital := f.gates(n.Body)
	m := f.add(n.List[0], kindDelete, f.head(n), vital, "(!"+f.on(n.List[0])+" && (", "))")
	for _, e := range n.List[1:] {
		m.edits = append(m.edits, f.edit(e, "(!"+f.on(e)+" && (", "))"))
	}
	for _, e := range n.List {
		f.condition(e, vital)
	}
}

// condition negates a condition, and each side of it.
func (f *finder) condition(e ast.Expr, vital string) {
	f.negate(e, vital)
	f.operands(e, vital)
}

func (f *finder) negate(e ast.Expr, vital string) {
	f.add(e, kindNegate, f.src(e), vital, "((", ") != "+f.on(e)+")")
}

func (f *finder) operands(e ast.Expr, vital string) {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || b.Op != token.LAND && b.Op != token.LOR || f.handled[b] {
		return
	}
	f.handled[b] = true
	for _, side := range []ast.Expr{b.X, b.Y} {
		if s, ok := ast.Unparen(side).(*ast.BinaryExpr); ok && (s.Op == token.LAND || s.Op == token.LOR) {
			f.operands(side, vital)
		} else {
			f.negate(side, vital)
		}
	}
}

func (f *finder) binary(n *ast.BinaryExpr) {
	if f.info.Types[n].Value != nil {
		return
	}
	switch n.Op {
	case token.LAND, token.LOR:
		f.operands(n, "")
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		if f.makesAnew(n) || f.levels(n) {
			return
		}
		name := map[token.Token]string{token.LSS: "LT", token.LEQ: "LE", token.GTR: "GT", token.GEQ: "GE"}[n.Op]
		m := f.add(n, kindOff, f.src(n), "", "mutant."+name+"(#, ", ")")
		m.edits[0].opFrom = f.offset(n.OpPos)
		m.edits[0].opTo = f.offset(n.OpPos) + len(n.Op.String())
	case token.ADD, token.SUB:
		if up, ok := f.stack[len(f.stack)-1].(*ast.BinaryExpr); ok && (up.Op == token.ADD || up.Op == token.SUB) {
			return
		}
		f.plus(n, n)
	}
}

// plus adds one to an expression of an integer type.
func (f *finder) plus(e, shown ast.Expr) {
	if b, ok := f.typeOf(e).Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		plus := "mutant.Plus"
		if name, ok := f.typeName(f.typeOf(e)); ok && b.Info()&types.IsUntyped == 0 {
			plus += "[" + name + "]" // a shift has a type that it does not give by itself
		}
		f.add(e, kindOff, f.src(shown), "", plus+"(#, ", ")")
	}
}

// index adds one to an index or a bound, unless it is a sum.
func (f *finder) index(e ast.Expr) {
	b, sum := ast.Unparen(e).(*ast.BinaryExpr)
	if sum && (b.Op == token.ADD || b.Op == token.SUB) && f.info.Types[b].Value == nil || f.info.Types[e].IsType() {
		return
	}
	f.plus(e, e)
}

// literal adds one to a number outside of constants.
func (f *finder) literal(n *ast.BasicLit) {
	b, ok := f.typeOf(n).(*types.Basic)
	if n.Kind != token.INT || !ok || b.Info()&types.IsInteger == 0 || b.Info()&types.IsUntyped != 0 {
		return
	}
	if shown := f.number(n); shown != nil {
		f.add(n, kindOff, n.Value+" in "+f.src(shown), "", "mutant.Plus["+b.Name()+"](#, ", ")")
	}
}

// number returns the expression that the number e, the top of the stack, is a part of: nil in a
// constant, or if a bound or a sum covers it.
func (f *finder) number(e ast.Expr) ast.Node {
	switch up := f.stack[len(f.stack)-1].(type) {
	case *ast.KeyValueExpr:
		if up.Key != e {
			return up
		}
	case *ast.AssignStmt, *ast.ReturnStmt, *ast.ValueSpec:
		return up
	case *ast.CallExpr:
		if !f.info.Types[up.Fun].IsType() {
			return up
		}
	case *ast.BinaryExpr:
		switch up.Op {
		case token.EQL, token.NEQ, token.MUL, token.QUO, token.REM:
			if f.info.Types[up].Value == nil {
				return up
			}
		}
	}
	return nil
}

// results swaps the values of a return.
func (f *finder) results(n *ast.ReturnStmt) {
	sig := f.signature()
	if sig == nil || sig.Results().Len() != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		shown := f.text[f.offset(n.Pos()):f.offset(e.Pos())] + "[" + f.src(e) + "]" + f.text[f.offset(e.End()):f.offset(n.End())]
		t := sig.Results().At(i).Type()
		basic, _ := t.Underlying().(*types.Basic)
		switch {
		case basic != nil && basic.Info()&types.IsBoolean != 0:
			f.add(e, kindReturn, shown, "", "((", ") != "+f.on(e)+")")
		case isError(t):
			f.add(e, kindReturn, shown, "", "mutant.Err(#, ", ")")
		case !f.zero(e) && !f.unset(e, n):
			if name, ok := f.typeName(t); ok {
				f.add(e, kindReturn, shown, "", "mutant.Zero["+name+"](#, ", ")")
			}
		}
	}
}
