package host

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// StartEarly runs a function that server.Handlers.Early found, with ctx as Start does. It returns nil
// if the call would have to wait for a slot, or is over a limit.
func (c *Calls) StartEarly(ctx context.Context, found server.Job, m jsonrpc.Message, entry Entry) *Early {
	e := &Early{job: job{Job: found, c: c, bytes: len(m.Body), body: m.Body}, m: m, entry: entry}
	e.early = e
	e.begin(ctx) // before the lock that all sessions share
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if c.closed != nil {
		return nil
	}
	c.w.hold(c)
	if !c.w.room(c, e.bytes) || c.queue.Len() > 0 || !c.w.place(c) {
		c.w.release(c)
		return nil
	}
	c.w.add(&e.job)
	return e
}

// Entered says that the State has received the request, as call. It is called in that turn.
func (c *Calls) Entered(e *Early, call server.Call) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	e.call = call
	switch {
	case e.over: // its answer is on its way
	case c.closed != nil:
		e.end(c.closed)
	default:
		c.opened(&e.job)
	}
}

// Refused says that the State has refused the request: its answer is dropped.
func (c *Calls) Refused(e *Early) { e.end(lifecycle.ErrGone) }

// Receive handles the request together with its answer, as server.State.Answered does, and counts the
// function as returned. Entry.Answer calls it in its turn.
func (e *Early) Receive(s server.State, now time.Time) (server.State, server.Output) {
	e.c.returned(&e.job) // before the client can know: its next call finds the room
	s, out, over := s.Answered(now, e.m, e.a)
	e.call = out.Opened // for goroutines that the function has left behind: of a call that is over
	e.misfit(&out, over)
	return s, out
}

// enter sees to it that the State has the call, before the function does anything by its Caller. It returns
// lifecycle.ErrGone if the State has refused it: the zero Call would stand for none.
func (j *job) enter() error {
	if j.early == nil {
		return nil
	}
	if j.early.entry.Enter(); j.call.IsZero() {
		return lifecycle.ErrGone
	}
	return nil
}
