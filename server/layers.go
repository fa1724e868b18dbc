package server

import (
	"github.com/sansmcp/mcp/protocol"
)

// Offer declares kinds that may still be empty: CapTools, CapResources and CapPrompts. A later
// catalog of the same session may then have items of these kinds.
func (h *Handlers) Offer(kinds protocol.Capability) {
	h.catalog = nil
	if kinds.Has(protocol.CapTools) {
		toolKind.offer(h)
	}
	if kinds.Has(protocol.CapResources) {
		resourceKind.offer(h)
	}
	if kinds.Has(protocol.CapPrompts) {
		promptKind.offer(h)
	}
}

// Unbound returns the names of the tools and prompts, and the uris of the resources and
// templates, that were registered without a function. Their calls reach the application as
// events.
func (h *Handlers) Unbound() []string {
	return promptKind.bare(h, templateKind.bare(h, resourceKind.bare(h, toolKind.bare(h, nil))))
}

// Sealed returns a copy of h that is independent of later registrations. Its Catalog is made once.
// Errors: as for Catalog.
func (h *Handlers) Sealed() (*Handlers, error) {
	catalog, err := h.Catalog()
	if err != nil {
		return nil, err
	}
	c := *h
	c.tools, c.resources, c.templates, c.prompts = h.tools.copied(), h.resources.copied(), h.templates.copied(), h.prompts.copied()
	c.catalog = catalog
	return &c, nil
}

// Over returns Handlers with the items of h and base; for a name or uri of both, h answers. The base
// is shared, not copied, so thousands of sessions can put a few tools over one base. If both are
// Sealed, and neither is made by Over, it takes time linear in h. Do not change either afterwards. A
// nil base is empty. Errors: as for Catalog.
func (h *Handlers) Over(base *Handlers) (*Handlers, error) {
	if base == nil {
		base = new(Handlers)
	}
	upper, err := h.Catalog()
	if err != nil {
		return nil, err
	}
	under, err := base.Catalog()
	if err != nil {
		return nil, err
	}
	both := &Handlers{upper: h, under: base}
	for _, l := range protocol.Lists() {
		if c := upper.list(l).cacheOver(under.list(l)); c != (protocol.Cache{}) {
			both.Cache(l, c)
		}
	}
	if upper.upper != nil || under.upper != nil {
		both.catalog, err = both.Catalog()
	} else {
		both.catalog = upper.over(under)
	}
	return both, err
}

// Merge returns Handlers that have what the groups have, in the order of the groups; if several have
// the same name or uri, the first answers. The first group that completes and has the prompt or
// template completes an argument; each group that has the uri and a function for it must accept a
// subscription. Lists are sorted by name. A nil group is empty. Do not change the groups afterwards.
func Merge(groups ...*Handlers) *Handlers {
	m := new(Handlers)
	for _, g := range groups {
		if g != nil {
			m.add(g)
		}
	}
	return m
}

// add registers what g has and h has not.
func (h *Handlers) add(g *Handlers) {
	h.Offer(g.offers())
	toolKind.merge(h, g, (*Handlers).Tool)
	resourceKind.merge(h, g, (*Handlers).Resource)
	templateKind.merge(h, g, (*Handlers).Template)
	promptKind.merge(h, g, (*Handlers).Prompt)
	if g.has((*Handlers).completes) {
		h.groups = append(h.groups, g)
	}
	if g.has((*Handlers).asks) {
		h.agree = append(h.agree, g)
	}
}

// offers returns what Offer makes of an empty one the same kinds of.
func (h *Handlers) offers() (kinds protocol.Capability) {
	items := h.all()
	if items.Tools != nil {
		kinds |= protocol.CapTools
	}
	if items.Resources != nil {
		kinds |= protocol.CapResources
	}
	if items.Prompts != nil {
		kinds |= protocol.CapPrompts
	}
	return kinds
}
