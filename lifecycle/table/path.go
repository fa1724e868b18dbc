package table

// path lists the nodes between the root and the place where a key is or would
// be, from the root down.
type path[V any] struct {
	nodes [maxDepth]*node[V]
	depth int
}

// walk fills p and returns the link it ends at: the leaf with the key, or what
// is in its place: a leaf with another key, a node that does not cover the
// key, nothing.
func (p *path[V]) walk(root link[V], key uint64) link[V] {
	l := root
	for l.node != nil && l.node.covers(key) {
		p.nodes[p.depth] = l.node
		p.depth++
		l = l.node.at(l.node.slot(key))
	}
	return l
}

// rebuild copies the path with l at its end and returns the new root. gone is
// the deadline of the leaf that l takes the place of, Never if there was none.
func (p *path[V]) rebuild(l link[V], key uint64, gone int64) link[V] {
	for i := p.depth - 1; i >= 0; i-- {
		old := p.nodes[i]
		slot := old.slot(key)
		empty := l == link[V]{}
		if empty && old.inner+old.outer == 2 {
			l = old.other(slot)
			continue
		}
		n := old.with(slot, l)
		if first := l.min(); first <= n.min {
			n.min = first
		} else if gone == n.min {
			n.min = n.earliest()
		}
		l = link[V]{node: n}
	}
	return l
}
