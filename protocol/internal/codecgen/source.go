package main

import (
	"cmp"
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
	kinds    []constant
}

type structType struct {
	name   string
	schema string // its name in the schema
	asks   bool   // requests that bring answers to questions have it as their params
	tagged bool   // has json tags, or no fields at all
	fields []field
	parts  []string // the types whose members are members of this one too; with a * if its codec is written by hand
}

type field struct {
	name     string // of the Go field
	wire     string
	typ      string // as in the source
	rule     string // the mcp tag
	optional bool
	inline   bool   // of a part that has no place of its own in the shape
	ages     string // the revisions that have it, as an ages; "" for all
	free     string // the first revision in which a required member may be absent; "0" if there is no tag
	again    string // the first after free in which it may not; "0" if there is none
	arrays   string // the first revision in which arrays are taken; "0" if there is no tag
	loose    string // the first revision in which anything is taken; "0" if there is no tag
	binds    bool   // the value has to be understood, or the whole is not: see the tag odd
}

// constant is a string constant with a directive: the name of a type of content.
type constant struct{ name, schema, ages string }

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
	s.flatten()
	slices.SortFunc(s.structs, func(a, b structType) int { return strings.Compare(a.name, b.name) })
	return s, nil
}

func (s *source) file(path string, text []byte) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return err
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			s.method(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					schema, _ := directive(d.Doc)
					if err := s.typeSpec(spec, cmp.Or(schema, spec.Name.Name)); err != nil {
						return err
					}
				case *ast.ValueSpec:
					if schema, tag := directive(spec.Comment); schema != "" {
						s.kinds = append(s.kinds, constant{spec.Names[0].Name, schema, agesOf(tag)})
					}
					s.constants(spec)
					s.rowList(spec)
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

func (s *source) typeSpec(t *ast.TypeSpec, schema string) error {
	st, ok := t.Type.(*ast.StructType)
	if !ok || !t.Name.IsExported() {
		return nil
	}
	s.named[t.Name.Name] = true
	out := structType{name: t.Name.Name, schema: schema, tagged: len(st.Fields.List) == 0}
	for _, f := range st.Fields.List {
		if f.Tag == nil {
			if len(f.Names) == 0 {
				out.parts = append(out.parts, expr(f.Type))
			}
			continue
		}
		text, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return err
		}
		tag := reflect.StructTag(text)
		if tag.Get("mcp") == "inline" {
			out.parts = append(out.parts, expr(f.Type))
			continue
		}
		wire, rest, _ := strings.Cut(tag.Get("json"), ",")
		if wire == "-" {
			out.asks = out.asks || f.Names[0].Name == "Input"
			continue // no member
		}
		if len(f.Names) != 1 || wire == "" || rest != "" && rest != "omitzero" {
			return fmt.Errorf("%s: unexpected json tag %s", out.name, f.Tag.Value)
		}
		out.tagged = true
		out.fields = append(out.fields, field{
			name: f.Names[0].Name, wire: wire, typ: expr(f.Type), rule: tag.Get("mcp"), optional: rest == "omitzero",
			ages: agesOf(tag), arrays: ageOf(tag.Get("arrays")), loose: ageOf(tag.Get("any")), free: ageOf(tag.Get("optional")), again: ageOf(tag.Get("required")),
			binds: tag.Get("odd") == "fault",
		})
	}
	s.structs = append(s.structs, out)
	return nil
}

// flatten gives every type the members of its parts, but for those that it has itself.
func (s *source) flatten() {
	byName := map[string]*structType{}
	for i := range s.structs {
		byName[s.structs[i].name] = &s.structs[i]
	}
	var fields func(t *structType) []field
	fields = func(t *structType) (list []field) {
		for _, part := range t.parts {
			inner, inline := strings.CutPrefix(part, "*")
			if p := byName[inner]; p != nil {
				t.tagged = true
				for _, f := range fields(p) {
					f.inline = inline
					list = append(list, f)
				}
			}
		}
		own := t.fields
		list = slices.DeleteFunc(list, func(f field) bool {
			return slices.ContainsFunc(own, func(o field) bool { return o.wire == f.wire || o.name == f.name })
		})
		return append(list, own...)
	}
	flat := make([][]field, len(s.structs))
	for i := range s.structs {
		flat[i] = fields(&s.structs[i])
	}
	for i := range s.structs {
		s.structs[i].fields = flat[i]
	}
}

// directive returns what //sansmcp:schema in a comment says: a name and tags.
func directive(c *ast.CommentGroup) (name string, tag reflect.StructTag) {
	if c != nil {
		for _, line := range c.List {
			if rest, ok := strings.CutPrefix(line.Text, "//sansmcp:schema "); ok {
				name, rest, _ = strings.Cut(rest, " ")
				return name, reflect.StructTag(rest)
			}
		}
	}
	return "", ""
}

// agesOf spells the revisions that tags name, "" for all.
func agesOf(tag reflect.StructTag) string {
	since, until := ageOf(tag.Get("since")), ageOf(tag.Get("until"))
	if since == "0" && until == "0" {
		return ""
	}
	return "ages{" + since + ", " + until + "}"
}

// ageOf returns the constant for a revision, 0 for none. If there is no such revision the
// code does not compile.
func ageOf(date string) string {
	if date == "" {
		return "0"
	}
	return "age" + strings.ReplaceAll(date, "-", "")
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

// rowType is what the rows of a feature file say: the constant of the method, and the
// types of its params and result by the names of their check functions.
type rowType struct{ method, params, result string }

// rowList reads a variable of type []Row.
func (s *source) rowList(spec *ast.ValueSpec) {
	for i, v := range spec.Values {
		list, ok := v.(*ast.CompositeLit)
		if !ok || expr(list.Type) != "[]Row" {
			continue
		}
		s.features = append(s.features, spec.Names[i].Name)
		for _, e := range list.Elts {
			if row, ok := e.(*ast.CompositeLit); ok {
				s.row(row)
			}
		}
	}
}

// row reads one row. A method whose rows differ between revisions has several.
func (s *source) row(lit *ast.CompositeLit) {
	var r rowType
	for _, e := range lit.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		value := expr(kv.Value)
		switch expr(kv.Key) {
		case "Method":
			r.method = value
		case "params":
			r.params = strings.TrimPrefix(value, "check")
		case "result":
			r.result = strings.TrimPrefix(value, "check")
		}
	}
	for _, known := range s.rows {
		if known.method == r.method {
			return
		}
	}
	s.rows = append(s.rows, r)
}

// constants notes the names of methods.
func (s *source) constants(spec *ast.ValueSpec) {
	for i, name := range spec.Names {
		if lit, ok := value(spec, i).(*ast.BasicLit); ok && strings.HasPrefix(name.Name, "Method") {
			s.names[name.Name] = lit.Value
		}
	}
}

func value(spec *ast.ValueSpec, i int) ast.Expr {
	if i < len(spec.Values) {
		return spec.Values[i]
	}
	return nil
}

// one reports whether a list of one item may go without brackets.
func one(f field) bool { return slices.Contains(strings.Split(f.rule, ","), "one") }

// placeOf is the rule of a field that says which kinds of content it can have.
func placeOf(f field) string {
	for rule := range strings.SplitSeq(f.rule, ",") {
		if rule == "sampling" || rule == "ordinary" {
			return strings.ToUpper(rule[:1]) + rule[1:]
		}
	}
	return ""
}

// paramsInfo spells the members of the ParamsInfo of params.
func paramsInfo(t structType) string {
	var list []string
	for _, f := range t.fields {
		switch f.name {
		case "Meta":
			list = append(list, "Meta: v.Meta")
		case "Name", "URI", "Level", "ElicitationID":
			list = append(list, "Subject: string(v."+f.name+")")
		case "Arguments":
			if t.name == "CallToolParams" {
				list = append(list, "Arguments: v.Arguments")
			}
		}
	}
	return strings.Join(list, ", ")
}

// partOf returns the constant for the type of a field, or of its elements.
func partOf(s *source, f field) string {
	inner := strings.TrimPrefix(strings.TrimPrefix(f.typ, "*"), "[]")
	switch {
	case f.rule == "fields":
		return "idFields"
	case placeOf(f) == "Sampling":
		return "idSamplingContent"
	case s.named[inner]:
		return "id" + inner
	case f.rule == "schema", f.rule == "output":
		return "idSchema"
	case f.rule == "request":
		return "idRequestMeta"
	}
	return "idOpen"
}

// base is the type of a field, or of its elements.
func base(f field) string {
	if f.rule == "fields" {
		return "PrimitiveSchema"
	}
	return strings.TrimLeft(f.typ, "*[]")
}
