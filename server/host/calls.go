package host

import (
	"container/list"
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Calls are the calls of one session that functions of this process answer, and the requests
// to the client that somebody here waits for. It knows both by their numbers (Call.Seq,
// Req.Seq) and makes their handles anew in each turn, so that it goes on working where the
// State was restored from a snapshot meanwhile, or stepped by another process.
//
// Handle and Start are for the Turner; the other methods may be called at any time.
type Calls struct {
	w *Work
	t Turner

	// The rest is guarded by w.mu.
	open    map[uint64]*job                // until its call ends
	name    string                         // of the owner; "" for the session itself
	owner   *owner                         // while there are jobs
	self    owner                          // of a session without another one
	queue   list.List                      // of *job that wait, oldest first
	place   *list.Element                  // in owner.next while some wait
	held    int                            // jobs that run or wait, those whose call has ended included
	running int                            // those of them that run and are not parked
	bytes   int                            // of their params
	waits   map[uint64]chan<- server.Event // by request
	brief   map[uint64]bool                // calls that ended in the Output that opened them
	closed  error
}

// job is a call that a function answers.
type job struct {
	server.Job
	c     *Calls
	key   uint64
	bytes int
	ctx   context.Context
	end   context.CancelCauseFunc
	place *list.Element // while it waits
	back  chan struct{} // closed when it has a place again, while it waits for one
	over  bool          // its function has returned

	asks   int  // requests to the client that the function waits for
	parked bool // it is counted as such
}

// NewCalls returns the Calls of a session, which belongs to the named owner (Options.Owner); ""
// for none. It holds nothing that needs closing until the first Start or Request.
func (w *Work) NewCalls(t Turner, owner string) *Calls { return &Calls{w: w, t: t, name: owner} }

// Start runs the function of h that answers the request of a lifecycle.RequestReceived event,
// on a goroutine of its own, as soon as there is room. Its context has the values of ctx and
// ends when its call does, with the cause of that. Its Answer is handed to State.Finish in a
// turn; until then it counts as running.
//
// If nobody answers it, or there is no room, Start returns the error for State.Fail.
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
	j := &job{Job: found, c: c, key: ev.Call.Key(), bytes: len(ev.Body)}
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
	j.ctx, j.end = context.WithCancelCause(context.WithoutCancel(ctx))
	if c.open == nil {
		c.open = map[uint64]*job{}
	}
	c.open[j.Call.Seq()] = j
	c.w.add(j)
	c.w.start()
	return nil
}

// Handle takes in the Output of a turn: the contexts of the calls that ended are ended, those
// of them that waited never run, and whoever waits for a request that ended gets its event.
// It returns the events of requests for which nobody waits here.
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

// Deliver hands the event of a request that ended in a turn of another process to whoever
// waits for it here; false if nobody does. It is called between turns.
func (c *Calls) Deliver(ev server.Event) bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.give(ev)
}

// Reconcile ends what s, the newest State, has no longer open: the contexts of calls and the
// requests that ended in turns of other processes. It is called between turns, after Deliver
// for what those turns brought.
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

// Idle reports whether nothing runs and nobody waits: then a Calls may be dropped and made
// anew when it is needed.
func (c *Calls) Idle() bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.held == 0 && len(c.waits) == 0
}

// Close ends everything: the contexts of all calls end with the cause, those that wait never
// run, and requests fail with it. Functions that do not heed their context run on; what they
// return is handed to a turn. cause must not be nil.
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

// endOne ends the context of a call, and forgets it if it waited.
func (c *Calls) endOne(seq uint64, cause error) {
	j := c.open[seq]
	if j == nil {
		return
	}
	delete(c.open, seq)
	j.end(cause)
	if j.place != nil && j.back == nil {
		c.w.unqueue(j)
		c.w.waiting--
		c.w.free(j)
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

// Awaits reports whether somebody here waits for the request of this number. It may be asked
// within a turn, of the requests that end in it: where nobody does, their events may be for
// another process.
func (c *Calls) Awaits(seq uint64) bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.waits[seq] != nil
}

// run answers a call.
func (c *Calls) run(j *job) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			panic(v)
		}
		c.finish(j, failed(j)) // it has ended its goroutine, which only runs what is deferred
	}()
	a := c.answer(j)
	returned = true
	c.finish(j, a)
}

// failed is the answer of a function that gave none.
func failed(j *job) server.Answer {
	e := protocol.InternalError("the server failed")
	return server.Answer{Call: j.Call, Err: &e}
}

// finish hands an answer in.
func (c *Calls) finish(j *job, a server.Answer) {
	for wait := firstRetry; ; wait *= 2 {
		var over error // ErrGone: the call has ended meanwhile
		err := c.t.Turn(func(s server.State, now time.Time) (_ server.State, out server.Output, _ error) {
			c.returned(j) // before the client can know: its next call finds the room
			a.Call = s.Call(j.Call.Seq(), j.key)
			s, out, over = s.Finish(now, a)
			return s, out, over
		})
		if err == nil || over != nil || errors.Is(err, lifecycle.ErrGone) || wait > lastRetry {
			break
		}
		time.Sleep(wait) // the State could not be kept, and the client waits for the answer
	}
	if t, ok := c.t.(interface{ Idle() }); c.returned(j) && ok {
		t.Idle()
	}
}

// An answer that could not be kept is tried again for three seconds.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 1600 * time.Millisecond
)

// returned takes in, once, that a function has returned; idle says that none is left.
func (c *Calls) returned(j *job) (idle bool) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !j.over {
		j.over = true
		c.endOne(j.Call.Seq(), lifecycle.ErrGone)
		if j.back != nil { // goroutines that it has left behind may still ask
			c.w.unqueue(j)
			close(j.back)
			j.back = nil
		}
		c.w.unparked(j)
		c.w.ran(c, -1)
		c.w.free(j)
		c.w.start()
	}
	return c.held == 0
}

// answer runs the function. It does not return if that panics, without WorkOptions.Recover, or ends
// its goroutine.
func (c *Calls) answer(j *job) (a server.Answer) {
	if report := c.w.opt.Recover; report != nil {
		defer func() {
			if v := recover(); v != nil {
				report(v, debug.Stack())
				a = failed(j)
			}
		}()
	}
	return j.Run(j.ctx, caller{c, j})
}
