package server

import (
	"context"
	"slices"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// The functions that answer requests. They may run on any goroutine. ctx ends when the
// call does: answered, cancelled, expired or lost; c is the call's way back to its own
// session, so that one Handlers serves any number of sessions.
//
// An error of a tool with a method ToolResult, as *toolerror.Error, or one that wraps it,
// becomes what that returns, unless that is nil.
// An error that is a jsonrpc.Error, or a pointer to one, goes out as it is. Any other error of a
// tool becomes a result with isError and the error's text, which the model sees; of the others
// -32603 with a fixed text. A nil *jsonrpc.Error counts as nil.
type (
	// ToolFunc answers tools/call. p.Arguments is never empty: without arguments it is {}.
	ToolFunc = func(ctx context.Context, c Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error)
	// ReadFunc answers resources/read.
	ReadFunc = func(ctx context.Context, c Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error)
	// TemplateFunc answers resources/read for a uri of a template; vars are the variables
	// of the uri. They come from the client, decoded: what becomes a path or a query has
	// to be checked as such.
	TemplateFunc = func(ctx context.Context, c Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error)
	// PromptFunc answers prompts/get.
	PromptFunc = func(ctx context.Context, c Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error)
	// CompleteFunc answers completion/complete.
	CompleteFunc = func(ctx context.Context, c Caller, p protocol.CompleteParams) (*protocol.CompleteResult, error)
)

// Handlers maps the names of tools, resources and prompts to plain functions. One
// registration serves inline answers (Handle), answers from other goroutines (Job),
// the catalog and Config.Serve. Register first, use afterwards: then any number of
// sessions and goroutines may share it.
type Handlers struct {
	items     Items
	tools     map[string]ToolFunc
	resources map[string]ReadFunc
	templates []uritemplate.Template
	reads     []TemplateFunc // of the templates
	patterns  map[string]TemplateFunc
	set       uritemplate.Set
	prompts   map[string]PromptFunc
	complete  CompleteFunc
	groups    []*Handlers // that complete what is theirs: see Merge

	upper, under *Handlers // what stands below: see Over
	catalog      *Catalog  // made already: see Sealed
}

// Tool registers a tool. If f is nil, the tool is listed and its calls reach the
// application as events; the same holds for Resource, Template and Prompt. A second tool of
// the same name does not replace the first; it makes Catalog fail.
func (h *Handlers) Tool(t protocol.Tool, f ToolFunc) {
	if h.tools == nil {
		h.tools = map[string]ToolFunc{}
	}
	h.catalog = nil
	h.items.Tools = append(h.items.Tools, t)
	h.tools[t.Name] = f
}

// Refuse makes Catalog, and NewCatalog with the Items, fail with err: for a package that
// registers with h and finds a mistake. A nil err does nothing.
func (h *Handlers) Refuse(err error) {
	if err != nil {
		h.items.Refused = append(h.items.Refused, err)
	}
}

// Resource registers a resource.
func (h *Handlers) Resource(r protocol.Resource, f ReadFunc) {
	if h.resources == nil {
		h.resources = map[string]ReadFunc{}
	}
	h.catalog = nil
	h.items.Resources = append(h.items.Resources, r)
	h.resources[r.URI] = f
}

// ReplaceTool registers a tool in the place of the one of the same name, if there is one.
func (h *Handlers) ReplaceTool(t protocol.Tool, f ToolFunc) {
	h.items.Tools = slices.DeleteFunc(slices.Clone(h.items.Tools), func(old protocol.Tool) bool { return old.Name == t.Name })
	h.Tool(t, f)
}

// Template registers a resource template (RFC 6570). f is asked for uris that no Resource
// has and that match; of several templates the most specific is taken, as
// uritemplate.Compare has it. It returns protocol.ResourceNotFound for what it does not
// know. Catalog refuses a template that cannot be parsed.
func (h *Handlers) Template(t protocol.ResourceTemplate, f TemplateFunc) {
	h.catalog = nil
	h.items.ResourceTemplates = append(h.items.ResourceTemplates, t)
	if parsed, err := uritemplate.Parse(t.URITemplate); err == nil {
		h.templates, h.reads = append(h.templates, parsed), append(h.reads, f)
		h.set = h.set.With(parsed)
		if h.patterns == nil {
			h.patterns = map[string]TemplateFunc{}
		}
		h.patterns[t.URITemplate] = f
	}
}

// Prompt registers a prompt.
func (h *Handlers) Prompt(p protocol.Prompt, f PromptFunc) {
	if h.prompts == nil {
		h.prompts = map[string]PromptFunc{}
	}
	h.catalog = nil
	h.items.Prompts = append(h.items.Prompts, p)
	h.prompts[p.Name] = f
}

// Complete registers the function that completes arguments of prompts and templates.
func (h *Handlers) Complete(f CompleteFunc) { h.complete, h.groups = f, nil }

// Items returns what was registered. To append to its lists does not change those of
// another.
func (h *Handlers) Items() Items {
	items := h.all()
	items.Tools, items.Resources = slices.Clip(items.Tools), slices.Clip(items.Resources)
	items.Refused = slices.Clip(items.Refused)
	items.ResourceTemplates, items.Prompts = slices.Clip(items.ResourceTemplates), slices.Clip(items.Prompts)
	return items
}

// Catalog returns the catalog of what was registered.
func (h *Handlers) Catalog() (*Catalog, error) {
	if h.catalog != nil {
		return h.catalog, nil
	}
	return NewCatalog(h.all())
}

// Serve returns the methods that h answers, for Config.Serve.
func (h *Handlers) Serve() []string {
	var list []string
	for _, m := range [...]struct {
		method string
		on     bool
	}{
		{protocol.MethodToolsCall, h.has(func(h *Handlers) bool { return h.tools != nil })},
		{protocol.MethodResourcesRead, h.has(func(h *Handlers) bool { return h.resources != nil || h.templates != nil })},
		{protocol.MethodPromptsGet, h.has(func(h *Handlers) bool { return h.prompts != nil })},
		{protocol.MethodCompletionComplete, h.has(func(h *Handlers) bool { return h.complete != nil || h.groups != nil })},
	} {
		if m.on {
			list = append(list, m.method)
		}
	}
	return list
}
