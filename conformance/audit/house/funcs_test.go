package house

import (
	"fmt"
	"go/ast"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// fate finds the word with which a comment begins to say who reads an error of an application's
// function. go doc must show it, because users need to know what reaches a model.
var fate = regexp.MustCompile(`(?i)\berrors?\b`)

// fates finds the exported function types of the server, and exported fields with a function type,
// that return an error and do not say what it becomes.
func fates(t *tree) (found []string) {
	for _, s := range t.files {
		if s.test() || s.nested || !s.below("server") {
			continue
		}
		check := func(name *ast.Ident, typ ast.Expr, docs ...*ast.CommentGroup) {
			if !name.IsExported() || !fails(typ) {
				return
			}
			for _, d := range docs {
				if fate.MatchString(d.Text()) {
					return
				}
			}
			found = append(found, fmt.Sprintf("%v: the comment of %s does not say what an error becomes", t.fset.Position(name.Pos()), name.Name))
		}
		for _, d := range s.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				spec, ok := spec.(*ast.TypeSpec)
				if !ok || !spec.Name.IsExported() {
					continue
				}
				if g.Lparen.IsValid() { // go doc of the type does not show the comment of the group
					check(spec.Name, spec.Type, spec.Doc)
				} else {
					check(spec.Name, spec.Type, g.Doc)
				}
				if fields, ok := spec.Type.(*ast.StructType); ok {
					for _, f := range fields.Fields.List {
						for _, name := range f.Names {
							check(name, f.Type, f.Doc, f.Comment)
						}
					}
				}
			}
		}
	}
	return found
}

// fails reports whether a type is a function type with an error among its results.
func fails(typ ast.Expr) bool {
	f, ok := typ.(*ast.FuncType)
	if !ok || f.Results == nil {
		return false
	}
	for _, r := range f.Results.List {
		if id, ok := r.Type.(*ast.Ident); ok && id.Name == "error" {
			return true
		}
	}
	return false
}

// The rule finds types, aliases, generic ones and fields; a comment above a group does not count.
func TestFates(t *testing.T) {
	const text = `package server

// A runs. What an error
// becomes: nothing.
type A = func() error

// B runs.
type B = func() (int, error)

// What an error becomes: nothing.
type (
	// C runs.
	C func() (err error)
	// D runs. What an error becomes: nothing.
	D func() error
)

// E runs.
type E[T any] = func(T) error

// F has fields.
type F struct {
	// G runs.
	G, h func() error
	// I runs. What an error becomes: nothing.
	I func() error
	J func() int
	K func() error // What an error becomes: nothing.
	L error
}

type m func() error

type n struct{ O func() error }

func P() error { return nil }
`
	src, err := load(fstest.MapFS{"server/x/s.go": {Data: []byte(text)}, "server/x/s_test.go": {Data: []byte(text)}, "client/s.go": {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range fates(src) {
		names = append(names, strings.Fields(strings.TrimPrefix(f, "server/x/s.go:"))[4])
	}
	if got := strings.Join(names, " "); got != "B C E G" {
		t.Error(got)
	}
}
