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
		cmp.Compare(y.prefixes, x.prefixes),
		strings.Compare(x.text, y.text),
	)
}

// Set is a list of templates, the most specific first. The zero Set is empty. A
// Set does not change and may be shared.
type Set struct {
	// runs are sorted lists. Of those that With makes, each is less than half of the
	// one before, so that there are few and each template is moved seldom.
	runs [][]entry
	size int
}

type entry struct {
	template Template
	index    int
}

func (x entry) compare(y entry) int {
	return cmp.Or(Compare(x.template, y.template), cmp.Compare(x.index, y.index))
}

// NewSet returns the set of the templates. Their order matters only to
// Found.Index; of templates with the same text the first is found.
func NewSet(templates ...Template) Set {
	entries := make([]entry, 0, len(templates))
	for i, t := range templates {
		entries = append(entries, entry{t, i})
	}
	slices.SortFunc(entries, entry.compare)
	return Set{[][]entry{entries}, len(entries)}
}

// With returns the set of the templates of s and t. For Found.Index, t comes last. To
// make a set of n templates one by one takes n log n comparisons.
func (s Set) With(t Template) Set {
	last := []entry{{t, s.size}}
	n := len(s.runs)
	for ; n > 0 && len(s.runs[n-1]) <= 2*len(last); n-- {
		last = merge(s.runs[n-1], last)
	}
	return Set{append(slices.Clone(s.runs[:n]), last), s.size + 1}
}

func merge(a, b []entry) []entry {
	list := make([]entry, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].compare(b[0]) < 0 {
			list, a = append(list, a[0]), a[1:]
		} else {
			list, b = append(list, b[0]), b[1:]
		}
	}
	return append(append(list, a...), b...)
}

// all goes through the entries in their order.
func (s Set) all(yield func(entry) bool) {
	runs := slices.Clone(s.runs)
	for range s.size {
		least := -1
		for i, run := range runs {
			if len(run) > 0 && (least < 0 || run[0].compare(runs[least][0]) < 0) {
				least = i
			}
		}
		e := runs[least][0]
		runs[least] = runs[least][1:]
		if !yield(e) {
			return
		}
	}
}

// Templates returns the templates in the order of Compare. The caller owns the
// slice.
func (s Set) Templates() []Template {
	templates := make([]Template, 0, s.size)
	for e := range s.all {
		templates = append(templates, e.template)
	}
	return templates
}

// Found is what Find finds.
type Found struct {
	// Template is the template that matched.
	Template Template
	// Index is its place among the arguments of NewSet, or in the order of With.
	Index int
	// Values are its variables.
	Values Values
}

// maxFind bounds the work of one Find. Templates may be those of others, as many as they
// like.
const maxFind = 16 * MaxWork

// Find returns the most specific template that matches the uri, and reports false
// if there is none. A template that gives exactly this uri is preferred to one
// that matches it loosely (see Contract); the order of parameters plays no part in
// that. The result depends on the templates and
// the uri alone. Time is that of one Match per template, but no more than some sixteen of
// the longest: where thousands of large templates meet a long uri, those that come last
// are not tried.
func (s Set) Find(uri string) (Found, bool) {
	m, ok := newMatcher(uri)
	if !ok {
		return Found{}, false
	}
	return s.find(m)
}

func (s Set) find(m *matcher) (Found, bool) {
	for mode := exact; mode < modes; mode++ {
		for e := range s.all {
			if m.work > maxFind {
				return Found{}, false
			}
			if values, ok := m.match(e.template.get(), mode); ok {
				return Found{e.template, e.index, values}, true
			}
		}
	}
	return Found{}, false
}
