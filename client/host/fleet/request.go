package fleet

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// RequestOptions are the settings of one request. The zero value is good for most.
type RequestOptions struct {
	manager.RequestOptions
	// OnProgress is called with the progress of the request, on the goroutine that waits for
	// it, in order. It implies Progress. If it is slower than the server, older progress is
	// left out.
	OnProgress func(protocol.ProgressParams)
}

// Sent is a request that is on its way.
type Sent struct {
	f      *Fleet
	w      *waiter
	report func(protocol.ProgressParams)
}

// Op returns the handle of the request, for RequestOptions.Replaces.
func (s *Sent) Op() manager.Op { return s.w.op }

// Wait waits for the result. If ctx ends first, the request is cancelled, and is not to be
// waited for any more. It is for one goroutine. Errors: those of Request.
func (s *Sent) Wait(ctx context.Context) (jsonrpc.Raw, error) {
	ev, err := s.f.wait(ctx, s.w, s.report)
	if err != nil {
		return "", err
	}
	return ev.Session.Body, nil
}

// Send sends a request and returns before its result is there. It waits while too much is
// queued for the server. Errors: those of manager.Manager.Request, the cause of ctx, ErrClosed.
func (f *Fleet) Send(ctx context.Context, server string, p protocol.Params, opt RequestOptions) (*Sent, error) {
	return f.send(ctx, server, opt, func(now time.Time, opt manager.RequestOptions) (manager.Manager, manager.Effects, error) {
		return f.m.Request(now, server, p, opt)
	})
}

func (f *Fleet) send(ctx context.Context, server string, opt RequestOptions, v func(time.Time, manager.RequestOptions) (manager.Manager, manager.Effects, error)) (*Sent, error) {
	opt.Progress = opt.Progress || opt.OnProgress != nil
	w := &waiter{wants: opt.OnProgress != nil}
	err := f.begin(ctx, server, w, func(now time.Time) (manager.Manager, manager.Effects, error) {
		return v(now, opt.RequestOptions)
	})
	if err != nil {
		return nil, err
	}
	return &Sent{f: f, w: w, report: opt.OnProgress}, nil
}

// Request sends a request and returns its result as the server wrote it. If ctx ends first,
// the request is cancelled. A server that is not ready is not waited for; see Ready. Errors: a
// *manager.Error that wraps the *jsonrpc.Error of the server or the *lifecycle.Cause for which
// no answer came, the cause of ctx, ErrClosed.
func (f *Fleet) Request(ctx context.Context, server string, p protocol.Params, opt RequestOptions) (jsonrpc.Raw, error) {
	sent, err := f.Send(ctx, server, p, opt)
	if err != nil {
		return "", err
	}
	return sent.Wait(ctx)
}

// Do is Request with the result decoded:
//
//	r, err := fleet.Do[protocol.ReadResourceResult](ctx, f, "files", protocol.ReadResourceParams{URI: uri})
func Do[R any, P interface {
	*R
	DecodeJSON(protocol.Raw, jsonrpc.Span) error
}](ctx context.Context, f *Fleet, server string, p protocol.Params) (R, error) {
	body, err := f.Request(ctx, server, p, RequestOptions{})
	if err != nil {
		var none R
		return none, err
	}
	return protocol.Decode[R, P](body)
}

// CallTool calls a tool of a server. Arguments that are null are none (row B11). A result with
// IsError is no error (row B10). Errors: those of Request.
func (f *Fleet) CallTool(ctx context.Context, server string, p protocol.CallToolParams, opt RequestOptions) (protocol.CallToolResult, error) {
	if p.Arguments == "null" {
		p.Arguments = ""
	}
	body, err := f.Request(ctx, server, p, opt)
	if err != nil {
		return protocol.CallToolResult{}, err
	}
	return protocol.Decode[protocol.CallToolResult](body)
}

// List reads all pages of a list of a server ("tools/list", "resources/list",
// "resources/templates/list", "prompts/list"), within a Budget. It returns the items as the
// server wrote them; beside an error, those of the pages that were read. Errors: those of
// manager.Manager.List and of Request.
func (f *Fleet) List(ctx context.Context, server, method string, budget manager.Budget) ([]jsonrpc.Raw, error) {
	ev, err := f.run(ctx, server, func(now time.Time) (manager.Manager, manager.Effects, error) {
		return f.m.List(now, server, method, budget)
	})
	return ev.Items, err
}

// Tools returns the tools of a server: List of "tools/list", decoded. A tool that cannot be
// read is an error, beside those that can.
func (f *Fleet) Tools(ctx context.Context, server string) ([]protocol.Tool, error) {
	items, err := f.List(ctx, server, protocol.ListToolsParams{}.Method(), manager.Budget{})
	tools := make([]protocol.Tool, 0, len(items))
	for _, item := range items {
		t, bad := protocol.Decode[protocol.Tool](item)
		if bad == nil {
			tools = append(tools, t)
		} else if err == nil {
			err = bad
		}
	}
	return tools, err
}

// Ping pings a server and returns how long the answer took. Errors: those of Request.
func (f *Fleet) Ping(ctx context.Context, server string) (time.Duration, error) {
	ev, err := f.run(ctx, server, func(now time.Time) (manager.Manager, manager.Effects, error) {
		return f.m.Ping(now, server)
	})
	return ev.Latency, err
}

// Subscribe asks a server for news of a resource, which come as events. With
// manager.Options.Resubscribe they go on after the connection was lost. Errors: those of
// Request.
func (f *Fleet) Subscribe(ctx context.Context, server, uri string, opt RequestOptions) error {
	return f.ask(ctx, server, opt, func(now time.Time, opt manager.RequestOptions) (manager.Manager, manager.Effects, error) {
		return f.m.Subscribe(now, server, uri, opt)
	})
}

// Unsubscribe ends that. Errors: those of Request.
func (f *Fleet) Unsubscribe(ctx context.Context, server, uri string, opt RequestOptions) error {
	return f.ask(ctx, server, opt, func(now time.Time, opt manager.RequestOptions) (manager.Manager, manager.Effects, error) {
		return f.m.Unsubscribe(now, server, uri, opt)
	})
}

// SetLevel sets the least level of log messages of a server. Errors: those of Request.
func (f *Fleet) SetLevel(ctx context.Context, server string, level protocol.LoggingLevel, opt RequestOptions) error {
	return f.ask(ctx, server, opt, func(now time.Time, opt manager.RequestOptions) (manager.Manager, manager.Effects, error) {
		return f.m.SetLevel(now, server, level, opt)
	})
}

// ask makes a request whose result says nothing.
func (f *Fleet) ask(ctx context.Context, server string, opt RequestOptions, v func(time.Time, manager.RequestOptions) (manager.Manager, manager.Effects, error)) error {
	sent, err := f.send(ctx, server, opt, v)
	if err == nil {
		_, err = sent.Wait(ctx)
	}
	return err
}

// SetRoots replaces the roots of a server's session, and tells the server if the client.Config
// says so. Errors: those of manager.Manager.SetRoots, the cause of ctx, ErrClosed.
func (f *Fleet) SetRoots(ctx context.Context, server string, roots []protocol.Root) error {
	return f.tellServer(ctx, server, func(now time.Time) (manager.Manager, manager.Effects, error) {
		return f.m.SetRoots(now, server, roots)
	})
}

// RootsChanged tells a server that the roots have changed, where Serve answers roots/list.
// Errors: those of manager.Manager.RootsChanged, the cause of ctx, ErrClosed.
func (f *Fleet) RootsChanged(ctx context.Context, server string) error {
	return f.tellServer(ctx, server, func(now time.Time) (manager.Manager, manager.Effects, error) {
		return f.m.RootsChanged(now, server)
	})
}

// Notify sends a notification to a server, within a call of that or, with the zero Call,
// outside of any. Errors: those of manager.Manager.Notify, the cause of ctx, ErrClosed.
func (f *Fleet) Notify(ctx context.Context, server string, n protocol.Params, within manager.Call) error {
	return f.tellServer(ctx, server, func(now time.Time) (manager.Manager, manager.Effects, error) {
		return f.m.Notify(now, server, n, within)
	})
}

// Progress reports progress of a call of a server. Errors: those of manager.Manager.Progress,
// the cause of ctx, ErrClosed.
func (f *Fleet) Progress(ctx context.Context, call manager.Call, p protocol.ProgressParams) error {
	return f.tellServer(ctx, call.Link.Server, func(now time.Time) (manager.Manager, manager.Effects, error) {
		return f.m.Progress(now, call, p)
	})
}

// tellServer makes a step that is over with itself.
func (f *Fleet) tellServer(ctx context.Context, server string, v verb) error {
	err := f.when(ctx, func() bool { return !f.full(server) })
	defer f.mu.Unlock()
	if err != nil {
		return err
	}
	return f.do(v)
}
