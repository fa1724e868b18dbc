package server

import (
	"context"
	"slices"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// found looks a key up in the layers of h, from the top. What is registered without a function
// hides what stands below.
func found[F any](h *Handlers, key string, of func(*Handlers) map[string]F) (f F, ok bool) {
	if f, ok = of(h)[key]; ok || h.upper == nil {
		return f, ok
	}
	if f, ok = found(h.upper, key, of); ok {
		return f, ok
	}
	return found(h.under, key, of)
}

// tool returns the function of a tool, nil if there is none.
func (h *Handlers) tool(name string) ToolFunc {
	if f, ok := h.tools[name]; ok || h.upper == nil {
		return f
	}
	f, _ := found(h, name, func(h *Handlers) map[string]ToolFunc { return h.tools })
	return f
}

// prompt returns the function of a prompt, nil if there is none.
func (h *Handlers) prompt(name string) PromptFunc {
	f, _ := found(h, name, func(h *Handlers) map[string]PromptFunc { return h.prompts })
	return f
}

// resource returns the function of a resource, and whether the resource is registered.
func (h *Handlers) resource(uri string) (ReadFunc, bool) {
	return found(h, uri, func(h *Handlers) map[string]ReadFunc { return h.resources })
}

// template returns the function of a template by its text, and whether it is registered.
func (h *Handlers) template(text string) (TemplateFunc, bool) {
	return found(h, text, func(h *Handlers) map[string]TemplateFunc { return h.patterns })
}

// reader returns the function that reads a uri, nil if there is none or if what is
// registered for it is left to the application.
func (h *Handlers) reader(uri string) ReadFunc {
	if f, registered := h.resource(uri); registered {
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
		f = h.reads[best.Index]
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
		_, ok := found(h, ref.Name, func(h *Handlers) map[string]PromptFunc { return h.prompts })
		return ok
	}
	_, template := h.template(ref.URI)
	_, resource := h.resource(ref.URI)
	if !template && !resource {
		_, _, template = h.match(ref.URI) // a uri that a template covers
	}
	return template || resource
}

// ToolFunc returns the function of a tool, for who calls it by its name outside of a session; nil
// if there is none. What it is given was not checked: see Catalog.CheckArguments.
func (h *Handlers) ToolFunc(name string) ToolFunc { return h.tool(name) }
