package typed

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/schema/build"
)

// structure returns the shape of a struct. A struct that contains itself becomes a definition, and
// except at the outermost place a reference to it.
func (in *inference) structure(t reflect.Type, outermost bool) (shape, error) {
	if o := in.open[t]; o != nil {
		if o.def == "" {
			o.def = in.name(t)
		}
		return shape{plan: o.plan, schema: build.Ref(o.def), size: 1}, nil
	}
	o := &opened{plan: &plan{op: opStruct, typ: t}}
	in.open[t] = o
	defer delete(in.open, t)
	f := flat{in: in}
	if err := f.walk(t, nil, 0); err != nil {
		return shape{}, err
	}
	s := shape{plan: o.plan, schema: build.Object(), size: 1}
	for _, m := range f.list {
		if m.depth < 0 {
			continue // hidden by a less deep one
		}
		if m.twice {
			return shape{}, fmt.Errorf("%v: %q is the name of two fields", t, m.name)
		}
		o.plan.fields = append(o.plan.fields, m.field)
		o.plan.need = o.plan.need || m.required || m.standard != ""
		s.size += m.size
		if prop := build.Prop; m.required {
			s.schema = s.schema.Props(prop(m.name, m.schema))
		} else {
			s.schema = s.schema.Props(build.Optional(m.name, m.schema))
		}
	}
	if o.plan.open = f.open; f.open {
		s.schema = s.schema.Open()
	}
	if len(o.plan.fields) == 0 && t.NumField() > 0 && !f.open {
		return shape{}, fmt.Errorf("%v has no fields that can be members", t)
	}
	if len(o.plan.fields) > few {
		o.plan.index = make(map[string]int, len(o.plan.fields))
		for i, m := range o.plan.fields {
			o.plan.index[m.name] = i
		}
	}
	if o.def != "" {
		in.defs = append(in.defs, build.Prop(o.def, s.schema))
		if !outermost {
			s.schema, s.size = build.Ref(o.def), 1
		}
	}
	return s, nil
}

// name returns a name for the definition of a type.
func (in *inference) name(t reflect.Type) string {
	name, _, _ := strings.Cut(t.Name(), "[") // the arguments of a generic type are paths
	base := name
	for i := 2; in.names[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	in.names[name] = true
	return name
}

// member is a field with its schema.
type member struct {
	field
	schema build.Schema
	size   int
	bare   bool // it contains an interface
	depth  int  // how many structs it is embedded in; -1: hidden
	twice  bool // another one has the same name and depth
}

// flat collects the fields of a struct and of those embedded in it.
type flat struct {
	in   *inference
	list []member
	open bool // a field says that other members are allowed
}

func (f *flat) walk(t reflect.Type, at []int, depth int) error {
	for i := range t.NumField() {
		sf := t.Field(i)
		way := append(slices.Clone(at), i)
		name, options, err := nameOf(sf)
		if err == nil && sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Struct {
			if _, own := known(sf.Type); !own {
				if err := f.walk(sf.Type, way, depth+1); err != nil {
					return err
				}
				continue
			}
		}
		switch {
		case err != nil:
		case sf.Name == "_" && sf.Tag.Get("schema") == "open":
			f.open = true
		case sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Pointer:
			err = errors.New("a pointer that is embedded: embed the struct, or give it a name")
		case !sf.IsExported() || options.ignored:
			// encoding/json would make an embedded struct with a name a member.
			if tagged(sf) || sf.Anonymous && name != "" {
				err = errors.New("the field has a tag, and is not a member")
			} else {
				continue
			}
		default:
			if name == "" {
				name = sf.Name
			}
			err = f.add(sf, name, options, way, depth)
		}
		if err != nil {
			return fmt.Errorf("%v.%s: %w", t, sf.Name, err)
		}
	}
	return nil
}

func (f *flat) add(sf reflect.StructField, name string, o options, way []int, depth int) error {
	for i, m := range f.list {
		switch {
		case m.name != name || m.depth < 0:
		case m.depth == depth:
			f.list[i].twice = true // unless both are hidden
			return nil
		case m.depth < depth:
			return nil // it is hidden
		default:
			f.list[i].depth = -1
		}
	}
	s, err := f.in.shape(sf.Type, false)
	if err != nil {
		return err
	}
	m := member{
		field: field{
			name: name, key: `"` + name + `":`, at: way, plan: s.plan,
			required: !o.omitEmpty && !o.omitZero && s.plan.op != opPointer,
			omitZero: o.omitZero, omitEmpty: o.omitEmpty,
			isZero: o.omitZero && sf.Type.Implements(zeroer) && sf.Type.Kind() != reflect.Pointer,
		},
		schema: s.schema, size: s.size, bare: s.bare, depth: depth,
	}
	words, err := parseWords(sf.Tag.Get("schema"))
	if err == nil {
		err = m.apply(f.in, words)
	}
	if err == nil {
		m.doc, err = descriptionOf(sf)
	}
	if m.doc != "" {
		m.schema = m.schema.Description(m.doc)
	}
	if m.standard != "" && err == nil {
		if errs := read(string(m.standard), s.plan, reflect.New(sf.Type).Elem()); errs != nil {
			err = fmt.Errorf("the default: %w", errs)
		}
	}
	f.list = append(f.list, m)
	return err
}

var zeroer = reflect.TypeFor[interface{ IsZero() bool }]()

// maxSize is the greatest number of schemas in the schema of one type: types that refer to each
// other often would otherwise grow without bound.
const maxSize = 10_000

// inference infers shapes. Types that contain themselves become definitions.
type inference struct {
	done   map[reflect.Type]shape
	open   map[reflect.Type]*opened
	within map[reflect.Type]int // types other than structs, with how many of open there were
	names  map[string]bool
	defs   []build.Property
}

// opened is a struct type whose fields are being inspected.
type opened struct {
	plan *plan
	def  string // its definition, if it contains itself
}

func newInference() *inference {
	return &inference{done: map[reflect.Type]shape{}, open: map[reflect.Type]*opened{}, within: map[reflect.Type]int{}, names: map[string]bool{}}
}

// whole returns the shape of a type with the definitions that it needs.
func (in *inference) whole(t reflect.Type) (shape, error) {
	s, err := in.shape(t, true)
	if err == nil && s.bare {
		err = errInterface
	}
	if err != nil {
		return shape{}, err
	}
	for _, d := range in.defs {
		s.schema = s.schema.Def(d.Name(), d.Schema())
	}
	if err := s.schema.Check(); err != nil {
		return shape{}, err
	}
	return s, nil
}

// shape returns the shape of a type. The outermost one is never a reference, even if it contains
// itself.
func (in *inference) shape(t reflect.Type, outermost bool) (shape, error) {
	if s, ok := in.done[t]; ok {
		return s, nil
	}
	if t.Kind() != reflect.Struct {
		if n, ok := in.within[t]; ok && n == len(in.open) { // type T []T
			return shape{}, fmt.Errorf("%v contains itself, and there is no struct between", t)
		} else if !ok {
			defer delete(in.within, t)
		}
		in.within[t] = len(in.open)
	}
	s, err := in.infer(t, outermost)
	if err == nil && s.size > maxSize {
		err = fmt.Errorf("%v has a schema of more than %d parts", t, maxSize)
	}
	if err == nil {
		in.done[t] = s
	}
	return s, err
}

func (in *inference) infer(t reflect.Type, outermost bool) (shape, error) {
	if s, ok := known(t); ok {
		return s, nil
	}
	if t == durationType {
		return shape{}, errDuration
	}
	if p := reflect.PointerTo(t); t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface &&
		(p.Implements(jsonAppender) || p.Implements(jsonMarshaler) || p.Implements(jsonUnmarshaler)) {
		return shape{}, fmt.Errorf("%v has a JSON form of its own, whose schema is not known: use jsonrpc.Raw", t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return leaf(opBool, t, build.Boolean()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s := leaf(opInt, t, build.Integer())
		if bits := t.Bits(); bits < 64 && t.Kind() != reflect.Int {
			least := int64(-1) << (bits - 1)
			s.schema = s.schema.Min(jsonrpc.Raw(strconv.FormatInt(least, 10))).Max(jsonrpc.Raw(strconv.FormatInt(-(least + 1), 10)))
		}
		return s, nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s := leaf(opUint, t, build.Integer().Min("0"))
		if bits := t.Bits(); bits < 64 && t.Kind() != reflect.Uint {
			s.schema = s.schema.Max(jsonrpc.Raw(strconv.FormatUint(1<<bits-1, 10)))
		}
		return s, nil
	case reflect.Float32, reflect.Float64:
		return leaf(opFloat, t, build.Number()), nil
	case reflect.String:
		return leaf(opString, t, build.String()), nil
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return shape{}, fmt.Errorf("%v is an interface with methods, and has no JSON form", t)
		}
		s := leaf(opAny, t, build.Any())
		s.bare = true
		return s, nil
	case reflect.Pointer:
		e, err := in.shape(t.Elem(), false)
		if err == nil && e.plan.op == opPointer {
			err = fmt.Errorf("%v is a pointer to a pointer", t)
		}
		return shape{&plan{op: opPointer, typ: t, elem: e.plan}, build.Nullable(e.schema), e.size + 1, e.bare}, err
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 && !isText(t.Elem()) {
			return leaf(opBytes, t, build.String().Encoding("base64")), nil
		}
		e, err := in.shape(t.Elem(), false)
		return shape{&plan{op: opSlice, typ: t, elem: e.plan}, build.Array(e.schema), e.size + 1, e.bare}, err
	case reflect.Array:
		e, err := in.shape(t.Elem(), false)
		return shape{&plan{op: opArray, typ: t, elem: e.plan}, build.Array(e.schema).MinItems(t.Len()).MaxItems(t.Len()), e.size + 1, e.bare}, err
	case reflect.Map:
		if t.Key().Kind() != reflect.String || isText(t.Key()) {
			return shape{}, fmt.Errorf("%v has keys that are not strings", t)
		}
		e, err := in.shape(t.Elem(), false)
		return shape{&plan{op: opMap, typ: t, elem: e.plan}, build.Map(e.schema), e.size + 1, e.bare}, err
	case reflect.Struct:
		return in.structure(t, outermost)
	}
	return shape{}, fmt.Errorf("%v has no JSON form", t)
}

var errDuration = errors.New("time.Duration has no agreed JSON form: use a number of seconds, or a string")

// apply applies the words of a tag to a field.
func (m *member) apply(in *inference, words []word) error {
	m.nullable = m.plan.op == opPointer
	wants, anything := false, false
	var rest []word
	for _, w := range words {
		if count, ok := flags[w.name]; ok && len(w.values) != count {
			return fmt.Errorf("the schema tag has %q with %d values, not %d", w.name, len(w.values), count)
		}
		switch w.name {
		case "any":
			anything = true
		case "nullable":
			m.nullable = true
		case "required":
			wants = true
		case "optional":
			m.required = false
		case "default":
			m.required = false
			m.standard = rawOf(m.plan, w.values[0])
			m.schema = m.schema.Default(m.standard)
		default:
			if rest = append(rest, w); w.name == "title" {
				m.title = w.values[0]
			}
		}
	}
	switch {
	case m.bare && !anything:
		return errInterface
	case anything && !m.bare:
		return errors.New("the schema tag has any, and the type says more")
	case wants && (m.standard != "" || m.omitEmpty || m.omitZero):
		return errors.New("the schema tag has required, and the field may be left out")
	case wants:
		m.required = true
	}
	var err error
	if m.schema, err = in.constrain(m.schema, m.plan, rest); err == nil && m.nullable {
		m.schema = build.Nullable(m.schema)
	}
	return err
}

var errInterface = errors.New("an interface has no schema of its own: use jsonrpc.Raw, or say any in the schema tag")

// constrain applies the words to a schema. Those that begin with items. apply to the elements of an
// array, or the values of a map.
func (in *inference) constrain(s build.Schema, p *plan, words []word) (_ build.Schema, err error) {
	var items []word
	for _, w := range words {
		if name, ok := strings.CutPrefix(w.name, "items."); ok {
			items = append(items, word{name, w.values})
		} else if s, err = constrain(s, p, w); err != nil {
			return s, err
		}
	}
	if items == nil {
		return s, nil
	}
	for p.op == opPointer {
		p = p.elem
	}
	if p.op != opSlice && p.op != opArray && p.op != opMap {
		return s, errors.New("the schema tag has items., and the type has no items")
	}
	e, err := in.shape(p.elem.typ, false)
	if err == nil {
		e.schema, err = in.constrain(e.schema, p.elem, items)
	}
	if p.elem.op == opPointer {
		e.schema = build.Nullable(e.schema)
	}
	if p.op == opMap {
		return s.Others(e.schema), err
	}
	return s.Items(e.schema), err
}
