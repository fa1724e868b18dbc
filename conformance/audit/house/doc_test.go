package house

import (
	"fmt"
	"go/ast"
	"go/token"
)

// undocumented finds exported identifiers without a comment, in packages that
// can be imported.
func undocumented(t *tree) (found []string) {
	for _, s := range t.files {
		if s.test() || s.nested || s.ast.Name.Name == "main" || !s.product() && !s.below("conformance") {
			continue
		}
		u := undoc{fset: t.fset}
		for _, d := range s.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
					u.need(d.Name, d.Doc)
				}
			case *ast.GenDecl:
				u.decl(d)
			}
		}
		found = append(found, u.found...)
	}
	return found
}

type undoc struct {
	fset  *token.FileSet
	found []string
}

func (u *undoc) need(name *ast.Ident, docs ...*ast.CommentGroup) {
	if !name.IsExported() {
		return
	}
	for _, d := range docs {
		if d.Text() != "" {
			return
		}
	}
	u.found = append(u.found, fmt.Sprintf("%v: %s has no comment", u.fset.Position(name.Pos()), name.Name))
}

// decl checks a declaration. A comment above a group of constants or
// variables covers all of them.
func (u *undoc) decl(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				u.need(name, d.Doc, spec.Doc, spec.Comment)
			}
		case *ast.TypeSpec:
			if d.Lparen.IsValid() {
				u.need(spec.Name, spec.Doc, spec.Comment)
			} else {
				u.need(spec.Name, d.Doc, spec.Comment)
			}
			if spec.Name.IsExported() {
				u.members(spec.Type)
			}
		}
	}
}

// members checks the fields of a struct and the methods of an interface.
func (u *undoc) members(t ast.Expr) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			u.need(name, f.Doc, f.Comment)
		}
	}
}

// receiver returns the name of a receiver's type.
func receiver(t ast.Expr) string {
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
