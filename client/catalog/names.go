package catalog

import (
	"iter"
	"math"

	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Item is a snapshot of an item of the Catalog.
type Item struct {
	// Kind is its list.
	Kind *protocol.List
	// Server is the name of its server; "" for a local tool.
	Server string
	// Key is its name, uri or uriTemplate on its server.
	Key string
	// Name is the name that it is listed under; "" if another item has that name.
	Name string
	// ID is the qualified name. For a local tool it is its name.
	ID string
	// Raw is the unchanged item, byte for byte.
	Raw jsonrpc.Raw
	// Number identifies the definition: a Catalog uses each once.
	Number uint64
	// Health is the health of its server.
	Health Health
	// Stale reports that the list of its server is stale.
	Stale bool
	// Trusted is true if its annotations are trusted: it is a local tool, or
	// manager.Options.TrustAnnotations is set for its server.
	Trusted bool
	// Shadows are the items with the same plain name that lost it to this one, in the order of their
	// servers. Their qualified names still work.
	Shadows []ItemID
	// ShadowedBy is the item that has the plain name instead, or the zero ItemID.
	ShadowedBy ItemID
}

// Ref returns the id of the item.
func (i Item) Ref() ItemID { return ItemID{Server: i.Server, Key: i.Key} }

// Local reports whether it is a tool of the program itself.
func (i Item) Local() bool { return i.Server == "" }

// plain reports whether items of a server may have plain names.
func (c *Catalog) plain(s *source, kind int) bool {
	switch {
	case isURI(kind):
		return c.cfg.Naming.URIs != naming.Always
	case c.cfg.Naming.Names == naming.Auto:
		return s.alone
	}
	return c.cfg.Naming.Names == naming.Plain
}

// hides reports whether an item of a kind whose plain name is taken is omitted from the list.
func (c *Catalog) hides(kind int) bool {
	return c.cfg.Naming.OnConflict == naming.Hidden && !isURI(kind)
}

// qualify returns the qualified name of an item.
func (c *Catalog) qualify(kind int, server, key string) string {
	if isURI(kind) {
		return naming.Scheme(server) + "+" + key
	}
	return c.cfg.Naming.Form.ID(server, key)
}

// parse splits a qualified name that was not cut; nil if no server has it.
func (c *Catalog) parse(kind int, name string) (s *slot, key string) {
	if look, key, ok := c.look(kind, name); ok {
		tag := byServer
		if isURI(kind) {
			tag = byScheme
		}
		return c.names.get(tag, look), key
	}
	return nil, ""
}

// look returns the server in a qualified name: its name, or for a uri its scheme.
func (c *Catalog) look(kind int, name string) (server, key string, ok bool) {
	if isURI(kind) {
		return naming.SplitURI(name)
	}
	return c.cfg.Naming.Form.Parse(name)
}

// long reports whether a name may be a qualified name that was cut.
func (c *Catalog) long(kind int, name string) bool {
	return !isURI(kind) && c.cfg.Naming.Form.Long(name)
}

// texts returns the entries of an item in the index.
func (c *Catalog) texts(n *item) []slot {
	list := make([]slot, 0, 3)
	if n.plain {
		list = append(list, slot{tag: byPlain + n.kind, text: n.key})
		if server, _, ok := c.look(n.kind, n.key); ok {
			list = append(list, slot{tag: byLook + n.kind, text: server})
		}
	}
	if n.rank != 0 && c.long(n.kind, n.id) {
		list = append(list, slot{tag: byID + n.kind, text: n.id})
	}
	return list
}

// reserved reports whether the plain name of an item is or may be the qualified name of a server's
// item.
func (c *Catalog) reserved(n *item) bool {
	if n.cut {
		return true
	}
	s, _ := c.parse(n.kind, n.key)
	return s != nil
}

// has returns the item that has a plain name; nil if none has it yet.
func (c *Catalog) has(s *slot) *item {
	if c.cfg.Ordered {
		return s.items[0]
	}
	return s.owner()
}

// claim gives an item its plain name, if no item has it and it is not a qualified name of a server;
// false if it does not get the name.
func (c *Catalog) claim(n *item) bool {
	if n.rank == 0 || !n.plain || c.reserved(n) {
		return false
	}
	s := *c.names.get(byPlain+n.kind, n.key)
	if s.n != 0 {
		return false
	}
	s.n = n.rank
	c.names = c.names.put(s)
	return true
}

// claimNext gives a free plain name to the first item in order.
func (c *Catalog) claimNext(kind int, key string) {
	if s := c.names.get(byPlain+kind, key); s != nil {
		for _, n := range s.items {
			if c.claim(n) {
				return
			}
		}
	}
}

// Claim gives each plain name of a kind without an owner to the first server in order that lists it,
// for as long as it does. It is for Config.Deferred.
func (c Catalog) Claim(kind *protocol.List) Catalog {
	if k := kindOf(kind); k >= 0 && c.free[k] {
		c.free[k] = false
		for n := range c.items(k) {
			c.claim(n)
		}
	}
	return c
}

// withdrawn reports whether a name is the plain name of an item, and the qualified name of a server
// that was added later: then it leads to nothing.
func (c *Catalog) withdrawn(kind int, name string) bool {
	if s := c.names.get(byPlain+kind, name); s != nil && s.n != 0 {
		of, _ := c.parse(kind, name)
		return of != nil
	}
	return false
}

// hasID reports whether an item has its qualified name, which it lacks if another name was cut to
// the same text or if the name is withdrawn.
func (c *Catalog) hasID(n *item) bool {
	if c.long(n.kind, n.id) {
		return c.names.first(byID+n.kind, n.id) == n
	}
	return !c.withdrawn(n.kind, n.id)
}

// nameOf returns the name that an item is listed under; "" if none.
func (c *Catalog) nameOf(n *item) string {
	if n.rank == 0 {
		return n.key
	}
	if n.plain && !c.reserved(n) {
		if c.has(c.names.get(byPlain+n.kind, n.key)) == n {
			return n.key
		}
		if c.hides(n.kind) {
			return ""
		}
	}
	if c.hasID(n) {
		return n.id
	}
	return ""
}

// find returns the item that a name leads to; nil if none (A4, F1): a local item, then the one with
// that qualified name, then the one that has that plain name.
func (c *Catalog) find(kind int, name string) *item {
	if kind == ofTools {
		if n := c.local.get(name); n != nil {
			return n
		}
	}
	if s, key := c.parse(kind, name); s != nil {
		if c.withdrawn(kind, name) {
			return nil
		}
		return c.source(s.n).lists[kind].list.get(key)
	}
	if c.long(kind, name) {
		return c.names.first(byID+kind, name)
	}
	if s := c.names.get(byPlain+kind, name); s != nil {
		return c.has(s)
	}
	return nil
}

// view returns the Item of an item.
func (c *Catalog) view(n *item) Item {
	i := Item{
		Kind: protocol.Lists()[n.kind], Server: n.server, Key: n.key, Name: c.nameOf(n), ID: n.id, Raw: n.raw, Number: n.uid, Trusted: true,
	}
	if s := c.source(n.rank); s != nil {
		i.Health, i.Stale, i.Trusted = s.health(n.kind), !c.fresh(s, n.kind, math.MaxInt64), s.trusted
	}
	var same *slot
	if n.plain && !c.reserved(n) {
		same = c.names.get(byPlain+n.kind, n.key)
	}
	if same != nil && c.has(same) == n {
		if more := len(same.items) - 1; more > 0 {
			i.Shadows = make([]ItemID, 0, more)
		}
		for _, o := range same.items {
			if o != n {
				i.Shadows = append(i.Shadows, o.ref())
			}
		}
	} else if same != nil {
		if has := c.has(same); has != nil {
			i.ShadowedBy = has.ref()
		}
	} else if n.rank != 0 && i.Name == "" {
		if has := c.names.first(byID+n.kind, n.id); has != nil {
			i.ShadowedBy = has.ref()
		}
	}
	return i
}

// Lookup returns the item that a name leads to: the local tool with that name, otherwise the item
// with that qualified name, otherwise the item of the server that has the plain name. It requests
// nothing.
func (c Catalog) Lookup(kind *protocol.List, name string) (Item, bool) {
	k := kindOf(kind)
	if k < 0 {
		return Item{}, false
	}
	n := c.find(k, name)
	if n == nil {
		return Item{}, false
	}
	return c.view(n), true
}

// NumberOf returns the Number of the item with a name, 0 if there is none. It is cheaper than Lookup.
func (c Catalog) NumberOf(kind *protocol.List, name string) uint64 {
	if k := kindOf(kind); k >= 0 {
		if n := c.find(k, name); n != nil {
			return n.uid
		}
	}
	return 0
}

// Items returns the listed items, each name once: local tools, then those of the servers, in server
// and list order. With all it also returns items without a name and, with naming.Hide, those of
// unavailable servers: ShadowedBy and Health say why.
func (c Catalog) Items(kind *protocol.List, all bool) iter.Seq[Item] {
	return func(yield func(Item) bool) {
		for n := range c.items(kindOf(kind)) {
			if (all || c.offered(n)) && !yield(c.view(n)) {
				return
			}
		}
	}
}

// ItemsOf returns the items of a server with their indexes in its list, from index from on,
// including items without a name.
func (c Catalog) ItemsOf(kind *protocol.List, server string, from int) iter.Seq2[int, Item] {
	return func(yield func(int, Item) bool) {
		s, k := c.named(server), kindOf(kind)
		if s == nil || k < 0 {
			return
		}
		all := s.lists[k].list.all()
		for i := max(from, 0); i < len(all); i++ {
			if !yield(i, c.view(all[i])) {
				return
			}
		}
	}
}

// items iterates over all items of a kind.
func (c *Catalog) items(kind int) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		if kind < 0 {
			return
		}
		if kind == ofTools {
			for _, n := range c.local.all() {
				if !yield(n) {
					return
				}
			}
		}
		for leaf := range c.sources.All() {
			for _, n := range leaf.V.lists[kind].list.all() {
				if !yield(n) {
					return
				}
			}
		}
	}
}

// offered reports whether an item is listed.
func (c *Catalog) offered(n *item) bool {
	if c.nameOf(n) == "" {
		return false
	}
	s := c.source(n.rank)
	return s == nil || c.cfg.Naming.OnLoss != naming.Hide || s.health(n.kind) != Unavailable
}

// Len returns the number of items of all kinds, including those without a name.
func (c Catalog) Len() int { return c.listed }
