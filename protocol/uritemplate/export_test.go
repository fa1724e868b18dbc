package uritemplate

import "slices"

// MatchExact is Match without the loose reading.
func (t Template) MatchExact(uri string) (Values, bool) {
	m, ok := newMatcher(uri)
	if !ok {
		return nil, false
	}
	return m.match(t.get(), exact)
}

// Same reports whether two URIs are spelled the same way, apart from the choices that
// RFC 3986, section 6.2.2, allows.
func Same(a, b string) bool {
	x, _ := scan(a)
	m, _ := newMatcher(b)
	return len(x) == len(m.uri) && m.at(0, x)
}

// Size is the factor of MaxWork that depends on the template.
func Size(t Template) int { return len(t.get().prog) }

// Work returns how many instructions a Match looks at.
func Work(t Template, uri string) int {
	m, ok := newMatcher(uri)
	for mode := exact; ok && mode < modes; mode++ {
		if _, found := m.match(t.get(), mode); found {
			break
		}
	}
	return m.work
}

// FindWork is Work for a Find.
func FindWork(s Set, uri string) (work int, found bool) {
	m, _ := newMatcher(uri)
	_, found = s.find(m)
	return m.work, found
}

// FindByTrial is Find without an index: it tries one template after the other.
func FindByTrial(s Set, uri string) (Found, bool) {
	m, ok := newMatcher(uri)
	for mode := exact; ok && mode < modes; mode++ {
		for _, e := range slices.SortedFunc(slices.Values(s.list()), entry.compare) {
			if values, ok := m.match(e.template.get(), mode); ok {
				return Found{e.template, e.index, values}, true
			}
		}
	}
	return Found{}, false
}

// list returns the entries in no particular order.
func (s Set) list() (list []entry) {
	for _, r := range s.runs {
		list = append(list, r.entries...)
	}
	return list
}

// Tried returns how many templates an unsuccessful Find looks at.
func Tried(s Set, uri string) (n int) {
	m, _ := newMatcher(uri)
	for _, r := range s.runs {
		for _, list := range r.begun(m, nil) {
			n += len(list)
		}
	}
	return n
}
