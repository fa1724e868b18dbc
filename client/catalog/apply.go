package catalog

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
)

// install replaces a list by another, in the index and in a Change. It leaves items with the same
// definition in both untouched (E6).
func (c *Catalog) install(ch *Change, before, now *list) {
	for _, n := range before.all() {
		if now.get(n.key) != n {
			ch.Listed = ch.Listed || c.nameOf(n) != ""
			c.drop(n, now.get(n.key) != nil)
			if now.get(n.key) == nil {
				ch.Removed = append(ch.Removed, n.ref())
			}
		}
	}
	for _, n := range now.all() {
		old := before.get(n.key)
		if old == n {
			continue
		}
		for _, s := range c.texts(n) {
			c.names = c.names.add(s, n)
		}
		c.listed++
		if c.cfg.Deferred {
			c.free[n.kind] = true
		} else {
			c.claim(n)
		}
		switch {
		case old == nil:
			ch.Added = append(ch.Added, n.ref())
			c.conflicts(ch, n)
		case !same(string(old.raw), string(n.raw)):
			ch.Changed = append(ch.Changed, n.ref())
		}
	}
	ch.Listed = ch.Listed || slices.ContainsFunc(ch.Added, func(id ItemID) bool { return c.nameOf(now.get(id.Key)) != "" })
	// If a definition only differs in spelling, the item was dropped and added, and nothing is
	// reported.
	if ch.Added == nil && ch.Removed == nil && ch.Changed == nil {
		ch.Listed = false
	}
}

// drop removes an item from the index. stays reports that another definition of it is added next.
func (c *Catalog) drop(n *item, stays bool) {
	for _, s := range c.texts(n) {
		c.names = c.names.remove(s.tag, s.text, n, stays)
	}
	c.listed--
	switch {
	case stays || !n.plain:
	case c.cfg.Deferred:
		c.free[n.kind] = true
	default:
		c.claimNext(n.kind, n.key)
	}
}

// conflicts reports a conflict if an added item does not get the name that it wants, or takes it
// from another (E9).
func (c *Catalog) conflicts(ch *Change, n *item) {
	if ids := c.names.get(byID+n.kind, n.id); ids != nil && len(ids.items) > 1 {
		c.conflict(ch, n.id, ids.items, n)
	}
	if !n.plain || !c.hides(n.kind) || c.reserved(n) {
		return
	}
	if plain := c.names.get(byPlain+n.kind, n.key); len(plain.items) > 1 {
		has := c.has(plain)
		if has == nil {
			return // no item has it yet
		}
		others := slices.DeleteFunc(slices.Clone(plain.items), func(o *item) bool { return o == has })
		c.conflict(ch, n.key, append([]*item{has}, others...), n)
	}
}

// conflict reports the item without a name: the added one, or the one that had it.
func (c *Catalog) conflict(ch *Change, name string, items []*item, n *item) {
	lost := n
	if items[0] == n {
		lost = items[1]
	}
	if len(ch.Dropped) >= c.cfg.Limits.Dropped {
		ch.More++
		return
	}
	err := &ConflictError{Name: name, Existing: items[0].ref(), Incoming: lost.ref()}
	ch.Dropped = append(ch.Dropped, Dropped{Server: lost.server, Index: -1, Key: strings.Clone(rawjson.Clip(lost.key, longestKey)), Err: err})
}
