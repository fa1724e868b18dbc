package host

import (
	"context"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// Init makes c the Calls of a session, which belongs to the named owner (Options.Owner); "" for
// none. They need no Close before the first Start or Request.
func (w *Work) Init(c *Calls, t Turner, owner string) { *c = Calls{w: w, t: t, name: owner} }

// Start runs the function of h that answers the request of a lifecycle.RequestReceived event, on
// its own goroutine, as soon as a slot is free. Its context has the values of ctx and ends with its
// call, with the same cause. Its Answer is passed to State.Finish in a turn; until then it counts
// as running.
//
// If no function answers it, or the limits are reached, Start returns the error for State.Fail.
func (c *Calls) Start(ctx context.Context, h *server.Handlers, ev server.Event) *jsonrpc.Error {
	var found server.Job
	ok := h != nil
	if ok {
		found, ok = h.Job(ev)
	}
	if !ok {
		e := server.UnhandledError(ev)
		return &e
	}
	j := &job{Job: found, c: c, call: ev.Call, bytes: len(ev.Body), body: ev.Body}
	j.begin(ctx) // before the lock that all sessions share
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	switch {
	case c.brief[ev.Call.Seq()]:
		return nil
	case c.closed != nil:
		e := tooBusy
		return &e
	}
	if c.w.hold(c); !c.w.room(c, j.bytes) {
		c.w.release(c)
		c.w.pressed()
		e := tooBusy
		return &e
	}
	c.opened(j)
	c.w.add(j)
	c.w.start()
	return nil
}

// begin makes the context of a call.
func (j *job) begin(ctx context.Context) {
	if ctx.Done() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	j.ctx, j.end = context.WithCancelCause(ctx)
}

// opened enters a call that the State has.
func (c *Calls) opened(j *job) {
	if c.open == nil {
		c.open = map[uint64]*job{}
	}
	c.open[j.call.Seq()] = j
}

// Handle handles the Output of a turn. It ends the contexts of ended calls, drops those that had not
// begun, and delivers the events of ended requests to the waiting functions. It returns the events of
// requests for which no function waits here.
func (c *Calls) Handle(out server.Output) (unclaimed []server.Event) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	clear(c.brief)
	for _, ev := range out.Events {
		switch ev.Kind {
		case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
			cause := lifecycle.ErrGone
			if ev.Cause != nil {
				cause = ev.Cause
			}
			c.endOne(ev.Call.Seq(), cause)
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			if !c.give(ev) {
				unclaimed = append(unclaimed, ev)
			}
		}
	}
	for call := range out.EndedCalls() {
		c.endOne(call.Seq(), lifecycle.ErrGone) // answered
	}
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.RequestReceived {
			c.noteBrief(out, ev.Call)
		}
	}
	return unclaimed
}

// noteBrief remembers a call that ends in the Output that opens it, as one that its own batch
// cancels: Start does not run it.
func (c *Calls) noteBrief(out server.Output, call server.Call) {
	for ended := range out.EndedCalls() {
		if ended == call {
			if c.brief == nil {
				c.brief = map[uint64]bool{}
			}
			c.brief[call.Seq()] = true
			return
		}
	}
}

// Deliver delivers the event of a request that ended in a turn of another process to the function that
// waits for it here; false if none does. It is called between turns.
func (c *Calls) Deliver(ev server.Event) bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.give(ev)
}

// Reconcile ends calls and requests that are no longer open in s, the newest State: those that
// ended in turns of other processes. It is called between turns, after Deliver for what those turns
// brought.
func (c *Calls) Reconcile(s server.State) {
	calls, reqs := map[uint64]bool{}, map[uint64]bool{}
	for info := range s.Inbound() {
		calls[info.Call.Seq()] = true
	}
	for info := range s.Outbound() {
		reqs[info.Req.Seq()] = true
	}
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	for seq := range c.open {
		if !calls[seq] {
			c.endOne(seq, lifecycle.ErrGone)
		}
	}
	for seq := range c.waits {
		if !reqs[seq] {
			c.giveOne(seq, closedEvent(lifecycle.ErrGone))
		}
	}
}

// closedEvent is the end of a request of which nothing else is known.
func closedEvent(cause error) server.Event {
	return server.Event{Kind: lifecycle.RequestFailed, Cause: &lifecycle.Cause{Kind: lifecycle.CauseLost, Err: cause}}
}

// Idle reports whether there are no running calls and no waiting requests: then a Calls may be
// dropped, and made again when needed.
func (c *Calls) Idle() bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.held == 0 && len(c.waits) == 0
}

// Close ends everything: the contexts of all calls end with the cause, waiting calls never run, and
// requests fail with it. Functions that ignore their context run on; their answers are passed to a
// turn. cause must not be nil.
func (c *Calls) Close(cause error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	c.closed = cause
	for seq := range c.open {
		c.endOne(seq, cause)
	}
	for seq := range c.waits {
		c.giveOne(seq, closedEvent(cause))
	}
}

// stop ends the context of a call with a cause, and no more: its function may still answer.
func (c *Calls) stop(call server.Call, cause error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if j := c.open[call.Seq()]; j != nil {
		j.end(cause)
	}
}

// give hands the end of a request to whoever waits for it.
func (c *Calls) give(ev server.Event) bool { return c.giveOne(ev.Req.Seq(), ev) }

func (c *Calls) giveOne(seq uint64, ev server.Event) bool {
	answer := c.waits[seq]
	if answer == nil {
		return false
	}
	delete(c.waits, seq)
	answer <- ev // it has room for one
	return true
}

// Runs reports whether the call with this number has a function here and has not ended in any reported turn.
func (c *Calls) Runs(seq uint64) bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.open[seq] != nil
}

// Awaits reports whether a function here waits for the request with this number. It may be called
// within a turn for the requests that end in it: without a waiting function, their events may be
// for another process.
func (c *Calls) Awaits(seq uint64) bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.waits[seq] != nil
}
