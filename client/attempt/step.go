package attempt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// done returns the result of the step.
func (s *step) done() (Executor, Output) {
	if len(s.withdrawn) > 0 {
		slices.Sort(s.withdrawn)
		s.out.Start = slices.DeleteFunc(s.out.Start, func(st Start) bool {
			_, found := slices.BinarySearch(s.withdrawn, st.Attempt.Call)
			return found
		})
	}
	return s.Executor, s.out
}

// begin begins a step at now.
func (x Executor) begin(now time.Time) step {
	s := step{Executor: x}
	s.steps++
	if s.cfg == nil {
		cfg, _ := Config{}.filled() // the zero Config is valid
		s.cfg = &cfg
	}
	s.clock.Take(now)
	var full []*table.Leaf[struct{}]
	s.idle, full = s.idle.Expire(s.clock.Now())
	for _, leaf := range full {
		s.lanes, _ = s.lanes.Delete(leaf.Key)
	}
	return s
}

// policy returns the first policy that is set: of the request, the batch or the Config.
func (s *step) policy(own, batch *Policy) (*Policy, error) {
	switch {
	case own != nil:
		p := *own
		return &p, p.valid()
	case batch != nil:
		return batch, nil
	}
	return &s.cfg.Policy, nil
}

// admit returns a call for a request. It is not in a table yet.
func (s *step) admit(r *Request, p *Policy, batch BatchID, index int) (CallID, call) {
	s.lastCall++
	c := call{deadline: table.Never, started: s.clock.Now(), past: lifecycle.NotSent, spec: &spec{
		tool: strings.Clone(r.Tool), name: strings.Clone(r.Lane), lane: laneKey(r.Lane),
		hints: r.Hints, policy: p, batch: batch, index: index, fault: r.Fault,
	}}
	if c.fault == nil {
		in := r.Input
		if p.Unchecked {
			in = nil
		}
		var args protocol.Raw
		args, c.fault = in.Check(r.Tool, r.Arguments)
		c.args = protocol.Raw(strings.Clone(string(args)))
	}
	return CallID(s.lastCall), c
}

// overloaded returns an ErrOverloaded if one of the calls from first to last waits and a limit of
// waiting calls is exceeded.
func (s *step) overloaded(first, last CallID) error {
	for id := first; id <= last; id++ {
		leaf := s.calls.Get(uint64(id))
		if leaf == nil || leaf.V.state == running {
			continue
		}
		if all := s.calls.Len() - s.running; all > s.cfg.Queue {
			return fmt.Errorf("%w: %d waiting, limit %d", ErrOverloaded, all, s.cfg.Queue)
		}
		if l := s.lanes.Get(leaf.V.lane).V; l.opt.Queue > 0 && l.waiting > l.opt.Queue {
			return fmt.Errorf("%w: %d waiting in the lane %q, limit %d", ErrOverloaded, l.waiting, l.name, l.opt.Queue)
		}
	}
	return nil
}

// enqueue starts a new or pending call: it waits for its first attempt, or ends with its fault.
func (s *step) enqueue(id CallID, c call) {
	c.started = s.clock.Now()
	if c.fault != nil {
		s.end(id, c, Outcome{Err: c.fault})
		return
	}
	c.deadline = s.timeout(c.policy.Total)
	s.move(id, c, queued, c.deadline)
}

// startOrEnqueue starts a new call without a batch. If no other call is before it, its first
// attempt begins without a queue.
func (s *step) startOrEnqueue(id CallID, c call) {
	if c.fault != nil || !s.free(c.spec) {
		s.enqueue(id, c)
		return
	}
	s.ticket++ // as if it had gone through the queue
	c.deadline = s.timeout(c.policy.Total)
	s.launch(id, c)
}

// startFirst begins the next attempt of the first call of a lane.
func (s *step) startFirst(key uint64) {
	l := s.lanes.Get(key).V
	id := first(l.queue).V
	c := s.calls.Get(uint64(id)).V
	if s.clock.Now() >= c.deadline { // its deadline may have passed without a Tick
		s.expire(id, c)
		return
	}
	if wait := l.wait(s.clock.Now()); wait > 0 { // the lane rejects
		s.end(id, c, Outcome{Err: c.fails(toolerror.RateLimited, wait)})
		return
	}
	s.launch(id, c)
}

// launch begins the next attempt of a call.
func (s *step) launch(id CallID, c call) {
	c.attempt++
	c.step, c.held = s.steps, false
	s.begun++
	deadline := min(s.timeout(c.policy.Attempt), c.deadline)
	s.out.Start = append(s.out.Start, Start{
		Attempt: c.current(id), Deadline: s.clock.At(deadline),
		Request: Request{Tool: c.tool, Arguments: c.args, Hints: c.hints, Lane: c.name},
	})
	if c.attempt >= c.policy.attempts() {
		c.args = ""
	}
	s.move(id, c, running, deadline)
}

// retryOrEnd handles a failed attempt of a running call: the call waits for the next attempt, or
// ends.
func (s *step) retryOrEnd(id CallID, c call, o Outcome) {
	o = c.ran(o)
	again, repeatable := Retryable(o.Err, c.hints)
	p := c.policy
	if !again || !repeatable && !p.RetryUnsafe || p.Kinds != 0 && !p.Kinds.has(o.Err.Kind) || c.attempt >= p.attempts() || s.stopping(c.batch) {
		s.end(id, c, o)
		return
	}
	var u uint64
	if p.Retry.Jitter > 0 {
		s.random, u = s.random.Next()
	}
	wait := p.Retry.Delay(c.attempt, u)
	if o.Err.Kind != toolerror.Timeout && o.Err.After > wait {
		// The server says when to try again, but must not delay the call without limit.
		if wait = o.Err.After; wait > p.Retry.Filled().Cap {
			s.end(id, c, o)
			return
		}
	}
	next := s.clock.After(wait)
	switch {
	case next >= c.deadline:
		s.end(id, c, o)
	case wait == 0:
		c.last = detach(o.Err)
		s.move(id, c, queued, c.deadline)
	default:
		c.last = detach(o.Err)
		s.move(id, c, waiting, next)
	}
}

// expire queues a waiting call whose delay is over, or times out the attempt or the call.
func (s *step) expire(id CallID, c call) {
	over := s.clock.Now() >= c.deadline
	if c.state == waiting && !over {
		s.move(id, c, queued, c.deadline)
		return
	}
	e := c.fails(toolerror.Timeout, c.policy.Attempt)
	if over {
		e.After = c.policy.Total
	}
	if c.state == running {
		s.out.Stop = append(s.out.Stop, Stop{Attempt: c.current(id), Why: toolerror.Timeout})
		o := c.stopped(e)
		if !over {
			s.retryOrEnd(id, c, o)
			return
		}
	}
	s.end(id, c, Outcome{Err: e})
}

// cancel ends a call as cancelled.
func (s *step) cancel(id CallID, c call, reason string) {
	reason = clip(reason)
	switch {
	case c.state != running:
	case c.step == s.steps: // the driver does not know the attempt; its token stays used
		s.withdrawn = append(s.withdrawn, id)
		s.begun--
		c.attempt--
	default:
		s.out.Stop = append(s.out.Stop, Stop{Attempt: c.current(id), Why: toolerror.Cancelled, Reason: reason})
	}
	e := c.fails(toolerror.Cancelled, 0)
	e.Text = reason
	if c.state == running && c.step != s.steps {
		c.stopped(e)
	}
	s.end(id, c, Outcome{Err: e})
}

// end ends a call.
func (s *step) end(id CallID, c call, o Outcome) {
	if o.Attempts, o.Elapsed = c.attempt, time.Duration(s.clock.Now()-c.started); c.state == pending {
		o.Elapsed = 0
	}
	if o = o.own().delivered(c.past); o.Err != nil {
		o.Err.Attempts = c.attempt
		o.Err.MayHaveRun = c.past == lifecycle.MayHaveRun && certain.has(o.Err.Kind)
		if o.Err.Tool == "" {
			o.Err.Tool = c.tool
		}
	}
	s.move(id, c, ended, table.Never)
	s.ended++
	r := Result{Call: id, Tool: c.tool, Batch: c.batch, Index: c.index, Outcome: o}
	s.out.Done = append(s.out.Done, r)
	if c.batch != 0 {
		s.endedIn(c.batch, r)
	}
}

// timeout returns the deadline of a timeout; zero means none.
func (s *step) timeout(d time.Duration) int64 {
	if d == 0 {
		return table.Never
	}
	return s.clock.After(d)
}

// current returns the latest attempt.
func (c *call) current(id CallID) Attempt { return Attempt{Call: id, Number: c.attempt} }

// fails returns a failure of a call, caused by the failure of the previous attempt, if any.
func (c *call) fails(kind toolerror.Kind, after time.Duration) *toolerror.Error {
	e := &toolerror.Error{Kind: kind, Tool: c.tool, After: after}
	if c.last != nil {
		e.Cause = c.last
	}
	return e
}

// ran records the outcome of an attempt that has ended, and returns it with its delivery.
func (c *call) ran(o Outcome) Outcome {
	if c.held {
		return o.own().delivered(lifecycle.NotSent) // the lowest delivery
	}
	c.past = worse(c.past, deliveryOf(o))
	return o
}

// stopped records that the running attempt ends with e before its outcome is known. The previous
// failure in e says nothing about this attempt.
func (c *call) stopped(e *toolerror.Error) Outcome {
	d := lifecycle.MayHaveRun
	if c.held {
		d = lifecycle.NotSent
	}
	c.past = worse(c.past, d)
	return Outcome{Err: e}.delivered(d)
}

// stopping reports whether a batch starts no more calls; false for the zero BatchID.
func (s *step) stopping(id BatchID) bool {
	leaf := s.batches.Get(uint64(id))
	return leaf != nil && leaf.V.stopping
}

// endedIn stores the result of a batch's call.
func (s *step) endedIn(id BatchID, r Result) {
	leaf := s.batches.Get(uint64(id))
	b := leaf.V
	if r.Index < b.next {
		b.active--
	}
	failed := r.Outcome.Err != nil
	r.Outcome = r.Outcome.own()
	b.results = b.results.Put(uint64(r.Index), table.Never, r)
	if failed {
		if b.failed < 0 || r.Index < b.failed {
			b.failed = r.Index
		}
		if b.failFast && !b.stopping {
			b.stopping, b.reason = true, failFast
		}
	}
	s.batches = s.batches.Put(uint64(id), leaf.Deadline, b)
	s.revisit(id)
}

// failFast is the reason for calls that end because another has failed.
const failFast = "another call of the batch has failed"

// revisit records that a batch may start calls, or has ended.
func (s *step) revisit(id BatchID) {
	if n := len(s.dirty); n == 0 || s.dirty[n-1] != id {
		s.dirty = append(s.dirty, id)
	}
}
