package catalog

import (
	"slices"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

func key(tag int, text string) uint64 { return engine.Hash([2]uint64{}, uint64(tag), text) }

func (x index) get(tag int, text string) *slot {
	leaf := x.t.Get(key(tag, text))
	if leaf == nil {
		return nil
	}
	s := leaf.V
	for s != nil && (s.tag != tag || s.text != text) {
		s = s.next
	}
	return s
}

// first returns the item that has a text, nil if there is none.
func (x index) first(tag int, text string) *item {
	if s := x.get(tag, text); s != nil && len(s.items) > 0 {
		return s.items[0]
	}
	return nil
}

// put returns the index with a slot in place of the one with its text.
func (x index) put(s slot) index {
	at := key(s.tag, s.text)
	s.next = nil
	if leaf := x.t.Get(at); leaf != nil {
		for o := leaf.V; o != nil; o = o.next {
			if o.tag != s.tag || o.text != s.text {
				other := *o
				other.next = s.next
				s.next = &other
			}
		}
	}
	first := &s
	if len(s.items) == 0 && s.n == 0 {
		first = s.next
	}
	if first == nil {
		x.t, _ = x.t.Delete(at)
	} else {
		x.t = x.t.Put(at, table.Never, first)
	}
	return x
}

// add returns the index with an item under a text.
func (x index) add(s slot, n *item) index {
	if old := x.get(s.tag, s.text); old != nil {
		s = *old
	}
	if s.tag >= byLook {
		s.n++
		return x.put(s)
	}
	at, _ := slices.BinarySearchFunc(s.items, n, func(a, b *item) int { return a.compare(b) })
	s.items = slices.Insert(slices.Clone(s.items), at, n)
	return x.put(s)
}

// owner returns the item that has a plain name: a local one, or that of the server that listed it
// first. nil if there is none.
func (s *slot) owner() *item {
	for _, n := range s.items {
		if n.rank == 0 || n.rank == s.n {
			return n
		}
	}
	return nil
}

// remove returns the index without an item that is there under a text. stays says that its server
// has another definition of it, which is added next: the name stays its own.
func (x index) remove(tag int, text string, n *item, stays bool) index {
	s := *x.get(tag, text)
	if tag >= byLook {
		s.n--
		return x.put(s)
	}
	s.items = slices.DeleteFunc(slices.Clone(s.items), func(o *item) bool { return o == n })
	if tag < byID && s.n == n.rank && !stays {
		s.n = 0
	}
	return x.put(s)
}
