package server

import (
	"context"
	"slices"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// tool returns the function of a tool, nil if there is none.
func (h *Handlers) tool(name string) ToolFunc {
	f, _ := toolKind.find(h, name)
	return f
}

// prompt returns the function of a prompt, nil if there is none.
func (h *Handlers) prompt(name string) PromptFunc {
	f, _ := promptKind.find(h, name)
	return f
}

// reader returns the function that reads a uri, nil if there is none or if what is
// registered for it is left to the application.
func (h *Handlers) reader(uri string) ReadFunc {
	if f, registered := resourceKind.find(h, uri); registered {
		return f
	}
	best, f, ok := h.match(uri)
	if !ok || f == nil {
		return nil
	}
	return func(ctx context.Context, c Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return f(ctx, c, p, best.Values)
	}
}

// match returns the most specific template of all layers that a uri matches. Of two with the
// same text the upper one is taken.
func (h *Handlers) match(uri string) (best uritemplate.Found, f TemplateFunc, ok bool) {
	if best, ok = h.set.Find(uri); ok {
		f = h.templates.funcs[best.Template.String()]
	}
	if h.upper == nil {
		return best, f, ok
	}
	for _, layer := range [...]*Handlers{h.upper, h.under} {
		if other, g, matches := layer.match(uri); matches && (!ok || uritemplate.Compare(other.Template, best.Template) < 0) {
			best, f, ok = other, g, true
		}
	}
	return best, f, ok
}

// completer returns the function that completes what p is about, nil if there is none: that of
// the group or of the layer that has the prompt or the template, else the first.
func (h *Handlers) completer(p *protocol.CompleteParams) CompleteFunc {
	if h.complete != nil {
		return h.complete
	}
	below := h.groups
	if h.upper != nil {
		below = append(slices.Clip(below), h.upper, h.under)
	}
	var first CompleteFunc
	for _, g := range below {
		f := g.completer(p)
		if f != nil && g.refers(p.Ref) {
			return f
		}
		if first == nil {
			first = f
		}
	}
	return first
}

// refers reports whether h has what is to be completed.
func (h *Handlers) refers(ref protocol.Reference) bool {
	if ref.Type == protocol.RefPrompt {
		_, ok := promptKind.find(h, ref.Name)
		return ok
	}
	_, template := templateKind.find(h, ref.URI)
	_, resource := resourceKind.find(h, ref.URI)
	if !template && !resource {
		_, _, template = h.match(ref.URI) // a uri that a template covers
	}
	return template || resource
}

// ToolFunc returns the function of a tool, for calls outside of a session; nil if there is none. It
// does not check arguments: see Catalog.CheckArguments.
func (h *Handlers) ToolFunc(name string) ToolFunc { return h.tool(name) }
