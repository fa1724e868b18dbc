package server

import (
	"maps"
	"slices"

	"github.com/sansmcp/mcp/protocol"
)

// Offer makes h offer kinds of which it has nothing yet: of CapTools, CapResources and
// CapPrompts. Their lists are declared and empty, so that a later catalog of the same session
// may have some.
func (h *Handlers) Offer(kinds protocol.Capability) {
	h.catalog = nil
	if kinds.Has(protocol.CapTools) && h.tools == nil {
		h.tools, h.items.Tools = map[string]ToolFunc{}, []protocol.Tool{}
	}
	if kinds.Has(protocol.CapResources) && h.resources == nil {
		h.resources, h.items.Resources = map[string]ReadFunc{}, []protocol.Resource{}
	}
	if kinds.Has(protocol.CapPrompts) && h.prompts == nil {
		h.prompts, h.items.Prompts = map[string]PromptFunc{}, []protocol.Prompt{}
	}
}

// Unbound returns the names of the tools and prompts, and the uris of the resources and
// templates, that were registered without a function. Their calls reach the application as
// events.
func (h *Handlers) Unbound() (names []string) {
	items := h.all()
	for _, t := range items.Tools {
		if h.tool(t.Name) == nil {
			names = append(names, t.Name)
		}
	}
	for _, r := range items.Resources {
		if f, _ := h.resource(r.URI); f == nil {
			names = append(names, r.URI)
		}
	}
	for _, t := range items.ResourceTemplates {
		if f, _ := h.template(t.URITemplate); f == nil {
			names = append(names, t.URITemplate)
		}
	}
	for _, p := range items.Prompts {
		if h.prompt(p.Name) == nil {
			names = append(names, p.Name)
		}
	}
	return names
}

// Sealed returns a copy of h that later registrations with h do not change, and whose Catalog
// is made: its method Catalog returns the same one at no cost. Errors: those of Catalog.
func (h *Handlers) Sealed() (*Handlers, error) {
	catalog, err := h.Catalog()
	if err != nil {
		return nil, err
	}
	c := *h
	c.items.Tools, c.items.Resources = slices.Clone(h.items.Tools), slices.Clone(h.items.Resources)
	c.items.ResourceTemplates, c.items.Prompts = slices.Clone(h.items.ResourceTemplates), slices.Clone(h.items.Prompts)
	c.tools, c.resources, c.prompts = maps.Clone(h.tools), maps.Clone(h.resources), maps.Clone(h.prompts)
	c.templates, c.reads, c.patterns = slices.Clip(h.templates), slices.Clip(h.reads), maps.Clone(h.patterns)
	c.catalog = catalog
	return &c, nil
}

// Over returns Handlers that have what h and base have. Where both have a name or uri, that of
// h is taken. Nothing is copied: thousands of sessions that lay a few tools of their own over
// one base hold the base once. It takes time in proportion to h alone if both are Sealed, and
// neither is made by Over. Neither may be changed afterwards. A nil base has nothing.
// Errors: those of Catalog.
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
	if upper.upper != nil || under.upper != nil {
		both.catalog, err = both.Catalog()
	} else {
		both.catalog = upper.over(under)
	}
	return both, err
}

// Merge returns Handlers that have what the groups have, each in the order of its group. Of
// several of one name or uri the first is taken. The completion of an argument is asked of the
// first group that completes and has the prompt or the template; a subscription is asked of each
// group that has the uri and a function for it. A nil group has nothing. The groups may not be
// changed afterwards.
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
	items := g.all()
	h.Offer(g.offers())
	for _, t := range items.Tools {
		if _, taken := h.tools[t.Name]; !taken {
			h.Tool(t, g.tool(t.Name))
		}
	}
	for _, r := range items.Resources {
		if _, taken := h.resources[r.URI]; !taken {
			f, _ := g.resource(r.URI)
			h.Resource(r, f)
		}
	}
	for _, t := range items.ResourceTemplates {
		if _, taken := h.patterns[t.URITemplate]; !taken {
			f, _ := g.template(t.URITemplate)
			h.Template(t, f)
		}
	}
	for _, p := range items.Prompts {
		if _, taken := h.prompts[p.Name]; !taken {
			h.Prompt(p, g.prompt(p.Name))
		}
	}
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
