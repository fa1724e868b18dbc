package typed

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol/schema/build"
)

// structure returns the shape of a struct. One that contains itself becomes a definition,
// and where it is not the outermost a reference to it.
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
			continue // hidden by one that is less deep
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

// member is a field with what its schema is.
type member struct {
	field
	schema build.Schema
	size   int
	bare   bool // there is an interface in it
	depth  int  // how many structs it is embedded in; -1: hidden
	twice  bool // there is another of the name, as deep
}

// flat collects the fields of a struct and of those embedded in it.
type flat struct {
	in   *inference
	list []member
	open bool // one says that other members are allowed
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
				err = errors.New("it has a tag, and is not a member")
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

// options are what a json tag says beside the name.
type options struct{ omitEmpty, omitZero, ignored bool }

// nameOf reads the json tag of a field.
func nameOf(sf reflect.StructField) (name string, o options, err error) {
	tag := sf.Tag.Get("json")
	if tag == "-" {
		return "", options{ignored: true}, nil
	}
	name, rest, more := strings.Cut(tag, ",")
	for more {
		var word string
		switch word, rest, more = strings.Cut(rest, ","); word {
		case "omitempty":
			o.omitEmpty = true
		case "omitzero":
			o.omitZero = true
		case "":
		default:
			return "", o, fmt.Errorf("the json tag has %q, which is not known", word)
		}
	}
	if strings.Contains(name, "\ufffd") || string(rawjson.AppendQuote(nil, name)) != `"`+name+`"` {
		return "", o, fmt.Errorf("%q cannot be the name of a member", name)
	}
	return name, o, nil
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
