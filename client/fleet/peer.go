package fleet

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Peer is one server of a Fleet, over all its links. Its methods first open a server on demand. They fail if
// the server is not ready, or unknown.
type Peer struct {
	f    *Fleet
	name string
}

// Server returns the Peer of the named server; "" is no server, as for Health.
func (f *Fleet) Server(name string) Peer { return Peer{f, name} }

// RequestOptions are the settings of one request. The zero value suits most.
type RequestOptions struct {
	manager.RequestOptions
	// OnProgress is called with the progress of the request, on the goroutine that waits for
	// it, in order. It implies Progress. If it is slower than the server, older progress is
	// dropped.
	OnProgress func(protocol.ProgressParams)
}

// Request sends a request and returns its result as the server wrote it. If ctx ends first,
// the request is cancelled. Request waits while the server's queue is full. Errors: a
// *manager.Error that wraps the server's *jsonrpc.Error or the *lifecycle.Cause why no answer
// came, those of manager.Manager.Request, the cause of ctx, lifecycle.ErrClosed.
func (p Peer) Request(ctx context.Context, params protocol.Params, opt RequestOptions) (jsonrpc.Raw, error) {
	opt.Progress = opt.Progress || opt.OnProgress != nil
	ev, err := p.f.run(ctx, newWaiter(waits.Reporter(opt.OnProgress)), p.name, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.Request(now, p.name, params, opt.RequestOptions)
	})
	if err != nil {
		return "", err
	}
	return ev.Session.Body, nil
}

// Do is Peer.Request with the result decoded:
//
//	r, err := fleet.Do[protocol.ReadResourceResult](ctx, f.Server("files"), protocol.ReadResourceParams{URI: uri}, fleet.RequestOptions{})
func Do[R any, P interface {
	*R
	DecodeJSON(protocol.Raw, jsonrpc.Span) error
}](ctx context.Context, p Peer, params protocol.Params, opt RequestOptions) (R, error) {
	body, err := p.Request(ctx, params, opt)
	if err != nil {
		var none R
		return none, err
	}
	return protocol.Decode[R, P](body)
}

// List reads all pages of a list ("tools/list", "resources/list", "resources/templates/list",
// "prompts/list"), within a Budget. It returns the items as the server wrote them; with an error,
// those of the pages read so far. Errors: those of manager.Manager.List and of Request.
func (p Peer) List(ctx context.Context, method string, budget manager.Budget) ([]jsonrpc.Raw, error) {
	ev, err := p.Manage(ctx, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.List(now, p.name, method, budget)
	})
	return ev.Items, err
}

// Manage runs a step of the Manager by one of its verbs, and waits until the operation that it
// begins, if any, has ended:
//
//	files := f.Server("files")
//	_, err := files.Manage(ctx, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
//		return m.SetRoots(now, "files", roots)
//	})
//
// If ctx ends first, the operation is cancelled, or continues if it cannot be. Manage waits while the
// server's queue is full. verb must not use the Fleet, whose lock is held. Connect servers by Set: tools
// of a server that a verb connects have no names. Errors: those of the verb and of the returned OpDone,
// the cause of ctx, lifecycle.ErrClosed.
func (p Peer) Manage(ctx context.Context, verb func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error)) (manager.Event, error) {
	return p.f.run(ctx, newWaiter(nil), p.name, verb)
}

// Health checks each server (row A13): it pings a ready server, and waits for or opens one
// that is not. The reports are in connection order. Errors: the cause of ctx,
// lifecycle.ErrClosed; problems of a server are in its report.
func (f *Fleet) Health(ctx context.Context) ([]manager.Checkup, error) {
	ev, err := f.Server("").Manage(ctx, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return infallible(m.HealthCheck(now))
	})
	return ev.Checkups, err
}
