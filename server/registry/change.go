package registry

import (
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Change says what is different in a Registry: names of groups, in their order, and what became
// of the lists that sessions see.
type Change struct {
	Added    []string // that were not there
	Replaced []string // whose definition is another value
	Removed  []string // that are gone
	Enabled  []string // that were there and are offered now
	Disabled []string // that are there and are not offered any more

	Tools     server.Diff // of tools/list
	Resources server.Diff // of resources/list
	Templates server.Diff // of resources/templates/list
	Prompts   server.Diff // of prompts/list
	// Moved says that the groups that stay are in another order.
	Moved bool
}

// IsZero reports whether nothing is different.
func (c Change) IsZero() bool {
	return c.Added == nil && c.Replaced == nil && c.Removed == nil && c.Enabled == nil && c.Disabled == nil && !c.Moved && c.Lists() == 0
}

// Lists returns which list_changed notifications sessions get: CapToolsListChanged,
// CapResourcesListChanged, CapPromptsListChanged.
func (c Change) Lists() (set protocol.Capability) {
	if !c.Tools.IsZero() {
		set |= protocol.CapToolsListChanged
	}
	if !c.Resources.IsZero() || !c.Templates.IsZero() {
		set |= protocol.CapResourcesListChanged
	}
	if !c.Prompts.IsZero() {
		set |= protocol.CapPromptsListChanged
	}
	return set
}

// Gone returns the groups whose running calls are to be cancelled: those that were removed,
// switched off or have failed.
func (c Change) Gone() []string { return append(append([]string(nil), c.Removed...), c.Disabled...) }

// changeOf returns what became of a Registry.
func changeOf(old, next *Registry) (c Change) {
	last := -1
	for _, e := range next.entries {
		name := e.server.Name()
		i, was := old.at(name)
		if !was {
			c.Added = append(c.Added, name)
			continue
		}
		c.Moved = c.Moved || i < last
		last = max(last, i)
		before := old.entries[i]
		if before.server != e.server {
			c.Replaced = append(c.Replaced, name)
		}
		switch {
		case e.offered() && !before.offered():
			c.Enabled = append(c.Enabled, name)
		case !e.offered() && before.offered():
			c.Disabled = append(c.Disabled, name)
		}
	}
	if old != nil {
		for _, e := range old.entries {
			if _, stays := next.at(e.server.Name()); !stays {
				c.Removed = append(c.Removed, e.server.Name())
			}
		}
	}
	a, b := next.View().Catalog(), old.View().Catalog()
	c.Tools, c.Prompts = a.Diff(b, protocol.ToolList), a.Diff(b, protocol.PromptList)
	c.Resources, c.Templates = a.Diff(b, protocol.ResourceList), a.Diff(b, protocol.TemplateList)
	return c
}
