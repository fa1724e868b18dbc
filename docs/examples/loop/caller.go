package main

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// caller is what a function may say within its call: the server.Caller of this driver.
//
//sansmcp:code max=62
type caller struct {
	d    *driver
	call server.Call
}

// run answers a call.
func (d *driver) run(ctx context.Context, j server.Job) {
	a := j.Run(ctx, caller{d, j.Call})
	_ = d.try(func(s server.State, now time.Time) (server.State, server.Output, error) { return s.Finish(now, a) })
}

// try is a turn with a verb that may fail.
func (d *driver) try(f func(s server.State, now time.Time) (server.State, server.Output, error)) (err error) {
	d.turn(func(s server.State, now time.Time) (next server.State, out server.Output) {
		next, out, err = f(s, now)
		return next, out
	})
	return err
}

func (c caller) Call() server.Call { return c.call }

func (c caller) State() server.State {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	return c.d.s
}

func (c caller) Progress(p protocol.ProgressParams) error {
	return c.d.try(func(s server.State, now time.Time) (server.State, server.Output, error) {
		return s.Progress(now, c.call, p)
	})
}

func (c caller) Notify(n protocol.Params) error {
	return c.d.try(func(s server.State, now time.Time) (server.State, server.Output, error) {
		return s.Notify(now, n, c.call)
	})
}

func (c caller) Request(ctx context.Context, p protocol.Params, opt server.RequestOptions) (jsonrpc.Raw, error) {
	opt.Within = c.call // its request is withdrawn with it, so that there is an end to wait for
	var req server.Req
	answer := make(chan server.Event, 1)
	err := c.d.try(func(s server.State, now time.Time) (server.State, server.Output, error) {
		s, out, err := s.Request(now, p, opt)
		if err == nil {
			req = out.Req
			c.d.asked[req] = answer
		}
		return s, out, err
	})
	if err != nil {
		return "", err
	}
	select {
	case ev := <-answer:
		return ev.Body, ev.Failure()
	case <-ctx.Done():
		_ = c.d.try(func(s server.State, now time.Time) (server.State, server.Output, error) {
			return s.Cancel(now, req, "")
		})
		return "", context.Cause(ctx)
	}
}

// answered passes the end of a request to the caller that waits for it.
func (d *driver) answered(ev server.Event) {
	if c := d.asked[ev.Req]; c != nil && (ev.Kind == lifecycle.ResponseReceived || ev.Kind == lifecycle.RequestFailed) {
		delete(d.asked, ev.Req)
		c <- ev
	}
}
