package host

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The answers to calls that no function answers.
var (
	tooBusy  = protocol.InternalError("too busy")
	noAnswer = protocol.InternalError("internal error")
	nobody   = protocol.InternalError("nobody answers this request")
)

// serve has a call answered, with the lock held.
func (c *Client) serve(ev client.Event) {
	n := len(ev.Body)
	if c.opt.Serve == nil || c.running >= c.opt.MaxServing || c.running > 0 && c.held+n > c.opt.MaxServingBytes {
		e := nobody
		if c.opt.Serve != nil {
			e = tooBusy
		}
		var out client.Output
		c.s, out, _ = c.s.Fail(time.Now(), ev.Call, e)
		c.step(out)
		return
	}
	ctx, end := context.WithCancelCause(c.ctx)
	c.serving[ev.Call] = end
	c.running++
	c.held += n
	c.apps.Add(1)
	go c.answer(ctx, kept(ev))
}

// answer runs the function for a call, and sends what it returns.
func (c *Client) answer(ctx context.Context, ev client.Event) {
	defer c.apps.Done()
	a := client.Answer{Call: ev.Call}
	var err error
	if a.Result, err = c.opt.Serve(ctx, c, ev); err != nil || a.Result == nil {
		a.Result, a.Err = nil, refusal(err)
	}
	c.mu.Lock()
	c.running--
	c.held -= len(ev.Body)
	c.mu.Unlock()
	err = c.do(ctx, func(now time.Time) (client.State, client.Output, error) { return c.s.Finish(now, a) })
	if errors.Is(err, lifecycle.ErrParams) || errors.Is(err, lifecycle.ErrRevision) {
		c.mu.Lock()
		c.event(client.Event{
			Kind: lifecycle.LocalViolation, Call: ev.Call, ID: ev.ID, Method: ev.Method, Revision: ev.Revision,
			Cause: &client.Cause{Kind: lifecycle.CauseAborted, Err: err},
		})
		c.mu.Unlock()
	}
}

// refusal returns the JSON-RPC error that goes out for an error of a function.
func refusal(err error) *jsonrpc.Error {
	var pointer *jsonrpc.Error
	if errors.As(err, &pointer) && pointer != nil {
		return pointer
	}
	var value jsonrpc.Error
	if errors.As(err, &value) {
		return &value
	}
	e := noAnswer
	return &e
}

// callEnded ends the context of the function of a call, with the lock held.
func (c *Client) callEnded(call client.Call, cause error) {
	if end := c.serving[call]; end != nil {
		delete(c.serving, call)
		end(cause)
	}
}
