package table

import (
	"cmp"
	"slices"
)

// Expire returns the table without the entries whose deadline is at or before
// now, and these entries in the order of deadline and key. Entries with the
// deadline Never stay, whatever now is. The work is in proportion to the
// number of expired entries and the depth of the table.
func (t Table[V]) Expire(now int64) (Table[V], []*Leaf[V]) {
	now = min(now, Never-1)
	if t.Min() > now {
		return t, nil
	}
	var s sweep[V]
	s.now = now
	last := t.root.leaf
	if last != nil && last.Deadline <= now {
		s.gone, last = append(s.gone, last), nil
	}
	t = beside(s.link(link[V]{node: t.root.node}), last)
	slices.SortFunc(s.gone, func(a, b *Leaf[V]) int {
		if c := cmp.Compare(a.Deadline, b.Deadline); c != 0 {
			return c
		}
		return cmp.Compare(a.Key, b.Key)
	})
	return t, s.gone
}

type sweep[V any] struct {
	now  int64
	gone []*Leaf[V]
}

// link returns what is left of l.
func (s *sweep[V]) link(l link[V]) link[V] {
	if l.min() > s.now {
		return l
	}
	if l.leaf != nil {
		s.gone = append(s.gone, l.leaf)
		return link[V]{}
	}
	var kids [fanout]link[V]
	var last link[V]
	inner, outer, size, first := uint8(0), uint8(0), uint32(0), int64(Never)
	for i := range uint64(fanout) {
		kid := l.node.at(i)
		if kid == (link[V]{}) {
			continue
		}
		if kid = s.link(kid); kid != (link[V]{}) {
			kids[i], last = kid, kid
			first = min(first, kid.min())
			more, most := kid.kinds()
			inner, outer, size = inner+more, outer+most, size+kid.size()
		}
	}
	if inner+outer < 2 {
		return last
	}
	n := room[V](inner, outer)
	n.prefix, n.shift, n.min, n.size = l.node.prefix, l.node.shift, first, size
	for i, kid := range kids {
		n.set(uint64(i), kid)
	}
	return link[V]{node: n}
}
