package house

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// otherForms are types that encoding/json writes in another form than their own, with the reason.
var otherForms = map[string]string{
	"client/oauth.Record":               "its secrets are written by AppendRecord alone",
	"jsonrpc/sse.Event":                 "its form is not JSON",
	"lifecycle/engine.Core":             "it is within a State, which refuses",
	"protocol/schema/provider.Exported": "AppendCall writes a Call, in the form of a provider",
	"protocol/toolerror.Error":          "Options choose what its payload says",
}

// unmarshalled finds the exported types with a text form, which a function or method writes or
// reads, that encoding/json would write in another form, mostly {}. A MarshalJSON that only returns nil
// and an error is enough.
func unmarshalled(t *tree) (found []string) {
	for _, pkg := range t.packages(func(s source) bool { return s.product() && !s.test() && !s.nested }) {
		types, forms, has := map[string]*ast.TypeSpec{}, map[string]string{}, map[string]bool{}
		for _, s := range pkg {
			for _, d := range s.ast.Decls {
				switch d := d.(type) {
				case *ast.GenDecl:
					for _, spec := range d.Specs {
						if spec, ok := spec.(*ast.TypeSpec); ok && spec.Name.IsExported() && !spec.Assign.IsValid() {
							types[spec.Name.Name] = spec
						}
					}
				case *ast.FuncDecl:
					of, name := "", d.Name.Name
					if d.Recv != nil {
						of = receiver(d.Recv.List[0].Type)
						has[of+"."+name] = true
						has[of+"."+name+" fails"] = refuses(d)
					}
					if of, ok := formOfText(d, of); ok && (forms[of] == "" || strings.HasPrefix(forms[of], "Parse")) {
						forms[of] = name
					}
				}
			}
		}
		for name, spec := range types {
			by, ok := forms[name]
			if !ok || otherForms[pkg[0].dir+"."+name] != "" || strings.HasPrefix(by, "Parse") && !closed(spec.Type) {
				continue
			}
			writes, reads := has[name+".MarshalJSON"] || has[name+".MarshalText"], has[name+".UnmarshalJSON"] || has[name+".UnmarshalText"]
			if !writes || !reads && !has[name+".MarshalJSON fails"] {
				found = append(found, fmt.Sprintf("%v: %s has %s, and encoding/json does not know", t.fset.Position(spec.Pos()), name, by))
			}
		}
	}
	slices.Sort(found)
	return found
}

// formOfText returns the type that a function writes or reads: the receiver of Snapshot, DecodeJSON
// or AppendX(dst), the argument of AppendX(dst, T), or the result of ParseX.
func formOfText(d *ast.FuncDecl, of string) (string, bool) {
	name, in := d.Name.Name, typesOf(d.Type.Params)
	appends := strings.HasPrefix(name, "Append") && len(in) > 0 && in[0] == "[]byte"
	switch {
	case of != "":
		return of, name == "Snapshot" || name == "DecodeJSON" || appends
	case appends && len(in) > 1:
		return in[1], true
	case strings.HasPrefix(name, "Parse") && d.Type.Results != nil:
		return receiver(d.Type.Results.List[0].Type), true
	}
	return "", false
}

// closed reports whether a type is a struct without exported fields.
func closed(typ ast.Expr) bool {
	s, ok := typ.(*ast.StructType)
	if !ok {
		return false
	}
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			if n.IsExported() {
				return false
			}
		}
	}
	return true
}

// refuses reports whether a function only returns nil and an error.
func refuses(d *ast.FuncDecl) bool {
	if d.Body == nil || len(d.Body.List) != 1 {
		return false
	}
	r, ok := d.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 2 {
		return false
	}
	id, ok := r.Results[0].(*ast.Ident)
	return ok && id.Name == "nil"
}

// The rule finds types with a form, and accepts two methods, or one that refuses.
func TestUnmarshalled(t *testing.T) {
	const text = `package jsonrpc

type A struct{ x int }

func (a A) AppendJSON(dst []byte) []byte { return dst }

type B struct{ x int }

func (b *B) DecodeJSON(raw string) error        { return nil }
func (b *B) UnmarshalJSON(data []byte) error    { return nil }

type C struct{ X int }

func Append(dst []byte, c C) []byte             { return dst }
func (c C) MarshalJSON() ([]byte, error)        { return Append(nil, c), nil }

type D struct{ x int }

func ParseD(s string) (D, bool)                 { return D{}, true }

type E struct{ x int }

func (E) Snapshot() []byte                      { return nil }
func (E) MarshalJSON() ([]byte, error)          { return nil, err }

type F struct{ X int }

func ParseF(s string) (F, bool)                 { return F{}, true }

type G struct{ x int }

func ParseG(s string) (G, bool)                 { return G{}, true }
func (G) MarshalText() ([]byte, error)          { return nil, nil }
func (*G) UnmarshalText([]byte) error           { return nil }

type h struct{}

func (h) AppendJSON(dst []byte) []byte          { return dst }

type I struct{ X int }

func (I) AppendTo(s string) string              { return s }
`
	src, err := load(fstest.MapFS{"jsonrpc/s.go": {Data: []byte(text)}, "conformance/s.go": {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range unmarshalled(src) {
		names = append(names, strings.Fields(f)[1])
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "A B C D" {
		t.Error(got)
	}
}
