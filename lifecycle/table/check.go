package table

import (
	"errors"
	"fmt"
)

// Check walks the whole table and reports the first invariant that does not
// hold. It is for tests: nothing a caller does through the methods of Table
// can make it fail.
func (t Table[V]) Check() error {
	leaves := 0
	if err := check(t.root, &leaves); err != nil {
		return err
	}
	if leaves != t.size {
		return fmt.Errorf("table: size %d, but %d leaves", t.size, leaves)
	}
	return nil
}

// check checks what is below l and counts the leaves. The order of the keys
// follows from prefixes and slots.
func check[V any](l link[V], leaves *int) error {
	switch {
	case l.node != nil && l.leaf != nil:
		return errors.New("table: a link to a node and to a leaf")
	case l.leaf != nil:
		*leaves++
		return nil
	case l.node == nil:
		return nil
	}
	n, used := l.node, uint8(0)
	if n.shift%digit != 0 || n.shift >= 64 || n.prefix != mask(n.prefix, n.shift) {
		return fmt.Errorf("table: node with shift %d and prefix %#x", n.shift, n.prefix)
	}
	for i := range uint64(fanout) {
		kid := n.at(i)
		if kid == (link[V]{}) {
			continue
		}
		used++
		if key := kid.key(); !n.covers(key) || n.slot(key) != i {
			return fmt.Errorf("table: key %#x in slot %d of the node with prefix %#x and shift %d", key, i, n.prefix, n.shift)
		}
		if kid.node != nil && kid.node.shift >= n.shift {
			return fmt.Errorf("table: node with shift %d below one with shift %d", kid.node.shift, n.shift)
		}
		if err := check(kid, leaves); err != nil {
			return err
		}
	}
	if used != n.used || used < 2 {
		return fmt.Errorf("table: node counts %d links, has %d", n.used, used)
	}
	if first := n.earliest(); first != n.min {
		return fmt.Errorf("table: node says its earliest deadline is %d, it is %d", n.min, first)
	}
	return nil
}
