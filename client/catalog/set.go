package catalog

import (
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// Set replaces the servers. It detaches those that are not in list, and attaches new ones after the
// others. A remaining server keeps its place and its items, and gets its new Source. Its new Filter
// applies at once. Readings begin with the next Tick. Errors: those of Attach, also for a remaining
// server, with nothing changed.
func (c Catalog) Set(m manager.Manager, now time.Time, list []Source) (Catalog, manager.Manager, Update, error) {
	next, after := c, m
	next.clock.Take(now)
	if c.closed {
		return c, m, Update{}, errClosed
	}
	wanted := make(map[string]Source, len(list)) // with defaults
	for _, s := range list {
		if err := s.fill(c.cfg); err != nil {
			return c, m, Update{}, err
		}
		if _, twice := wanted[s.Name]; twice {
			return c, m, Update{}, duplicate(s.Name)
		}
		wanted[s.Name] = s
	}
	var u Update
	for leaf := range c.sources.All() {
		if _, stays := wanted[leaf.V.Name]; !stays {
			after = next.leave(after, leaf.Key, &u)
		}
	}
	for _, s := range list {
		if old := next.named(s.Name); old != nil {
			next.replace(*old, wanted[s.Name], &u)
			continue
		}
		if err := next.join(after, s, len(list) == 1, &u); err != nil {
			return c, m, Update{}, err
		}
	}
	return next, after, u, nil
}

// replace replaces the Source of a server.
func (c *Catalog) replace(s source, now Source, u *Update) {
	was := s.Source
	s.Source = now
	c.set(s)
	if was.Filter.Equal(now.Filter) {
		return
	}
	for _, k := range c.reads {
		before := s.lists[k].list
		if before == nil {
			continue
		}
		ch := Change{Server: s.Name, Before: s.health(k)}
		s.lists[k].list = listOf(k, before.items, &s.Filter)
		c.uid++
		s.lists[k].list.version = c.uid
		c.set(s)
		c.install(&ch, before, s.lists[k].list)
		c.addChange(ch, &s, k, u)
	}
}
