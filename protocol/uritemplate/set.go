package uritemplate

import (
	"slices"
)

// Set is a list of templates, the most specific first. The zero Set is empty. A
// Set does not change and may be shared.
type Set struct {
	// runs are sorted lists. With keeps each shorter than half of the one before, so that there
	// are few and each template is moved seldom.
	runs []run
	size int
}

// NewSet returns the set of the templates. Their order matters only for
// Found.Index; of templates with the same text the first is found.
func NewSet(templates ...Template) Set {
	entries := make([]entry, 0, len(templates))
	for i, t := range templates {
		entries = append(entries, entry{t, i})
	}
	return Set{[]run{newRun(entries)}, len(entries)}
}

// With returns the set of the templates of s and t. For Found.Index, those of t come last. Building
// a set of n templates one by one takes n log n comparisons.
func (s Set) With(t Template) Set {
	last := newRun([]entry{{t, s.size}})
	n := len(s.runs)
	for ; n > 0 && len(s.runs[n-1].entries) <= 2*len(last.entries); n-- {
		last = s.runs[n-1].with(last)
	}
	return Set{append(slices.Clone(s.runs[:n]), last), s.size + 1}
}

// lists are sorted lists of entries.
type lists [][]entry

// all yields the entries of all lists in one order.
func (l lists) all(yield func(entry) bool) {
	l = slices.Clone(l)
	for {
		least := -1
		for i, list := range l {
			if len(list) > 0 && (least < 0 || list[0].compare(l[least][0]) < 0) {
				least = i
			}
		}
		if least < 0 {
			return
		}
		e := l[least][0]
		l[least] = l[least][1:]
		if !yield(e) {
			return
		}
	}
}

// Templates returns the templates in the order of Compare. The caller owns the
// slice.
func (s Set) Templates() []Template {
	runs := make(lists, 0, len(s.runs))
	for _, r := range s.runs {
		runs = append(runs, r.entries)
	}
	templates := make([]Template, 0, s.size)
	for e := range runs.all {
		templates = append(templates, e.template)
	}
	return templates
}

// Found is the result of Find.
type Found struct {
	// Template is the template that matched.
	Template Template
	// Index is its place among the arguments of NewSet, or in the order of With.
	Index int
	// Values are its variables.
	Values Values
}

// maxFind bounds the work of one Find: peers may list any number of templates.
const maxFind = 16 * MaxWork

// Find returns the most specific template that matches the URI, and reports false
// without one. It prefers a template that makes exactly this URI to one
// that matches it loosely (see Contract), regardless of the order of parameters.
// The result depends only on the templates and the URI. Find takes the time of one Match
// for each template whose text before its first expression begins the URI, at most that of
// about sixteen of the longest: if thousands of large templates meet a long URI, the last
// ones are not tried.
func (s Set) Find(uri string) (Found, bool) {
	m, ok := newMatcher(uri)
	if !ok {
		return Found{}, false
	}
	return s.find(m)
}

func (s Set) find(m *matcher) (Found, bool) {
	var begun lists
	for _, r := range s.runs {
		begun = r.begun(m, begun)
	}
	for mode := exact; mode < modes; mode++ {
		for e := range begun.all {
			if m.work += len(begun); m.work > maxFind {
				return Found{}, false
			}
			if values, ok := m.match(e.template.get(), mode); ok {
				return Found{e.template, e.index, values}, true
			}
		}
	}
	return Found{}, false
}
