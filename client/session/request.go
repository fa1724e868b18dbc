package session

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// await returns a waiter for a request, with the lock held.
func (c *Client) await(req client.Req) *waiter {
	w := new(waiter)
	c.awaitBy(w, req, nil)
	return w
}

// awaitBy makes w wait for a request, with the lock held.
func (c *Client) awaitBy(w *waiter, req client.Req, onProgress func(protocol.ProgressParams)) {
	*w = waiter{waits.NewWaiter[client.Event](waits.Reporter(onProgress)), req}
	c.waiting[req] = w
}

// Request sends a request and returns its result. If ctx ends first, the request is cancelled. Request waits
// while a new session is opened, and while QueueBytes is reached. Errors name the method and its subject, and
// wrap the server's *jsonrpc.Error, the *lifecycle.Cause why no answer came, those of client.State.Request,
// the cause of ctx, or lifecycle.ErrClosed.
//
// A request in flight when the server lost the session fails with a Cause that wraps
// links.ErrSessionGone. If the Transport reports that it did not begin, such as after a 404,
// Request repeats it once in the next session. For any error, lifecycle.DeliveryOf returns how
// far the request got.
func (c *Client) Request(ctx context.Context, p protocol.Params, opt RequestOptions) (jsonrpc.Raw, error) {
	sent, body, err := c.try(ctx, p, opt)
	if errors.Is(err, links.ErrSessionGone) && lifecycle.DeliveryOf(err).Repeatable() {
		sent, body, err = c.try(ctx, p, opt)
	}
	if err == nil || sent == nil || c.opt.Visit == nil {
		return body, err
	}
	var e *jsonrpc.Error // on the heap, for errors.As
	if !errors.As(err, &e) || e.Code != protocol.CodeURLElicitationRequired {
		return body, err
	}
	if again := c.visit(ctx, sent.Req(), e); again != nil {
		return "", errors.Join(e, again) // e says that the server answered
	}
	_, body, err = c.try(ctx, p, opt)
	return body, err
}

// try makes a request once. sent is nil if the request was not sent.
func (c *Client) try(ctx context.Context, p protocol.Params, opt RequestOptions) (sent *Pending, body jsonrpc.Raw, err error) {
	if sent, err = c.Send(ctx, p, opt); err == nil {
		body, err = sent.Wait(ctx)
	}
	return sent, body, err
}

// Pending is a request in flight.
type Pending struct {
	c      *Client
	w      waiter
	method string
	name   string // of the item that it concerns
}

// Send sends a request and returns without waiting for its result. Use it for the handle, as
// RequestOptions.Replaces needs it, or to keep several requests in order. Wait calls OnProgress; Visit is
// not called. Errors: those of Request that occur before the answer.
func (c *Client) Send(ctx context.Context, p protocol.Params, opt RequestOptions) (*Pending, error) {
	sent := &Pending{c: c, method: protocol.MethodName(p), name: nameOf(p)}
	opt.Progress = opt.Progress || opt.OnProgress != nil
	err := c.do(ctx, func(now time.Time) (s client.State, out client.Output, err error) {
		if s, out, err = c.s.Request(now, p, opt.RequestOptions); err == nil {
			c.awaitBy(&sent.w, out.Req, opt.OnProgress)
		}
		return s, out, err
	})
	if err != nil {
		return nil, failed(sent.method, sent.name, err)
	}
	return sent, nil
}

// Req returns the handle of the request.
func (s *Pending) Req() client.Req { return s.w.req }

// Wait waits for the result. If ctx ends first, the request is cancelled. Call it at most
// once. Errors: those of Request.
func (s *Pending) Wait(ctx context.Context) (jsonrpc.Raw, error) {
	ev, err := s.c.ended(ctx, &s.w)
	if err != nil {
		return "", failed(s.method, s.name, err)
	}
	return ev.Body, nil
}

// ended waits for the end of a request. If ctx ends first, the request is cancelled.
func (c *Client) ended(ctx context.Context, w *waiter) (client.Event, error) {
	ev, over := w.Wait(ctx, &c.mu)
	if over {
		return ev, ev.Failure()
	}
	defer c.mu.Unlock()
	s, out, _ := c.s.Cancel(time.Now(), w.req, "") // of a handshake Open ends the session
	c.step(s, out)
	return client.Event{}, context.Cause(ctx)
}

// visit calls Options.Visit with the pages that a request needs, and returns nil when the
// request can be repeated.
func (c *Client) visit(ctx context.Context, req client.Req, e *jsonrpc.Error) error {
	defer func() {
		c.mu.Lock()
		c.retries = c.retries.Drop(req)
		c.mu.Unlock()
	}()
	pages, err := protocol.URLElicitations(*e)
	if err != nil {
		return err
	}
	if err = c.opt.Visit(ctx, c, pages); err != nil {
		return err
	}
	wait, end := context.WithTimeout(ctx, c.opt.VisitWait)
	defer end()
	err = c.mu.Until(wait, func() bool { return len(c.retries.Waiting(req)) == 0 })
	c.mu.Unlock()
	if err != nil && wait.Err() != nil && ctx.Err() == nil {
		return nil // not all servers report that a page is completed
	}
	return err
}

// Do is Request with the result decoded:
//
//	r, err := session.Do[protocol.ReadResourceResult](ctx, c, protocol.ReadResourceParams{URI: uri})
func Do[R any, P interface {
	*R
	DecodeJSON(protocol.Raw, jsonrpc.Span) error
}](ctx context.Context, c *Client, p protocol.Params) (R, error) {
	body, err := c.Request(ctx, p, RequestOptions{})
	if err != nil {
		var none R
		return none, err
	}
	return protocol.Decode[R, P](body)
}

// SetRoots replaces the roots of Config, and tells the server if Config declares that.
// Errors: those of client.State.SetRoots, the cause of ctx, lifecycle.ErrClosed.
func (c *Client) SetRoots(ctx context.Context, roots []protocol.Root) error {
	return c.do(ctx, func(now time.Time) (client.State, client.Output, error) { return c.s.SetRoots(now, roots) })
}

// Notify sends a notification that belongs to the server's call within, or to none if
// within is the zero Call. Errors: those of client.State.Notify, the cause of ctx,
// lifecycle.ErrClosed.
func (c *Client) Notify(ctx context.Context, n protocol.Params, within client.Call) error {
	return c.do(ctx, func(now time.Time) (client.State, client.Output, error) { return c.s.Notify(now, n, within) })
}

// Progress reports progress of a call from the server. Errors: those of
// client.State.Progress, the cause of ctx, lifecycle.ErrClosed.
func (c *Client) Progress(ctx context.Context, call client.Call, p protocol.ProgressParams) error {
	return c.do(ctx, func(now time.Time) (client.State, client.Output, error) { return c.s.Progress(now, call, p) })
}
