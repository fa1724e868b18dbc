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
//
// Of keys that lie close together, as ids that ascend do, nodes lead to nodes alone or to leaves
// alone, and each change copies one of them a level: so a node has an array for what it leads to,
// in its own allocation (room).
type node[V any] struct {
	prefix uint64            // what all keys below share; the bits below shift+digit are 0
	min    int64             // the earliest deadline below
	size   uint32            // leaves below
	shift  uint8             // where in the key the digit lies that this node looks at
	inner  uint8             // links to nodes
	outer  uint8             // links to leaves
	nodes  *[fanout]*node[V] // nil if there are none
	leaves *[fanout]*Leaf[V] // nil if there are none
}

// room returns a node for that many links to nodes and to leaves.
func room[V any](inner, outer uint8) *node[V] {
	var n *node[V]
	switch {
	case outer == 0:
		x := new(struct {
			node  node[V]
			nodes [fanout]*node[V]
		})
		n = &x.node
		n.nodes = &x.nodes
	case inner == 0:
		x := new(struct {
			node   node[V]
			leaves [fanout]*Leaf[V]
		})
		n = &x.node
		n.leaves = &x.leaves
	default:
		x := new(struct {
			node   node[V]
			nodes  [fanout]*node[V]
			leaves [fanout]*Leaf[V]
		})
		n = &x.node
		n.nodes, n.leaves = &x.nodes, &x.leaves
	}
	n.inner, n.outer = inner, outer
	return n
}

// kinds returns 1 for what the link points to, and 0 for what it does not.
func (l link[V]) kinds() (inner, outer uint8) {
	switch {
	case l.node != nil:
		return 1, 0
	case l.leaf != nil:
		return 0, 1
	}
	return 0, 0
}

// size is how many leaves the link leads to.
func (l link[V]) size() uint32 {
	switch {
	case l.node != nil:
		return l.node.size
	case l.leaf != nil:
		return 1
	}
	return 0
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

func (n *node[V]) at(slot uint64) (l link[V]) {
	if n.nodes != nil {
		l.node = n.nodes[slot]
	}
	if n.leaves != nil {
		l.leaf = n.leaves[slot]
	}
	return l
}

// set makes l the link in slot. There is room for it.
func (n *node[V]) set(slot uint64, l link[V]) {
	if n.nodes != nil {
		n.nodes[slot] = l.node
	}
	if n.leaves != nil {
		n.leaves[slot] = l.leaf
	}
}

// with returns a copy with l in slot.
func (n *node[V]) with(slot uint64, l link[V]) *node[V] {
	was := n.at(slot)
	inner, outer := was.kinds()
	more, most := l.kinds()
	c := room[V](n.inner-inner+more, n.outer-outer+most)
	c.prefix, c.min, c.shift = n.prefix, n.min, n.shift
	c.size = n.size - was.size() + l.size()
	if c.nodes != nil && n.nodes != nil {
		*c.nodes = *n.nodes
	}
	if c.leaves != nil && n.leaves != nil {
		*c.leaves = *n.leaves
	}
	c.set(slot, l)
	return c
}

// fork returns a node that holds old, which is not empty, and leaf, whose key
// lies outside of old.
func fork[V any](old link[V], leaf *Leaf[V]) *node[V] {
	key := old.key()
	shift := uint8((bits.Len64(key^leaf.Key) - 1) / digit * digit)
	inner, outer := old.kinds()
	n := room[V](inner, outer+1)
	n.prefix, n.min, n.shift, n.size = mask(key, shift), min(old.min(), leaf.Deadline), shift, old.size()+1
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
	if n.leaves != nil {
		for _, leaf := range n.leaves {
			if leaf != nil {
				first = min(first, leaf.Deadline)
			}
		}
	}
	if n.nodes != nil {
		for _, kid := range n.nodes {
			if kid != nil {
				first = min(first, kid.min)
			}
		}
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
