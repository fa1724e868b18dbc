package registry

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// OfferedTool is a tool in a view.
type OfferedTool struct {
	Group   string        // the group that it belongs to
	Tool    protocol.Tool // its definition
	Timeout time.Duration // how long a call may take; lifecycle.NoTimeout for no limit
	// ShadowedBy is the group whose tool with the same name is offered instead, or "".
	ShadowedBy string
}

// View is what a session is offered: an immutable value that any number of sessions share. A lookup
// takes time that does not depend on the number of items. A nil View and a zero one offer nothing.
type View struct {
	handlers *server.Handlers
	catalog  *server.Catalog
	names    []string       // of the groups that are offered, in order
	group    map[string]int // of each name in names
	refs     []OfferedTool
	tools    map[string]int // of each tool that is offered, its place in refs
	prompts  map[string]string
	uris     map[string]string
	patterns uritemplate.Set
	owners   []string // of patterns

	upper, under *View // the two views that it is made of; nil for others
}

// empty is the view of a nil Registry.
var empty = join(nil, 0)

// viewOf returns the view of one group, whose handlers are sealed and have a catalog.
func viewOf(name string, h *server.Handlers, timeout func(tool string) time.Duration) *View {
	v := &View{names: []string{name}, handlers: h}
	for _, t := range h.Items().Tools {
		v.refs = append(v.refs, OfferedTool{Group: name, Tool: t, Timeout: timeout(t.Name)})
	}
	v = index([]*View{v})
	v.handlers = h
	v.catalog, _ = h.Catalog() // which exists
	return v
}

// join returns the view of groups, the first ones first. It offers kinds even if there are no
// items.
func join(groups []*View, kinds protocol.Capability) *View {
	if len(groups) == 1 && groups[0].catalog.Offers().Has(kinds) {
		return groups[0]
	}
	v := index(groups)
	var list []*server.Handlers
	for _, g := range groups {
		list = append(list, g.handlers)
	}
	h := server.Merge(list...)
	h.Offer(kinds)
	v.handlers, _ = h.Sealed() // cannot fail: each group is valid, and no name is a duplicate
	v.catalog, _ = v.handlers.Catalog()
	return v
}

// index returns a view of groups without their handlers.
func index(groups []*View) *View {
	v := &View{group: map[string]int{}, tools: map[string]int{}, prompts: map[string]string{}, uris: map[string]string{}}
	var patterns []uritemplate.Template
	for _, g := range groups {
		name, items := g.names[0], g.handlers.Items()
		v.group[name] = len(v.names)
		v.names = append(v.names, name)
		for _, ref := range g.refs {
			if i, taken := v.tools[ref.Tool.Name]; taken {
				ref.ShadowedBy = v.refs[i].Group
			} else {
				v.tools[ref.Tool.Name] = len(v.refs)
			}
			v.refs = append(v.refs, ref)
		}
		for _, p := range items.Prompts {
			first(v.prompts, p.Name, name)
		}
		for _, r := range items.Resources {
			first(v.uris, r.URI, name)
		}
		for _, t := range items.ResourceTemplates {
			if parsed, err := uritemplate.Parse(t.URITemplate); err == nil {
				patterns, v.owners = append(patterns, parsed), append(v.owners, name)
			}
		}
	}
	v.patterns = uritemplate.NewSet(patterns...)
	return v
}

func first(m map[string]string, key, group string) {
	if _, taken := m[key]; !taken {
		m[key] = group
	}
}

// over returns the view of both; the groups of v come first.
func (v *View) over(base *View) *View {
	both := &View{upper: v, under: base}
	both.handlers, _ = v.handlers.Over(base.handlers) // both are sealed
	both.catalog, _ = both.handlers.Catalog()
	return both
}

// orEmpty returns v, or a View that offers nothing if v was not made by this package.
func (v *View) orEmpty() *View {
	if v == nil || v.handlers == nil {
		return empty
	}
	return v
}

// Handlers returns the functions of the view, with their Catalog. They must not be changed.
func (v *View) Handlers() *server.Handlers { return v.orEmpty().handlers }

// Catalog returns the lists of the view, for State.SetCatalog.
func (v *View) Catalog() *server.Catalog { return v.orEmpty().catalog }

// Config returns cfg with Catalog and ListChanged of the view, and with the methods that it answers
// added before Serve.
func (v *View) Config(cfg server.Config) server.Config {
	cfg.Catalog, cfg.Serve = v.Catalog(), append(v.Handlers().Serve(), cfg.Serve...)
	for _, l := range protocol.Lists() {
		if cfg.Catalog.Offers().Has(l.Cap) {
			cfg.ListChanged |= l.Change
		}
	}
	return cfg
}

// Names returns the groups that are offered, in order: those of the session, then the shared
// ones. The caller owns the slice.
func (v *View) Names() []string {
	v = v.orEmpty()
	if v.upper != nil {
		return append(v.upper.Names(), v.under.Names()...)
	}
	return slices.Clone(v.names)
}

// Has reports whether a group is offered.
func (v *View) Has(group string) bool {
	v = v.orEmpty()
	if v.upper != nil {
		return v.upper.Has(group) || v.under.Has(group)
	}
	_, ok := v.group[group]
	return ok
}

// Lookup returns the offered tool with a name.
func (v *View) Lookup(tool string) (OfferedTool, bool) {
	v = v.orEmpty()
	if v.upper != nil {
		if ref, ok := v.upper.Lookup(tool); ok {
			return ref, true
		}
		return v.under.Lookup(tool)
	}
	i, ok := v.tools[tool]
	if !ok {
		return OfferedTool{}, false
	}
	return v.refs[i], true
}

// Tools returns the tools of the groups that are offered, in the order of groups and tools,
// including shadowed ones. The caller owns the slice.
func (v *View) Tools() []OfferedTool {
	v = v.orEmpty()
	if v.upper == nil {
		return slices.Clone(v.refs)
	}
	list := v.upper.Tools()
	for _, ref := range v.under.Tools() {
		if top, ok := v.upper.Lookup(ref.Tool.Name); ok {
			ref.ShadowedBy = top.Group
		}
		list = append(list, ref)
	}
	return list
}

// Owner returns the group that answers a request: a call of a tool, a prompt, or the read of a uri;
// "" if none does.
func (v *View) Owner(method, name string) string {
	v = v.orEmpty()
	if v.upper != nil {
		return v.owner(method, name)
	}
	switch method {
	case protocol.ToolList.Use:
		if i, ok := v.tools[name]; ok {
			return v.refs[i].Group
		}
	case protocol.PromptList.Use:
		return v.prompts[name]
	case protocol.ResourceList.Use:
		if group, ok := v.uris[name]; ok {
			return group
		}
		if found, ok := v.patterns.Find(name); ok {
			return v.owners[found.Index]
		}
	}
	return ""
}

// owner is Owner for a view that is made of two. Handlers prefer a resource to any template, and
// among templates the most specific one.
func (v *View) owner(method, name string) string {
	if method == protocol.ResourceList.Use {
		for _, part := range [...]*View{v.upper, v.under} {
			if group, ok := part.uris[name]; ok {
				return group
			}
		}
		a, inUpper := v.upper.patterns.Find(name)
		b, inUnder := v.under.patterns.Find(name)
		if inUnder && (!inUpper || uritemplate.Compare(b.Template, a.Template) < 0) {
			return v.under.owners[b.Index]
		}
	}
	if group := v.upper.Owner(method, name); group != "" {
		return group
	}
	return v.under.Owner(method, name)
}
