package table

import (
	"errors"
	"fmt"
)

// Check walks the whole table and reports the first invariant that does not
// hold. It is for tests: nothing a caller does through the methods of Table
// can make it fail.
func (t Table[V]) Check() error {
	last := t.root.leaf
	if last != nil && t.root.node != nil && (Table[V]{link[V]{node: t.root.node}}).Get(last.Key) != nil {
		return fmt.Errorf("table: key %#x in the trie and beside it", last.Key)
	}
	return check(link[V]{node: t.root.node})
}

// check checks what is below l. The order of the keys follows from prefixes and slots.
func check[V any](l link[V]) error {
	switch {
	case l.node != nil && l.leaf != nil:
		return errors.New("table: a link to a node and to a leaf")
	case l.node == nil:
		return nil
	}
	n, inner, outer, size := l.node, uint8(0), uint8(0), uint32(0)
	if n.shift%digit != 0 || n.shift >= 64 || n.prefix != mask(n.prefix, n.shift) {
		return fmt.Errorf("table: node with shift %d and prefix %#x", n.shift, n.prefix)
	}
	for i := range uint64(fanout) {
		kid := n.at(i)
		if kid == (link[V]{}) {
			continue
		}
		more, most := kid.kinds()
		inner, outer, size = inner+more, outer+most, size+kid.size()
		if key := kid.key(); !n.covers(key) || n.slot(key) != i {
			return fmt.Errorf("table: key %#x in slot %d of the node with prefix %#x and shift %d", key, i, n.prefix, n.shift)
		}
		if kid.node != nil && kid.node.shift >= n.shift {
			return fmt.Errorf("table: node with shift %d below one with shift %d", kid.node.shift, n.shift)
		}
		if err := check(kid); err != nil {
			return err
		}
	}
	if inner != n.inner || outer != n.outer || inner+outer < 2 || size != n.size {
		return fmt.Errorf("table: node counts %d+%d links and %d leaves, has %d+%d and %d", n.inner, n.outer, n.size, inner, outer, size)
	}
	if (n.nodes != nil) != (inner > 0) || (n.leaves != nil) != (outer > 0) {
		return errors.New("table: node with room for what it does not lead to")
	}
	if first := n.earliest(); first != n.min {
		return fmt.Errorf("table: node says its earliest deadline is %d, it is %d", n.min, first)
	}
	return nil
}
