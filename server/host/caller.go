package host

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Call returns the handle of the call in the State that started it.
func (c *caller) Call() server.Call {
	_ = (*job)(c).enter()
	return c.call
}

// State returns the current session.
func (c *caller) State() (now server.State) {
	_ = (*job)(c).enter()
	if t, ok := c.c.t.(interface{ State() server.State }); ok {
		return t.State()
	}
	now, _ = look(c.c.t)
	return now
}

// Progress reports progress of the call; lifecycle.ErrGone means that it has ended. Progress is dropped
// if the State could not be kept: the function does not fail because of that.
func (c *caller) Progress(p protocol.ProgressParams) error {
	var refused error
	err := c.c.t.Turn(func(s server.State, now time.Time) (_ server.State, out server.Output, _ error) {
		s, out, refused = s.Progress(now, s.Call(c.call.Seq(), c.call.Key()), p)
		return s, out, refused
	})
	if refused == nil && errors.Is(err, lifecycle.ErrGone) {
		return err
	}
	return refused
}

// Notify sends a notification within the call.
func (c *caller) Notify(n protocol.Params) error {
	if err := (*job)(c).enter(); err != nil {
		return err
	}
	return c.c.Notify(c.call, n)
}

// Request sends a request within the call and waits for its result.
func (c *caller) Request(ctx context.Context, p protocol.Params, opt server.RequestOptions) (jsonrpc.Raw, error) {
	if err := (*job)(c).enter(); err != nil {
		return "", err
	}
	opt.Within = c.call
	c.c.w.park((*job)(c))
	defer c.c.w.unpark((*job)(c))
	return c.c.Request(ctx, p, opt)
}

// Notify sends a notification within a call, or with the zero Call outside of any. An update of a resource that no
// client has subscribed to is dropped without an error, also while no session has begun.
func (c *Calls) Notify(call server.Call, n protocol.Params) error {
	return c.t.Turn(func(s server.State, now time.Time) (server.State, server.Output, error) {
		next, out, err := s.Notify(now, n, remadeCall(s, call))
		// State.Notify reports that it has sent nothing, so that a Relay can announce the change later. A function
		// that runs for a request without a session has nothing to announce later, and must not fail.
		if errors.Is(err, lifecycle.ErrPhase) && s.Phase() == lifecycle.Uninitialized && protocol.MethodName(n) == protocol.MethodName(protocol.ResourceUpdatedParams{}) {
			err = nil
		}
		return next, out, err
	})
}

// Request sends a request to the client and waits for its result. If ctx ends first, the request is cancelled; if ctx
// has already ended nothing is sent. The handles in opt may be from an earlier State of the session. The error is that
// of State.Request, the Event.Failure of the request, or the cause of ctx.
func (c *Calls) Request(ctx context.Context, p protocol.Params, opt server.RequestOptions) (jsonrpc.Raw, error) {
	if ctx.Err() != nil {
		return "", lifecycle.Unsent(context.Cause(ctx))
	}
	answer := make(chan server.Event, 1)
	var seq uint64 // of the request, once it is made
	err := c.t.Turn(func(s server.State, now time.Time) (server.State, server.Output, error) {
		opt := opt
		opt.Within = remadeCall(s, opt.Within)
		if !opt.Replaces.IsZero() {
			opt.Replaces = s.Req(opt.Replaces.Seq())
		}
		s, out, err := s.Request(now, p, opt)
		c.await(seq, out.Req.Seq(), answer) // before the answer can arrive
		seq = out.Req.Seq()
		return s, out, err
	})
	if err != nil {
		c.await(seq, 0, answer)
		return "", err
	}
	select {
	case ev := <-answer:
		return ev.Body, ev.Failure()
	case <-ctx.Done():
	}
	c.await(seq, 0, answer)
	_ = c.t.Turn(func(s server.State, now time.Time) (server.State, server.Output, error) {
		return s.Cancel(now, s.Req(seq), "") // ErrGone: it has just ended
	})
	return "", context.Cause(ctx)
}

// await replaces the wait for one request by that for another; 0 is none.
func (c *Calls) await(before, seq uint64, answer chan<- server.Event) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if c.waits[before] == answer {
		delete(c.waits, before)
	}
	switch {
	case seq == 0:
		return
	case c.closed != nil:
		answer <- closedEvent(c.closed)
		return
	case c.waits == nil:
		c.waits = map[uint64]chan<- server.Event{}
	}
	c.waits[seq] = answer
}

func remadeCall(s server.State, call server.Call) server.Call {
	if call.IsZero() {
		return call
	}
	return s.Call(call.Seq(), call.Key())
}
