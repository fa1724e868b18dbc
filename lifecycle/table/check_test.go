package table

import "testing"

// TestCheckFindsDamage breaks one invariant after the other.
func TestCheckFindsDamage(t *testing.T) {
	build := func() Table[int] {
		var t Table[int]
		for k := range uint64(20) {
			t = t.Put(k, int64(k), 0)
		}
		return t
	}
	if err := build().Check(); err != nil {
		t.Fatalf("a table as it should be: %v", err)
	}
	for _, tt := range []struct {
		name  string
		spoil func(*Table[int])
	}{
		{"size", func(t *Table[int]) { t.root.node.size++ }},
		{"size below", func(t *Table[int]) { t.root.node.nodes[1].size-- }},
		{"room for nothing", func(t *Table[int]) { t.root.node.leaves = new([fanout]*Leaf[int]) }},
		{"two kinds in one link", func(t *Table[int]) {
			t.root.node.leaves = new([fanout]*Leaf[int])
			t.root.node.leaves[0] = &Leaf[int]{}
		}},
		{"in the trie and beside it", func(t *Table[int]) { t.root.leaf = t.root.node.nodes[0].leaves[3] }},
		{"shift", func(t *Table[int]) { t.root.node.shift = 4 }},
		{"shift beyond the key", func(t *Table[int]) { t.root.node.shift = 66 }},
		{"prefix not masked", func(t *Table[int]) { t.root.node.prefix = 1 }},
		{"prefix of others", func(t *Table[int]) { t.root.node.prefix = 1 << 40 }},
		{"slot", func(t *Table[int]) {
			n := t.root.node
			n.nodes[3], n.nodes[0] = n.nodes[0], nil
		}},
		{"shift of a child", func(t *Table[int]) { t.root.node.nodes[0].shift = 3 }},
		{"count of links", func(t *Table[int]) { t.root.node.inner-- }},
		{"one link", func(t *Table[int]) {
			n := t.root.node.nodes[0]
			*n.leaves, n.outer, n.size, n.min = [fanout]*Leaf[int]{n.leaves[0]}, 1, 1, 0
			t.root.node.size -= 7
		}},
		{"earliest deadline", func(t *Table[int]) { t.root.node.min = 7 }},
		{"earliest deadline below", func(t *Table[int]) { t.root.node.nodes[1].leaves[0].Deadline = 3 }},
		{"earliest deadline of the last child", func(t *Table[int]) { t.root.node.nodes[2].min = 99 }},
		{"key twice", func(t *Table[int]) {
			n := t.root.node
			l := *n.nodes[0].leaves[7]
			l.Key = 6
			n.nodes[0].leaves[7] = &l
		}},
	} {
		tab := build()
		tt.spoil(&tab)
		if tab.Check() == nil {
			t.Errorf("%s: Check found nothing", tt.name)
		}
	}
}
