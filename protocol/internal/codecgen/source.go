package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// source is what the hand-written files of the package say.
type source struct {
	structs []structType
	enums   map[string]bool            // named string types with a method Valid
	methods map[string]map[string]bool // by type
	named   map[string]bool            // struct types

	names    map[string]string // the names of methods, quoted, by constant
	features []string          // the variables that hold rows
	rows     []rowType
}

type structType struct {
	name   string
	tagged bool // has json tags, or no fields at all
	fields []field
}

type field struct {
	name     string // of the Go field
	wire     string
	typ      string // as in the source
	rule     string // the mcp tag
	optional bool
}

// read parses the files of the package in dir that were written by hand.
func read(dir string) (*source, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	s := &source{enums: map[string]bool{}, methods: map[string]map[string]bool{}, named: map[string]bool{}, names: map[string]string{}}
	for _, path := range paths {
		if base := filepath.Base(path); strings.HasPrefix(base, "zz_") || strings.HasSuffix(base, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if err := s.file(path, text); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(s.structs, func(a, b structType) int { return strings.Compare(a.name, b.name) })
	return s, nil
}

func (s *source) file(path string, text []byte) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.method(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch t := spec.(type) {
				case *ast.TypeSpec:
					if err := s.typeSpec(t); err != nil {
						return err
					}
				case *ast.ValueSpec:
					s.constants(t)
					s.rowList(t)
				}
			}
		}
	}
	return nil
}

func (s *source) method(d *ast.FuncDecl) {
	if d.Recv == nil {
		return
	}
	t := strings.TrimPrefix(expr(d.Recv.List[0].Type), "*")
	if s.methods[t] == nil {
		s.methods[t] = map[string]bool{}
	}
	s.methods[t][d.Name.Name] = true
	if d.Name.Name == "Valid" {
		s.enums[t] = true
	}
}

func (s *source) typeSpec(t *ast.TypeSpec) error {
	st, ok := t.Type.(*ast.StructType)
	if !ok || !t.Name.IsExported() {
		return nil
	}
	s.named[t.Name.Name] = true
	out := structType{name: t.Name.Name, tagged: len(st.Fields.List) == 0}
	for _, f := range st.Fields.List {
		if f.Tag == nil {
			continue
		}
		text, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return err
		}
		tag := reflect.StructTag(text)
		wire, rest, _ := strings.Cut(tag.Get("json"), ",")
		if len(f.Names) != 1 || wire == "" || rest != "" && rest != "omitzero" {
			return fmt.Errorf("%s: unexpected json tag %s", out.name, f.Tag.Value)
		}
		out.tagged = true
		out.fields = append(out.fields, field{
			name: f.Names[0].Name, wire: wire, typ: expr(f.Type), rule: tag.Get("mcp"), optional: rest == "omitzero",
		})
	}
	s.structs = append(s.structs, out)
	return nil
}

// expr spells the type expressions that occur in fields and receivers.
func expr(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + expr(e.X)
	case *ast.ArrayType:
		return "[]" + expr(e.Elt)
	case *ast.MapType:
		return "map[" + expr(e.Key) + "]" + expr(e.Value)
	case *ast.BasicLit:
		return e.Value
	case *ast.SelectorExpr:
		return expr(e.X) + "." + e.Sel.Name
	}
	return "?"
}
