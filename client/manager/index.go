package manager

import (
	"slices"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// index finds the number of a text: a value, like a table. Texts of servers are hashed with
// the key of the Config, so that none can be chosen to fall together.
type index struct{ t table.Table[[]entry] }

type entry struct {
	text   string
	number uint64
}

func keyOf(b [16]byte) [2]uint64 { return engine.KeyOf(b) }

func hash(key [2]uint64, text string) uint64 { return engine.Hash(key, 'm', text) }

func (x index) get(key [2]uint64, text string) (uint64, bool) {
	if leaf := x.t.Get(hash(key, text)); leaf != nil {
		for _, e := range leaf.V {
			if e.text == text {
				return e.number, true
			}
		}
	}
	return 0, false
}

// with adds a text that is not there.
func (x index) with(key [2]uint64, text string, number uint64) index {
	h := hash(key, text)
	var list []entry
	if leaf := x.t.Get(h); leaf != nil {
		list = leaf.V
	}
	x.t = x.t.Put(h, table.Never, append(slices.Clip(list), entry{text, number}))
	return x
}

func (x index) without(key [2]uint64, text string) index {
	h := hash(key, text)
	leaf := x.t.Get(h)
	if leaf == nil {
		return x
	}
	list := slices.DeleteFunc(slices.Clone(leaf.V), func(e entry) bool { return e.text == text })
	if len(list) == 0 {
		x.t, _ = x.t.Delete(h)
		return x
	}
	x.t = x.t.Put(h, table.Never, list)
	return x
}

// wanted is a set of uris in the order in which they came in: a value.
type wanted struct {
	order table.Table[string] // by number
	by    index
	last  uint64 // the last number given out
}

func (w wanted) with(key [2]uint64, uri string, most int) wanted {
	if _, there := w.by.get(key, uri); there || w.order.Len() >= most {
		return w
	}
	w.last++
	w.order = w.order.Put(w.last, table.Never, uri)
	w.by = w.by.with(key, uri, w.last)
	return w
}

func (w wanted) without(key [2]uint64, uri string) wanted {
	n, there := w.by.get(key, uri)
	if !there {
		return w
	}
	w.order, _ = w.order.Delete(n)
	w.by = w.by.without(key, uri)
	return w
}

// first takes the first uri out of a table of them.
func first(t table.Table[string]) (table.Table[string], string, bool) {
	for leaf := range t.All() {
		t, _ = t.Delete(leaf.Key)
		return t, leaf.V, true
	}
	return t, "", false
}

// noKey is the key of the index: a peer that makes its uris fall together makes a list of as
// many as may wait.
var noKey [2]uint64
