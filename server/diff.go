package server

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Offers returns the kinds of lists that the catalog declares: CapTools, CapResources, CapPrompts.
func (c *Catalog) Offers() protocol.Capability {
	if c == nil {
		return 0
	}
	return c.caps()
}

// Diff lists the changes of a list: the names or uris of items, sorted. The caller owns the slices.
type Diff struct {
	Added   []string // items of the new list only
	Removed []string // items of the old list only
	Changed []string // items of both lists that differ
}

// IsZero reports whether the list is unchanged.
func (d Diff) IsZero() bool { return d.Added == nil && d.Removed == nil && d.Changed == nil }

// Diff returns the changes of a list since an old catalog; nil counts as empty. Unless the lists
// are equal, it takes time linear in both.
func (c *Catalog) Diff(old *Catalog, of *protocol.List) (d Diff) {
	l, was := new(list), new(list)
	if c != nil {
		l = c.list(of)
	}
	if old != nil {
		was = old.list(of)
	}
	if l.same(was) {
		return d
	}
	a, b := l.start(), was.start()
	for a.next(); b.next(); {
		for a.ok && a.key < b.key {
			d.Added = append(d.Added, a.key)
			a.next()
		}
		switch {
		case !a.ok || b.key < a.key:
			d.Removed = append(d.Removed, b.key)
			continue
		case a.sum != b.sum:
			d.Changed = append(d.Changed, a.key)
		}
		a.next()
	}
	for ; a.ok; a.next() {
		d.Added = append(d.Added, a.key)
	}
	return d
}

// walk goes through the items of a list in their order.
type walk struct {
	l    *list
	i, j int // the next of the list, or of upper and under
	h    int // of hidden

	key string
	sum uint64
	ok  bool // there is an item
}

func (l *list) start() walk { return walk{l: l} }

func (w *walk) next() bool {
	up, low := w.l, &list{}
	if w.l.upper != nil {
		up, low = w.l.upper, w.l.under
	}
	for w.h < len(w.l.hidden) && w.l.hidden[w.h] == w.j {
		w.h, w.j = w.h+1, w.j+1
	}
	switch {
	case w.i < len(up.keys) && (w.j == len(low.keys) || up.keys[w.i] < low.keys[w.j]):
		w.key, w.sum, w.ok = up.keys[w.i], up.sums[w.i], true
		w.i++
	case w.j < len(low.keys):
		w.key, w.sum, w.ok = low.keys[w.j], low.sums[w.j], true
		w.j++
	default:
		w.ok = false
	}
	return w.ok
}

// CheckArguments checks the arguments of a tool as a State does. Errors: lifecycle.ErrParams if
// they are not a JSON object or the tool is unknown; otherwise from the Validator.
func (c *Catalog) CheckArguments(tool string, arguments jsonrpc.Raw) error {
	t, known := c.tool(tool)
	if !known || !strings.HasPrefix(string(arguments), "{") || !rawjson.Valid(string(arguments)) {
		return lifecycle.ErrParams
	}
	if t.input == nil {
		return nil
	}
	return t.input(arguments)
}
