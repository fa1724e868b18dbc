package uritemplate

import (
	"cmp"
	"slices"
)

type entry struct {
	template Template
	index    int
}

func (x entry) compare(y entry) int {
	return cmp.Or(Compare(x.template, y.template), cmp.Compare(x.index, y.index))
}

// run is a sorted list of templates, and an index of how they begin.
type run struct {
	entries []entry
	byStart []entry // the same, by start; those with one start in their order
	starts  []start // in the order of their text
}

// start has the templates that begin with the same text.
type start struct {
	text    []token
	entries []entry // sorted
	shorter int     // the longest other start that text begins with; -1 if there is none
}

func newRun(entries []entry) run {
	byStart := slices.Clone(entries)
	slices.SortFunc(entries, entry.compare)
	slices.SortFunc(byStart, entry.compareStart)
	return indexed(entries, byStart)
}

// with returns a run with the templates of both.
func (r run) with(other run) run {
	return indexed(merge(r.entries, other.entries, entry.compare), merge(r.byStart, other.byStart, entry.compareStart))
}

// indexed returns the run of two sorted lists of the same templates.
func indexed(entries, byStart []entry) run {
	r := run{entries: entries, byStart: byStart}
	for from, to := 0, 0; from < len(byStart); from = to {
		text := byStart[from].template.get().start()
		for to = from + 1; to < len(byStart) && compareTokens(byStart[to].template.get().start(), text) == 0; {
			to++
		}
		shorter := len(r.starts) - 1
		for shorter >= 0 && !begins(text, r.starts[shorter].text) {
			shorter = r.starts[shorter].shorter
		}
		r.starts = append(r.starts, start{text, byStart[from:to:to], shorter})
	}
	return r
}

func merge(a, b []entry, compare func(x, y entry) int) []entry {
	list := make([]entry, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if compare(a[0], b[0]) < 0 {
			list, a = append(list, a[0]), a[1:]
		} else {
			list, b = append(list, b[0]), b[1:]
		}
	}
	return append(append(list, a...), b...)
}

// begun appends the lists of the templates that the URI may match by its start. All starts
// of the URI are prefixes of the last start that does not come after it.
func (r run) begun(m *matcher, lists [][]entry) [][]entry {
	i, found := slices.BinarySearchFunc(r.starts, m.uri, func(s start, uri []token) int { return compareTokens(s.text, uri) })
	if !found {
		i--
	}
	for so := false; i >= 0; i = r.starts[i].shorter {
		if so = so || m.at(0, r.starts[i].text); so {
			lists = append(lists, r.starts[i].entries)
		}
	}
	return lists
}

func (x entry) compareStart(y entry) int {
	if c := compareTokens(x.template.get().start(), y.template.get().start()); c != 0 {
		return c
	}
	return x.compare(y)
}

// start returns what every URI that matches the template begins with: the text before the first
// expression, without parameters, whose order does not matter.
func (c *compiled) start() []token {
	in := &c.prog[0]
	if in.op != opLit {
		return nil
	}
	text := c.lits[in.from:in.to]
	if c.query != nil {
		if i := slices.IndexFunc(text, func(t token) bool { return t.kind == c.query.from }); i >= 0 {
			text = text[:i]
		}
	}
	return text
}

// compareTokens orders texts so that those with the same beginning are adjacent.
func compareTokens(a, b []token) int {
	return slices.CompareFunc(a, b, func(x, y token) int {
		if x.b != y.b {
			return cmp.Compare(x.b, y.b)
		}
		return cmp.Compare(x.kind, y.kind)
	})
}

// begins reports whether text begins with with.
func begins(text, with []token) bool {
	return len(text) >= len(with) && compareTokens(text[:len(with)], with) == 0
}
