package table

import "iter"

// Table maps keys to leaves. The zero value is an empty table. A Table is
// never changed: methods that change something return another Table, and both
// can be used from then on, also by several goroutines.
//
// It is 16 bytes; copying it is a snapshot.
//
// One entry lies beside the trie, if there are more than two: the one that was put last, until it is deleted or
// another one is put. Most that begins while others last is over before the next begins, as a call beside a
// subscription is, and then copies no node.
type Table[V any] struct {
	root link[V] // to both a node and a leaf, if one lies beside the trie
}

// beside returns the table of what l leads to and of last, which may be nil.
func beside[V any](l link[V], last *Leaf[V]) Table[V] {
	switch {
	case last == nil:
		return Table[V]{l}
	case l.leaf != nil:
		return Table[V]{link[V]{node: fork(l, last)}}
	}
	return Table[V]{link[V]{node: l.node, leaf: last}}
}

// Len returns the number of entries.
func (t Table[V]) Len() int {
	n := link[V]{node: t.root.node}.size() + link[V]{leaf: t.root.leaf}.size()
	return int(n)
}

// Min returns the earliest deadline of all entries, Never if none expires. It
// takes constant time.
func (t Table[V]) Min() int64 {
	return min(link[V]{node: t.root.node}.min(), link[V]{leaf: t.root.leaf}.min())
}

// Get returns the entry under key, or nil.
func (t Table[V]) Get(key uint64) *Leaf[V] {
	l := t.root
	if l.leaf != nil && l.leaf.Key == key {
		return l.leaf
	}
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
	trie, last, old := link[V]{node: t.root.node}, t.root.leaf, t.Get(key)
	switch {
	case old == last: // or there is neither
		t.root.leaf = leaf
		return t
	case old != nil:
		return beside(trie.put(leaf), last)
	case last != nil:
		trie = trie.put(last)
	}
	return beside(trie, leaf)
}

// put returns the trie with a leaf, in place of the one with its key if there is one.
func (l link[V]) put(leaf *Leaf[V]) link[V] {
	var p path[V]
	at, gone := link[V]{leaf: leaf}, int64(Never) // the deadline that the leaf takes the place of
	switch end := p.walk(l, leaf.Key); {
	case end == link[V]{}:
	case end.leaf != nil && end.leaf.Key == leaf.Key:
		gone = end.leaf.Deadline
	default:
		at = link[V]{node: fork(end, leaf)}
	}
	return p.rebuild(at, leaf.Key, gone)
}

// Delete returns the table without the entry under key, and that entry. If
// there is none it returns t and nil.
func (t Table[V]) Delete(key uint64) (Table[V], *Leaf[V]) {
	last := t.root.leaf
	if last != nil && last.Key == key {
		t.root.leaf = nil
		return t, last
	}
	var p path[V]
	end := p.walk(link[V]{node: t.root.node}, key)
	if end.leaf == nil || end.leaf.Key != key {
		return t, nil
	}
	return beside(p.rebuild(link[V]{}, key, end.leaf.Deadline), last), end.leaf
}

// All iterates over the entries in ascending order of their keys.
func (t Table[V]) All() iter.Seq[*Leaf[V]] {
	return func(yield func(*Leaf[V]) bool) {
		last := t.root.leaf
		all := link[V]{node: t.root.node}.each(func(leaf *Leaf[V]) bool {
			if last != nil && last.Key < leaf.Key {
				if !yield(last) {
					return false
				}
				last = nil
			}
			return yield(leaf)
		})
		if all && last != nil {
			yield(last)
		}
	}
}
