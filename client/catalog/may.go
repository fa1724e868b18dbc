package catalog

import (
	"slices"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/protocol"
)

// Owner returns the item with a name: the one that Lookup finds, otherwise the one that a qualified name
// identifies, even if its server does not have it. The zero ItemID means that the name is withdrawn: it
// belonged to an item of one server, and would now belong to one of another (naming.Policy).
func (c Catalog) Owner(kind *protocol.List, name string) (ItemID, bool) {
	k := kindOf(kind)
	if n := c.find(k, name); n != nil {
		return n.ref(), true
	}
	s, key := c.parse(k, name)
	switch {
	case s == nil:
		return ItemID{}, false
	case c.withdrawn(k, name):
		return ItemID{}, true
	}
	return ItemID{Server: c.source(s.n).Name, Key: key}, true
}

// Known reports whether a list of a server is known: it was read since the server became ready, or
// could not be read, or is not one of Config.Kinds.
func (c Catalog) Known(kind *protocol.List, server string) bool {
	s, k := c.named(server), kindOf(kind)
	if s == nil || !slices.Contains(c.reads, k) {
		return true
	}
	l := &s.lists[k]
	return s.state == manager.Ready && (l.list != nil && !l.lostSince || l.fails > 0)
}

// May reports whether a server may have an item, by its Filter. If the Filter restricts the kind, the
// item must be listed and pass. A resource may also match a template that passes, unless it is
// another spelling of a resource that does not pass.
func (c Catalog) May(kind *protocol.List, item ItemID) bool {
	s, k := c.named(item.Server), kindOf(kind)
	switch {
	case s == nil || k < 0:
		return false
	case k == ofResources:
		return s.mayRead(item.Key)
	}
	return !s.Filter.Restricts(kind) || s.lists[k].list.get(item.Key) != nil
}

func (s *source) mayRead(uri string) bool {
	of := protocol.ResourceList
	if !s.Filter.Restricts(of) && !s.Filter.Restricts(protocol.TemplateList) {
		return true
	}
	l := s.lists[ofResources].list
	if l.get(uri) != nil {
		return true
	}
	return s.makes(uri) && !slices.ContainsFunc(spellings(uri), func(text string) bool {
		return l != nil && l.hidden[text] || s.Filter.Denies(of, text, "")
	})
}

// Match returns the server that has a template for a uri. Of several it is the one whose templates were
// known first, so that a new server takes over no uri. If uris are always qualified there is no match.
// Keep the Catalog that it returns: it has the templates compiled, for the next uri.
func (c Catalog) Match(uri string) (Catalog, ItemID, bool) {
	if c.cfg.Naming.URIs == naming.Always || len(uri) > longestURI {
		return c, ItemID{}, false
	}
	var first *source
	for leaf := range c.sources.All() {
		s := leaf.V
		if l := s.lists[ofTemplates].list; l != nil && l.makes == nil && len(l.shown) > 0 {
			read, next := *l, *s
			read.makes = setOf(l.shown)
			next.lists[ofTemplates].list = &read
			c.set(next)
			s = &next
		}
		if (first == nil || s.nth < first.nth) && s.makes(uri) && s.mayRead(uri) {
			first = s
		}
	}
	if first == nil {
		return c, ItemID{}, false
	}
	return c, ItemID{Server: first.Name, Key: uri}, true
}

// makes reports whether a shown template matches a uri.
func (s *source) makes(uri string) bool {
	l := s.lists[ofTemplates].list
	if l == nil || l.makes == nil || len(uri) > longestURI {
		return false
	}
	_, ok := l.makes.Find(uri)
	return ok
}
