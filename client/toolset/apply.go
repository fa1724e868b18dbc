package toolset

import (
	"slices"

	"github.com/sansmcp/mcp/client/naming"
)

// install puts a list in the place of another, in the index and in a Change: what is in both with
// the same definition is not touched (E6).
func (t *Toolset) install(c *Change, before, now *listing) {
	for _, n := range before.all() {
		if now.get(n.def.Name) != n {
			c.Listed = c.Listed || t.nameOf(n) != ""
			t.drop(n, now.get(n.def.Name) != nil)
			if now.get(n.def.Name) == nil {
				c.Removed = append(c.Removed, n.ref())
			}
		}
	}
	for _, n := range now.all() {
		old := before.get(n.def.Name)
		if old == n {
			continue
		}
		for _, s := range n.texts() {
			t.names = t.names.add(s.kind, s.text, n)
		}
		t.listed++
		switch {
		case old == nil:
			c.Added = append(c.Added, n.ref())
			t.collide(c, n)
		case old.sum != n.sum:
			c.Changed = append(c.Changed, n.ref())
		}
	}
	c.Listed = c.Listed || slices.ContainsFunc(c.Added, func(r Ref) bool { return t.nameOf(now.get(r.Tool)) != "" })
	// A definition that is only spelled otherwise was dropped and added: that is no news.
	if c.Added == nil && c.Removed == nil && c.Changed == nil {
		c.Listed = false
	}
}

// drop takes a tool out of the index. stays says that another definition of it is added next.
func (t *Toolset) drop(n *tool, stays bool) {
	for _, s := range n.texts() {
		t.names = t.names.remove(s.kind, s.text, n, stays)
	}
	t.inputs, _ = t.inputs.Delete(n.uid)
	t.listed--
}

// collide tells of a tool that was added, and that does not have the name that it wants, or takes
// it from another (E9).
func (t *Toolset) collide(c *Change, n *tool) {
	if ids := t.names.get(byID, n.id); ids != nil && len(ids.tools) > 1 {
		t.collision(c, n.id, ids.tools, n)
	}
	if !n.plain || t.cfg.Naming.OnConflict != naming.Hidden || t.reserved(n) {
		return
	}
	if plain := t.names.get(byPlain, n.def.Name); len(plain.tools) > 1 {
		has := t.has(plain)
		others := slices.DeleteFunc(slices.Clone(plain.tools), func(o *tool) bool { return o == has })
		t.collision(c, n.def.Name, append([]*tool{has}, others...), n)
	}
}

// has returns the tool that has a plain name.
func (t *Toolset) has(s *slot) *tool {
	if t.cfg.Ordered {
		return s.tools[0]
	}
	return s.owner()
}

// collision tells who does not have a name: the tool that was added, or the one that had it.
func (t *Toolset) collision(c *Change, name string, tools []*tool, n *tool) {
	lost := n
	if tools[0] == n {
		lost = tools[1]
	}
	if len(c.Rejected) >= t.cfg.Limits.Rejected {
		c.More++
		return
	}
	err := &CollisionError{ID: name, Existing: tools[0].ref(), Incoming: lost.ref()}
	c.Rejected = append(c.Rejected, Rejection{Server: lost.server, Index: -1, Tool: clip(lost.def.Name), Err: err})
}
