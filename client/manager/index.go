package manager

import "github.com/sansmcp/mcp/lifecycle/table"

// wanted is a set of uris in the order in which they were added: a value.
type wanted struct {
	order table.Table[string] // by number
	by    table.Index[uint64]
	last  uint64 // the last number used
}

// with adds a new uri, if there is room.
func (w wanted) with(hash uint64, uri string, most int) wanted {
	if w.by.Get(hash, uri) != nil || w.order.Len() >= most {
		return w
	}
	w.last++
	w.order = w.order.Put(w.last, table.Never, uri)
	w.by = w.by.Put(hash, uri, w.last)
	return w
}

func (w wanted) without(hash uint64, uri string) wanted {
	if n := w.by.Get(hash, uri); n != nil {
		w.order, _ = w.order.Delete(*n)
		w.by = w.by.Delete(hash, uri)
	}
	return w
}

// first removes and returns the first uri of a table.
func first(t table.Table[string]) (table.Table[string], string, bool) {
	for leaf := range t.All() {
		t, _ = t.Delete(leaf.Key)
		return t, leaf.V, true
	}
	return t, "", false
}
