package server

import (
	"context"
	"maps"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
)

// ToolFunc answers tools/call. p.Arguments is never empty: without arguments it is {}. It may run on
// any goroutine, concurrently with others. ctx ends when the call is answered, cancelled, expired or
// lost. c sends messages within the call.
//
// An error is reported as follows:
//
//   - an error with a method ToolResult, such as *toolerror.Error, or one that wraps it: by the
//     result that the method returns, which the model reads, unless that is nil;
//   - a jsonrpc.Error, or one that wraps it: as the error of the response, which the client's
//     program reads and may show;
//   - any other error: as a result with isError and the text of Error, which the model reads and
//     may pass on.
//
// So errors.New("pq: password authentication failed for user app at 10.0.0.7") goes to the model
// unchanged. Return only what the model may know and can act on, and log the rest yourself. A nil
// pointer in err counts as no error. If both the result and the error are nil, the model reads a
// result with isError.
type ToolFunc = func(ctx context.Context, c Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error)

// ReadFunc answers resources/read. It runs as a ToolFunc does.
//
// An error is reported as follows: a jsonrpc.Error, or one that wraps it, as
// protocol.ResourceNotFound returns, is the error of the response, which the client's program reads
// and may show. Any other becomes -32603 "internal error"; its text is neither sent
// nor logged. A nil pointer in err counts as no error.
type ReadFunc = func(ctx context.Context, c Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error)

// TemplateFunc answers resources/read for a uri of a template; vars are the variables of the uri.
// They come from the client, decoded: check those used in a path or a query. It runs as a ToolFunc
// does. For an unknown uri it returns protocol.ResourceNotFound.
//
// Errors: as for ReadFunc, a jsonrpc.Error goes to the client unchanged; any other becomes -32603
// "internal error".
type TemplateFunc = func(ctx context.Context, c Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error)

// PromptFunc answers prompts/get. It runs as a ToolFunc does.
//
// Errors: as for ReadFunc, a jsonrpc.Error goes to the client unchanged; any other becomes -32603
// "internal error".
type PromptFunc = func(ctx context.Context, c Caller, p protocol.GetPromptParams) (*protocol.GetPromptResult, error)

// CompleteFunc answers completion/complete. It runs as a ToolFunc does.
//
// Errors: as for ReadFunc, a jsonrpc.Error goes to the client unchanged; any other becomes -32603
// "internal error".
type CompleteFunc = func(ctx context.Context, c Caller, p protocol.CompleteParams) (*protocol.CompleteResult, error)

// SubscribeFunc answers resources/subscribe: if it returns nil, the client gets updates of the
// resource from then on. A subscription to a uri that ends with a slash covers every resource below
// it that the session may read. It runs as a ToolFunc does.
//
// Errors: the client is not subscribed. As for ReadFunc, a jsonrpc.Error goes to the client
// unchanged; any other becomes -32603 "internal error". protocol.ResourceNotFound does not reveal
// that the resource exists.
type SubscribeFunc = func(ctx context.Context, c Caller, p protocol.SubscribeParams) error

// Handlers maps the names of tools, resources and prompts to plain functions. One registration
// serves inline answers (Handle), answers from other goroutines (Job), the catalog and
// Config.Serve. After registration any number of sessions and goroutines may share it.
type Handlers struct {
	tools     shelf[protocol.Tool, ToolFunc]
	resources shelf[protocol.Resource, ReadFunc]
	templates shelf[protocol.ResourceTemplate, TemplateFunc]
	prompts   shelf[protocol.Prompt, PromptFunc]
	refused   []error
	cache     map[*protocol.List]protocol.Cache
	set       uritemplate.Set // of the templates
	complete  CompleteFunc
	subscribe SubscribeFunc
	groups    []*Handlers // that complete what is theirs: see Merge
	agree     []*Handlers // that are asked for subscriptions to what is theirs

	upper, under *Handlers // what stands below: see Over
	catalog      *Catalog  // made already: see Sealed
}

// shelf has what is registered of one kind.
type shelf[I, F any] struct {
	items []I          // in the order of their registration
	funcs map[string]F // by key; nil if the kind is not offered
}

// Caller sends messages within one call, for a function of Handlers. A driver implements it for the
// Jobs that it runs, Handlers.Handle has one of its own. After the call has ended its verbs return
// lifecycle.ErrGone.
type Caller interface {
	// Call returns the handle of the call.
	Call() Call
	// State returns the current session, for reading: the client, its capabilities, the revision.
	// After the call has ended it may be the zero State.
	State() State
	// Progress reports progress of the call, as State.Progress does.
	Progress(p protocol.ProgressParams) error
	// Notify sends a notification within the call, as State.Notify does.
	Notify(n protocol.Params) error
	// Request sends a request to the client within the call (sampling, elicitation, roots, ping)
	// and waits for its result; opt.Within is set for you. The error is from State.Request, from
	// Event.Failure of the request, or from ctx; in the last case the request is cancelled.
	Request(ctx context.Context, p protocol.Params, opt RequestOptions) (jsonrpc.Raw, error)
}

// kind is one kind of things that Handlers have.
type kind[I, F any] struct {
	of      func(*Handlers) *shelf[I, F]
	key     func(I) string // the name or uri
	unbound func(F) bool   // there is no function
}

// The kinds.
var (
	toolKind = kind[protocol.Tool, ToolFunc]{
		func(h *Handlers) *shelf[protocol.Tool, ToolFunc] { return &h.tools },
		func(t protocol.Tool) string { return t.Name }, func(f ToolFunc) bool { return f == nil },
	}
	resourceKind = kind[protocol.Resource, ReadFunc]{
		func(h *Handlers) *shelf[protocol.Resource, ReadFunc] { return &h.resources },
		func(r protocol.Resource) string { return r.URI }, func(f ReadFunc) bool { return f == nil },
	}
	templateKind = kind[protocol.ResourceTemplate, TemplateFunc]{
		func(h *Handlers) *shelf[protocol.ResourceTemplate, TemplateFunc] { return &h.templates },
		func(t protocol.ResourceTemplate) string { return t.URITemplate }, func(f TemplateFunc) bool { return f == nil },
	}
	promptKind = kind[protocol.Prompt, PromptFunc]{
		func(h *Handlers) *shelf[protocol.Prompt, PromptFunc] { return &h.prompts },
		func(p protocol.Prompt) string { return p.Name }, func(f PromptFunc) bool { return f == nil },
	}
)

// offer makes h offer the kind, of which it may have nothing.
func (k kind[I, F]) offer(h *Handlers) {
	if s := k.of(h); s.funcs == nil {
		s.items, s.funcs = []I{}, map[string]F{}
	}
}

// put registers one with h.
func (k kind[I, F]) put(h *Handlers, it I, f F) {
	k.offer(h)
	h.catalog = nil
	s := k.of(h)
	s.items = append(s.items, it)
	s.funcs[k.key(it)] = f
}

// find looks a key up in the layers of h, from the top. What is registered without a function
// hides what stands below.
func (k kind[I, F]) find(h *Handlers, key string) (f F, ok bool) {
	if f, ok = k.of(h).funcs[key]; ok || h.upper == nil {
		return f, ok
	}
	if f, ok = k.find(h.upper, key); ok {
		return f, ok
	}
	return k.find(h.under, key)
}

// all returns the items of all layers, the upper ones first, without those whose keys an upper one
// has. It is nil if none offers the kind.
func (k kind[I, F]) all(h *Handlers) []I {
	list := k.of(h).items
	if h.upper == nil {
		return list
	}
	list = slices.Clone(list)
	has := map[string]bool{}
	for _, it := range list {
		has[k.key(it)] = true
	}
	for _, layer := range [...]*Handlers{h.upper, h.under} {
		items := k.all(layer)
		if list == nil && items != nil {
			list = make([]I, 0, len(items))
		}
		for _, it := range items {
			if key := k.key(it); !has[key] {
				has[key] = true
				list = append(list, it)
			}
		}
	}
	return list
}

// merge registers with h, by put, what g has and h has not.
func (k kind[I, F]) merge(h, g *Handlers, put func(*Handlers, I, F)) {
	for _, it := range k.all(g) {
		if _, taken := k.of(h).funcs[k.key(it)]; !taken {
			f, _ := k.find(g, k.key(it))
			put(h, it, f)
		}
	}
}

// bare appends the keys of those without a function.
func (k kind[I, F]) bare(h *Handlers, keys []string) []string {
	for _, it := range k.all(h) {
		if f, _ := k.find(h, k.key(it)); k.unbound(f) {
			keys = append(keys, k.key(it))
		}
	}
	return keys
}

// copied returns a shelf that later registrations do not change.
func (s shelf[I, F]) copied() shelf[I, F] {
	return shelf[I, F]{slices.Clone(s.items), maps.Clone(s.funcs)}
}
