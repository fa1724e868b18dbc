package stdio

import (
	"context"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Caller is the way back of a call: the server.Caller that functions are given.
type Caller struct {
	d    *Host
	call server.Call
}

// Call returns the handle of the call.
func (c Caller) Call() server.Call { return c.call }

// State returns the session as it is at the moment; after its end, as it was then.
func (c Caller) State() (s server.State) {
	err := c.d.post(func(time.Time) (server.Output, error) {
		s = c.d.s
		return server.Output{}, nil
	})
	if err != nil {
		s = c.d.s // nobody changes it any more
	}
	return s
}

// Progress reports progress of the call; lifecycle.ErrGone tells that it has ended.
func (c Caller) Progress(p protocol.ProgressParams) error {
	return c.d.post(func(now time.Time) (out server.Output, err error) {
		c.d.s, out, err = c.d.s.Progress(now, c.call, p)
		return out, err
	})
}

// Notify sends a notification within the call.
func (c Caller) Notify(n protocol.Params) error { return c.d.Notify(c.call, n) }

// Request sends a request within the call and waits for its result.
func (c Caller) Request(ctx context.Context, p protocol.Params, opt server.RequestOptions) (jsonrpc.Raw, error) {
	opt.Within = c.call
	return c.d.Request(ctx, p, opt)
}

// Notify sends a notification within a call, or with the zero Call outside of any.
func (d *Host) Notify(call server.Call, n protocol.Params) error {
	return d.post(func(now time.Time) (out server.Output, err error) {
		d.s, out, err = d.s.Notify(now, n, call)
		return out, err
	})
}

// Request sends a request and waits for its result. If ctx ends first, the request is
// cancelled. The error is that of State.Request, the Event.Failure of the request, or the
// cause of ctx.
func (d *Host) Request(ctx context.Context, p protocol.Params, opt server.RequestOptions) (jsonrpc.Raw, error) {
	answer := make(chan server.Event, 1)
	var req server.Req
	err := d.post(func(now time.Time) (out server.Output, err error) {
		d.s, out, err = d.s.Request(now, p, opt)
		if err == nil {
			req = out.Req
			d.wait[req] = answer
		}
		return out, err
	})
	if err != nil {
		return "", err
	}
	select {
	case ev := <-answer:
		return ev.Body, ev.Failure()
	case <-ctx.Done():
		_ = d.post(func(now time.Time) (out server.Output, err error) { // ErrGone: it has just ended
			d.s, out, err = d.s.Cancel(now, req, "")
			return out, err
		})
		return "", context.Cause(ctx)
	case <-d.done:
		return "", lifecycle.ErrGone
	}
}

type rootsAnswer struct {
	list []protocol.Root
	err  error
}

// Roots returns the roots of the client. It is asked once, and again when it has
// announced a change; not within a call, since several may wait for the answer.
func (d *Host) Roots(ctx context.Context) ([]protocol.Root, error) {
	answer := make(chan rootsAnswer, 1)
	err := d.post(func(now time.Time) (out server.Output, err error) {
		if d.roots, d.s, out, err = d.roots.Want(d.s, now, server.RequestOptions{}); err != nil {
			return out, err
		}
		if list, fresh := d.roots.List(); fresh {
			answer <- rootsAnswer{list: list}
		} else {
			d.waiting = append(d.waiting, answer)
		}
		return out, nil
	})
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answer:
		return a.list, a.err
	case <-ctx.Done():
		_ = d.post(func(time.Time) (server.Output, error) { // the answer serves those who ask next
			d.waiting = slices.DeleteFunc(d.waiting, func(c chan<- rootsAnswer) bool { return c == answer })
			return server.Output{}, nil
		})
		return nil, context.Cause(ctx)
	case <-d.done:
		return nil, lifecycle.ErrGone
	}
}

// rootsRead hands the roots to those who wait for them.
func (d *Host) rootsRead(ev server.Event) {
	list, _ := d.roots.List()
	for _, c := range d.waiting {
		c <- rootsAnswer{list, ev.Failure()}
	}
	d.waiting = nil
}
