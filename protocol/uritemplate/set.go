package uritemplate

import (
	"cmp"
	"slices"
	"strings"
)

// Compare orders templates by how specific they are; negative means that a is
// more specific than b. First comes the template with more literal text, counted
// in characters of the uri; then the one with fewer variables that are exploded
// or expanded with + or #, since these can span several segments; then the one
// with fewer variables, with more of them limited by a prefix, and at last the one
// whose text is less. It is 0 only for templates with the same text.
func Compare(a, b Template) int {
	x, y := a.get(), b.get()
	return cmp.Or(
		cmp.Compare(y.literal, x.literal),
		cmp.Compare(x.open, y.open),
		cmp.Compare(len(x.vars), len(y.vars)),
		cmp.Compare(y.prefixes(), x.prefixes()),
		strings.Compare(x.text, y.text),
	)
}

func (c *compiled) prefixes() int {
	n := 0
	for i := range c.vars {
		if c.vars[i].Prefix > 0 {
			n++
		}
	}
	return n
}

// Set is a list of templates, the most specific first. The zero Set is empty. A
// Set does not change and may be shared.
type Set struct{ entries []entry }

type entry struct {
	template Template
	index    int
}

// NewSet returns the set of the templates. Their order matters only to
// Found.Index; of templates with the same text the first is found.
func NewSet(templates ...Template) Set {
	entries := make([]entry, 0, len(templates))
	for i, t := range templates {
		entries = append(entries, entry{t, i})
	}
	slices.SortFunc(entries, func(x, y entry) int {
		return cmp.Or(Compare(x.template, y.template), cmp.Compare(x.index, y.index))
	})
	return Set{entries}
}

// Templates returns the templates in the order of Compare. The caller owns the
// slice.
func (s Set) Templates() []Template {
	templates := make([]Template, 0, len(s.entries))
	for _, e := range s.entries {
		templates = append(templates, e.template)
	}
	return templates
}

// Found is what Find finds.
type Found struct {
	// Template is the template that matched.
	Template Template
	// Index is its place among the arguments of NewSet.
	Index int
	// Values are its variables.
	Values Values
}

// Find returns the most specific template that matches the uri, and reports false
// if there is none. A template that gives exactly this uri is preferred to one
// that matches it loosely (see Contract). The result depends on the templates and
// the uri alone. Time is that of one Match per template.
func (s Set) Find(uri string) (Found, bool) {
	m, ok := newMatcher(uri)
	for mode := exact; ok && mode < modes; mode++ {
		for _, e := range s.entries {
			if values, ok := m.match(e.template.get(), mode); ok {
				return Found{e.template, e.index, values}, true
			}
		}
	}
	return Found{}, false
}
