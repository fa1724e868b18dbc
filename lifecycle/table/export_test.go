package table

// MaxDepth is the bound that the documentation states.
const MaxDepth = 22

// Trie returns the table with all entries in the trie.
func (t Table[V]) Trie() Table[V] {
	if last := t.root.leaf; last != nil && t.root.node != nil {
		return Table[V]{link[V]{node: t.root.node}.put(last)}
	}
	return t
}

// Depth counts the nodes on the longest way down.
func (t Table[V]) Depth() int { return t.Trie().root.depth() }

func (l link[V]) depth() int {
	if l.node == nil {
		return 0
	}
	deepest := 0
	for i := range uint64(fanout) {
		deepest = max(deepest, l.node.at(i).depth())
	}
	return deepest + 1
}
