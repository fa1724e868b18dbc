package build

import (
	"errors"
	"slices"
	"strconv"
)

// Strict returns the schema in the form that the strict modes of providers require, at all levels:
// every property is required, formerly optional ones accept null, and required is
// written even if empty. A strict schema cannot express other members than its properties; an
// object that has them is an error, one Error for each place.
func (s Schema) Strict() (Schema, error) {
	var st stricter
	t := st.schema(s, "")
	if err := errors.Join(st.errs...); err != nil {
		return Schema{}, err
	}
	return t, nil
}

type stricter struct{ errs []error }

func (st *stricter) schema(s Schema, path string) Schema {
	if s.n == nil {
		return s
	}
	return s.change(func(n *node) {
		if n.items != nil {
			items := st.schema(*n.items, path+"/items")
			n.items = &items
		}
		n.props = st.list(n.props, path+"/properties/")
		n.defs = st.list(n.defs, path+"/$defs/")
		n.alternatives = slices.Clone(n.alternatives)
		for i, a := range n.alternatives {
			n.alternatives[i] = st.schema(a, path+n.branch()+strconv.Itoa(i))
		}
		if n.others != nil {
			st.errs = append(st.errs, &Error{Path: path + "/additionalProperties", Text: "strict schemas have no other members than properties"})
		}
		for i, p := range n.props {
			if p.optional && !slices.Contains(n.required, p.name) {
				n.props[i].schema = Nullable(p.schema)
			}
			n.props[i].optional = false
		}
		n.strict = true
	})
}

func (st *stricter) list(list []Property, path string) []Property {
	list = slices.Clone(list)
	for i := range list {
		list[i].schema = st.schema(list[i].schema, path+escape(list[i].name))
	}
	return list
}
