package table

import "iter"

// Table maps keys to leaves. The zero value is an empty table. A Table is
// never changed: methods that change something return another Table, and both
// can be used from then on, also by several goroutines.
//
// It is 16 bytes; copying it is a snapshot.
type Table[V any] struct {
	root link[V]
}

// Len returns the number of entries.
func (t Table[V]) Len() int { return int(t.root.size()) }

// Min returns the earliest deadline of all entries, Never if none expires. It
// takes constant time.
func (t Table[V]) Min() int64 { return t.root.min() }

// Get returns the entry under key, or nil.
func (t Table[V]) Get(key uint64) *Leaf[V] {
	l := t.root
	for l.node != nil {
		if !l.node.covers(key) {
			return nil
		}
		l = l.node.at(l.node.slot(key))
	}
	if l.leaf == nil || l.leaf.Key != key {
		return nil
	}
	return l.leaf
}

// Put returns the table with v under key, due at deadline. An entry that was
// under key is replaced.
func (t Table[V]) Put(key uint64, deadline int64, v V) Table[V] {
	leaf := &Leaf[V]{Key: key, Deadline: deadline, V: v}
	var p path[V]
	end := p.walk(t.root, key)
	gone := int64(Never) // the deadline that the new leaf takes the place of
	var l link[V]
	switch {
	case end == link[V]{}:
		l.leaf = leaf
	case end.leaf != nil && end.leaf.Key == key:
		l.leaf = leaf
		gone = end.leaf.Deadline
	default:
		l.node = fork(end, leaf)
	}
	t.root = p.rebuild(l, key, gone)
	return t
}

// Delete returns the table without the entry under key, and that entry. If
// there is none it returns t and nil.
func (t Table[V]) Delete(key uint64) (Table[V], *Leaf[V]) {
	var p path[V]
	end := p.walk(t.root, key)
	if end.leaf == nil || end.leaf.Key != key {
		return t, nil
	}
	return Table[V]{root: p.rebuild(link[V]{}, key, end.leaf.Deadline)}, end.leaf
}

// All iterates over the entries in ascending order of their keys.
func (t Table[V]) All() iter.Seq[*Leaf[V]] {
	return func(yield func(*Leaf[V]) bool) { t.root.each(yield) }
}
