package server

import (
	"context"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// ToolFunc answers tools/call. p.Arguments is never empty: without arguments it is {}. It may run on
// any goroutine, at the same time as others. ctx ends when the call does: answered, cancelled,
// expired or lost. c is the call's way back to its own session.
//
// What an error becomes, and who reads it:
//
//   - one with a method ToolResult, as *toolerror.Error, or one that wraps it: the result that the
//     method returns, which the model reads, unless that is nil;
//   - a jsonrpc.Error, or one that wraps it: the error of the response, which the client's program
//     reads and may show;
//   - any other: a result with isError and the text of Error, which the model reads, and with it
//     all that the model passes it on to.
//
// So errors.New("pq: password authentication failed for user app at 10.0.0.7") goes to the model,
// word by word. Return what the model may know and can act on, and log the rest yourself: nothing is
// logged for you. A nil pointer in err counts as no error. No result beside no error becomes a result
// with isError.
type ToolFunc = func(ctx context.Context, c Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error)

// ReadFunc answers resources/read. It runs as a ToolFunc does.
//
// What an error becomes, and who reads it: a jsonrpc.Error, or one that wraps it, as
// protocol.ResourceNotFound returns, is the error of the response, which the client's program reads
// and may show. Any other becomes -32603 "internal error"; nobody reads its text, and nothing is
// logged for you. A nil pointer in err counts as no error.
type ReadFunc = func(ctx context.Context, c Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error)

// TemplateFunc answers resources/read for a uri of a template; vars are the variables of the uri.
// They come from the client, decoded: what becomes a path or a query has to be checked as such. It
// runs as a ToolFunc does. For what it does not know it returns protocol.ResourceNotFound.
//
// What an error becomes, and who reads it: as for ReadFunc, a jsonrpc.Error goes to the client as
// it is, and any other becomes -32603 "internal error".
type TemplateFunc = func(ctx context.Context, c Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error)

// PromptFunc answers prompts/get. It runs as a ToolFunc does.
//
// What an error becomes, and who reads it: as for ReadFunc, a jsonrpc.Error goes to the client as
// it is, and any other becomes -32603 "internal error".
type PromptFunc = func(ctx context.Context, c Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error)

// CompleteFunc answers completion/complete. It runs as a ToolFunc does.
//
// What an error becomes, and who reads it: as for ReadFunc, a jsonrpc.Error goes to the client as
// it is, and any other becomes -32603 "internal error".
type CompleteFunc = func(ctx context.Context, c Caller, p protocol.CompleteParams) (*protocol.CompleteResult, error)

// SubscribeFunc answers resources/subscribe: the client hears of changes to the resource from then
// on if it returns nil. Who subscribes to a uri that ends at a slash hears of all below it that the
// session may read. It runs as a ToolFunc does.
//
// What an error becomes, and who reads it: the client is not subscribed. As for ReadFunc, a
// jsonrpc.Error goes to the client as it is, and any other becomes -32603 "internal error".
// protocol.ResourceNotFound does not tell that there is something to be kept from the client.
type SubscribeFunc = func(ctx context.Context, c Caller, p protocol.SubscribeParams) error

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
	subscribe SubscribeFunc
	groups    []*Handlers // that complete what is theirs: see Merge
	agree     []*Handlers // that are asked for subscriptions to what is theirs

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
func (h *Handlers) Complete(f CompleteFunc) { h.complete = f }

// Subscribe registers the function that agrees to subscriptions, or refuses them, for each session
// with these Handlers; it declares that they can be made. Without one, and with
// Config.Subscribe, a client may subscribe to all that it may read.
func (h *Handlers) Subscribe(f SubscribeFunc) { h.subscribe, h.catalog = f, nil }

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
		{protocol.ToolList.Use, h.has(func(h *Handlers) bool { return h.tools != nil })},
		{protocol.ResourceList.Use, h.has(func(h *Handlers) bool { return h.resources != nil || h.templates != nil })},
		{protocol.PromptList.Use, h.has(func(h *Handlers) bool { return h.prompts != nil })},
		{protocol.MethodCompletionComplete, h.has((*Handlers).completes)},
		{protocol.MethodResourcesSubscribe, h.has((*Handlers).asks)},
	} {
		if m.on {
			list = append(list, m.method)
		}
	}
	return list
}

// Caller is the way back of one call: what a function of Handlers sends within it. A
// driver implements it for the Jobs that it runs, Handlers.Handle has one of its own. Once
// the call has ended its verbs return lifecycle.ErrGone.
type Caller interface {
	// Call returns the handle of the call.
	Call() Call
	// State returns the session as it is at the moment, to look at: who the client is,
	// what it declared, which revision holds. Once the call has ended it may be the zero
	// State.
	State() State
	// Progress reports progress of the call, as State.Progress does.
	Progress(p protocol.ProgressParams) error
	// Notify sends a notification within the call, as State.Notify does.
	Notify(n protocol.Params) error
	// Request sends a request to the client within the call (sampling, elicitation,
	// roots, ping) and waits for its result; opt.Within is set for you. The error is
	// that of State.Request, the Event.Failure of the request, or that of ctx: then the
	// request is cancelled.
	Request(ctx context.Context, p protocol.Params, opt RequestOptions) (jsonrpc.Raw, error)
}

// all returns what is registered in all layers, the upper ones first.
func (h *Handlers) all() Items {
	items := h.items
	if h.upper == nil {
		return items
	}
	for _, layer := range [...]*Handlers{h.upper, h.under} {
		more := layer.all()
		items.Tools = join(items.Tools, more.Tools, func(t protocol.Tool) string { return t.Name })
		items.Resources = join(items.Resources, more.Resources, func(r protocol.Resource) string { return r.URI })
		items.ResourceTemplates = join(items.ResourceTemplates, more.ResourceTemplates, func(t protocol.ResourceTemplate) string { return t.URITemplate })
		items.Prompts = join(items.Prompts, more.Prompts, func(p protocol.Prompt) string { return p.Name })
	}
	return items
}

// join returns the items of both lists, without those of under whose keys upper has. It is nil
// if both are.
func join[T any](upper, under []T, key func(T) string) []T {
	if under == nil {
		return upper
	}
	list, has := append(make([]T, 0, len(upper)+len(under)), upper...), map[string]bool{}
	for _, it := range upper {
		has[key(it)] = true
	}
	for _, it := range under {
		if !has[key(it)] {
			list = append(list, it)
		}
	}
	return list
}

// completes reports whether the layer completes arguments.
func (h *Handlers) completes() bool { return h.complete != nil || h.groups != nil }

// asks reports whether functions of the layer agree to subscriptions.
func (h *Handlers) asks() bool { return h.subscribe != nil || h.agree != nil }

// has reports whether some layer has something.
func (h *Handlers) has(what func(*Handlers) bool) bool {
	return what(h) || h.upper != nil && (h.upper.has(what) || h.under.has(what))
}
