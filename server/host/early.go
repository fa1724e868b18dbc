package host

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// StartEarly takes a place for a function that server.Handlers.Early found, with ctx as for Start; Early.Run runs it.
// It returns nil if the call would have to wait for a place, or would be refused.
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
	c.w.count(&e.job)
	c.w.ran(c, 1)
	e.promised = c.w.promise()
	return e
}

// Run runs the function. It is called once, and without the locks of the session: a goroutine that another processor
// runs would wait for them at once.
func (e *Early) Run() { e.c.w.send(&e.job, e.promised) }

// Entered reports that the State has accepted the request, as call, in the turn that did so. The zero Call means that
// it has not: then the answer is not needed.
func (c *Calls) Entered(e *Early, call server.Call) {
	if call.IsZero() {
		e.end(lifecycle.ErrGone)
		return
	}
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

// Receive accepts the request together with its answer, as server.State.Answered does, and counts the
// function as returned. Entry.Answer calls it in its turn.
func (e *Early) Receive(s server.State, now time.Time) (server.State, server.Output) {
	e.c.returned(&e.job) // before the client can know: its next call finds the room
	s, out, over := s.Answered(now, e.m, e.Job, e.a)
	e.call = out.Opened // for goroutines that the function has left running: the call is over
	e.misfit(&out, over)
	return s, out
}

// enter makes sure that the State has the call, before the function uses its Caller. It returns
// lifecycle.ErrGone if the State has refused the call, because the zero Call would mean none.
func (j *job) enter() error {
	if j.early == nil {
		return nil
	}
	if j.early.entry.Enter(); j.call.IsZero() {
		return lifecycle.ErrGone
	}
	return nil
}
