package server

import (
	"maps"
	"slices"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// Tool registers a tool. If f is nil, the tool is listed and its calls reach the application as events; the same holds
// for Resource, Template and Prompt. Drivers that pass no events to the application, such as server/stdio and
// server/nethttp, refuse a nil f unless there is a Companion, or Config.Serve is set. A second tool with the same name
// does not replace the first; it makes Catalog fail.
func (h *Handlers) Tool(t protocol.Tool, f ToolFunc) { toolKind.put(h, t, f) }

// Refuse makes Catalog, and NewCatalog with the Items, fail with err. A package that registers with h
// calls it to report a mistake. A nil err does nothing.
func (h *Handlers) Refuse(err error) {
	if err != nil {
		h.refused = append(h.refused, err)
	}
}

// Resource registers a resource.
func (h *Handlers) Resource(r protocol.Resource, f ReadFunc) { resourceKind.put(h, r, f) }

// ReplaceTool registers a tool in place of an existing one with the same name, if any.
func (h *Handlers) ReplaceTool(t protocol.Tool, f ToolFunc) {
	h.tools.items = slices.DeleteFunc(slices.Clone(h.tools.items), func(old protocol.Tool) bool { return old.Name == t.Name })
	h.Tool(t, f)
}

// Template registers a resource template (RFC 6570). f answers uris that match and that are not
// those of a Resource; of several templates that match, the most specific by uritemplate.Compare
// answers. f returns protocol.ResourceNotFound for an unknown uri. Catalog refuses a template that
// cannot be parsed.
func (h *Handlers) Template(t protocol.ResourceTemplate, f TemplateFunc) {
	templateKind.put(h, t, f)
	if parsed, err := uritemplate.Parse(t.URITemplate); err == nil {
		h.set = h.set.With(parsed)
	}
}

// Prompt registers a prompt.
func (h *Handlers) Prompt(p protocol.Prompt, f PromptFunc) { promptKind.put(h, p, f) }

// Complete registers the function that completes arguments of prompts and templates.
func (h *Handlers) Complete(f CompleteFunc) { h.complete = f }

// Subscribe registers the function that accepts or refuses subscriptions, for each session with these
// Handlers, and declares that a client may subscribe, as Config.Subscribe does. Without a function, a client
// may subscribe to everything that it may read. A client without a session cannot be asked for: its
// subscriptions/listen is answered without the resources, which a function would have to accept one by one.
func (h *Handlers) Subscribe(f SubscribeFunc) { h.subscribe, h.catalog = f, nil }

// Cache sets how long clients may keep a list, such as protocol.ToolList, in revisions without sessions.
// Over keeps the shorter time of two layers; Merge keeps none.
func (h *Handlers) Cache(l *protocol.List, c protocol.Cache) {
	h.cache, h.catalog = maps.Clone(h.cache), nil
	if h.cache == nil {
		h.cache = map[*protocol.List]protocol.Cache{}
	}
	h.cache[l] = c
}

// Items returns what was registered. Appending to its lists or changing its Cache affects nothing else.
func (h *Handlers) Items() Items {
	items := h.all()
	items.Cache = maps.Clone(items.Cache)
	items.Tools, items.Resources = slices.Clip(items.Tools), slices.Clip(items.Resources)
	items.Refused = slices.Clip(items.Refused)
	items.ResourceTemplates, items.Prompts = slices.Clip(items.ResourceTemplates), slices.Clip(items.Prompts)
	return items
}

// Catalog returns the catalog of the registered items.
func (h *Handlers) Catalog() (*Catalog, error) {
	if h.catalog != nil {
		return h.catalog, nil
	}
	catalog, err := NewCatalog(h.all())
	if err == nil {
		catalog.asks = h.has((*Handlers).asks)
	}
	return catalog, err
}

// Serve returns the methods that h answers, for Config.Serve.
func (h *Handlers) Serve() []string {
	var list []string
	for _, m := range [...]struct {
		method string
		on     bool
	}{
		{protocol.ToolList.Use, h.has(func(h *Handlers) bool { return h.tools.funcs != nil })},
		{protocol.ResourceList.Use, h.has(func(h *Handlers) bool { return h.resources.funcs != nil || h.templates.funcs != nil })},
		{protocol.PromptList.Use, h.has(func(h *Handlers) bool { return h.prompts.funcs != nil })},
		{protocol.MethodCompletionComplete, h.has((*Handlers).completes)},
		{protocol.MethodResourcesSubscribe, h.has((*Handlers).asks)},
	} {
		if m.on {
			list = append(list, m.method)
		}
	}
	return list
}

// all returns what is registered in all layers, the upper ones first.
func (h *Handlers) all() Items {
	return Items{
		Tools: toolKind.all(h), Resources: resourceKind.all(h), ResourceTemplates: templateKind.all(h), Prompts: promptKind.all(h),
		Refused: h.refused, Cache: h.cache,
	}
}

// completes reports whether the layer completes arguments.
func (h *Handlers) completes() bool { return h.complete != nil || h.groups != nil }

// asks reports whether functions of the layer agree to subscriptions.
func (h *Handlers) asks() bool { return h.subscribe != nil || h.agree != nil }

// has reports whether some layer has something.
func (h *Handlers) has(what func(*Handlers) bool) bool {
	return what(h) || h.upper != nil && (h.upper.has(what) || h.under.has(what))
}
