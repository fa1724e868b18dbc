package table

import "iter"

// Index maps texts to values: a Table by their hashes, which the caller computes, that tells apart
// texts of one hash. The zero value is empty. Like a Table it is never changed.
type Index[V any] struct {
	t Table[named[V]]
	n int
}

// named is a value with its text, and the others of one hash.
type named[V any] struct {
	text string
	v    V
	next *named[V]
}

// without returns the list without a text: the same list if that is not in it.
func (e *named[V]) without(text string) *named[V] {
	switch {
	case e == nil:
		return nil
	case e.text == text:
		return e.next
	}
	rest := e.next.without(text)
	if rest == e.next {
		return e
	}
	return &named[V]{e.text, e.v, rest}
}

// Len returns the number of texts. It takes constant time.
func (x Index[V]) Len() int { return x.n }

// Get returns the value of a text, nil if it has none. Values are shared between versions of an
// Index: do not change one.
func (x Index[V]) Get(hash uint64, text string) *V {
	leaf := x.t.Get(hash)
	if leaf == nil {
		return nil
	}
	for e := &leaf.V; e != nil; e = e.next {
		if e.text == text {
			return &e.v
		}
	}
	return nil
}

// Put returns the Index with v as the value of a text.
func (x Index[V]) Put(hash uint64, text string, v V) Index[V] {
	e := named[V]{text: text, v: v}
	x.n++
	if leaf := x.t.Get(hash); leaf != nil {
		if e.next = leaf.V.without(text); e.next != &leaf.V {
			x.n--
		}
	}
	x.t = x.t.Put(hash, Never, e)
	return x
}

// Delete returns the Index without a text.
func (x Index[V]) Delete(hash uint64, text string) Index[V] {
	leaf := x.t.Get(hash)
	if leaf == nil {
		return x
	}
	switch rest := leaf.V.without(text); {
	case rest == &leaf.V:
		return x
	case rest == nil:
		x.t, _ = x.t.Delete(hash)
	default:
		x.t = x.t.Put(hash, Never, *rest)
	}
	x.n--
	return x
}

// All iterates over the texts and their values, in an order that depends on the hashes.
func (x Index[V]) All() iter.Seq2[string, *V] {
	return func(yield func(string, *V) bool) {
		for leaf := range x.t.All() {
			for e := &leaf.V; e != nil; e = e.next {
				if !yield(e.text, &e.v) {
					return
				}
			}
		}
	}
}
