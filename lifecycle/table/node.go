package table

import (
	"math"
	"math/bits"
)

// Never is the deadline of an entry that does not expire.
const Never = math.MaxInt64

// Leaf is one entry. Leaves are shared between versions of a table, so nobody
// may change one.
type Leaf[V any] struct {
	// Key is the key of the entry.
	Key uint64
	// Deadline is when the entry expires, in the units of the caller's
	// clock; Never if it does not.
	Deadline int64
	// V is the value.
	V V
}

const (
	digit    = 3                        // bits of the key that one level looks at
	fanout   = 1 << digit               // links of a node
	maxDepth = (64 + digit - 1) / digit // levels that a 64-bit key can have
)

// link points to a node, to a leaf, or to nothing.
type link[V any] struct {
	node *node[V]
	leaf *Leaf[V]
}

// node is a branch of the trie. It has at least two links in use; a level on
// which all keys agree has no node. A node is not changed once a table holds
// it.
type node[V any] struct {
	prefix uint64 // what all keys below share; the bits below shift+digit are 0
	min    int64  // the earliest deadline below
	shift  uint8  // where in the key the digit lies that this node looks at
	used   uint8  // links in use
	nodes  [fanout]*node[V]
	leaves [fanout]*Leaf[V]
}

func (l link[V]) min() int64 {
	switch {
	case l.node != nil:
		return l.node.min
	case l.leaf != nil:
		return l.leaf.Deadline
	}
	return Never
}

// key is the key of the leaf, or what all keys below the node share. The link
// is not empty.
func (l link[V]) key() uint64 {
	if l.node != nil {
		return l.node.prefix
	}
	return l.leaf.Key
}

func (l link[V]) each(yield func(*Leaf[V]) bool) bool {
	if l.leaf != nil {
		return yield(l.leaf)
	}
	if l.node == nil {
		return true
	}
	for i := range uint64(fanout) {
		if !l.node.at(i).each(yield) {
			return false
		}
	}
	return true
}

func (n *node[V]) covers(key uint64) bool { return (key^n.prefix)>>(n.shift+digit) == 0 }

func (n *node[V]) slot(key uint64) uint64 { return key >> n.shift % fanout }

func (n *node[V]) at(slot uint64) link[V] { return link[V]{n.nodes[slot], n.leaves[slot]} }

func (n *node[V]) set(slot uint64, l link[V]) { n.nodes[slot], n.leaves[slot] = l.node, l.leaf }

// fork returns a node that holds old, which is not empty, and leaf, whose key
// lies outside of old.
func fork[V any](old link[V], leaf *Leaf[V]) *node[V] {
	key := old.key()
	shift := uint8((bits.Len64(key^leaf.Key) - 1) / digit * digit)
	n := &node[V]{
		prefix: mask(key, shift),
		min:    min(old.min(), leaf.Deadline),
		shift:  shift,
		used:   2,
	}
	n.set(n.slot(key), old)
	n.leaves[n.slot(leaf.Key)] = leaf
	return n
}

// mask clears the bits of key that the prefix of a node with this shift does
// not have.
func mask(key uint64, shift uint8) uint64 { return key >> (shift + digit) << (shift + digit) }

// earliest computes min from the links.
func (n *node[V]) earliest() int64 {
	first := int64(Never)
	for i := range uint64(fanout) {
		first = min(first, n.at(i).min())
	}
	return first
}

// other returns the link that a node with two links has beside the one in
// slot.
func (n *node[V]) other(slot uint64) link[V] {
	for i := range uint64(fanout) {
		if l := n.at(i); i != slot && l != (link[V]{}) {
			return l
		}
	}
	return link[V]{}
}
