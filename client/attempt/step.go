package attempt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// state is what a call does until a deadline:
//
//	pending  waits until its batch starts it            none
//	queued   waits for a place or a token               Policy.Total
//	running  has an attempt                             Policy.Attempt or Total
//	waiting  waits until the next attempt may begin     that instant
//
// A call that has ended is in no table. These lead from one to another:
//
//	Call, advance   new, pending → queued   enqueue; startOrEnqueue goes straight to running
//	startReady      queued → running        launch
//	Finish, expire  running → waiting       retryOrEnd; to queued without a delay
//	expire          waiting → queued
//	cancel, expire, Finish, a fault         any → ended
type state uint8

const (
	ended state = iota // or new
	pending
	queued
	running
	waiting
)

// call is a call that has not ended.
type call struct {
	*spec
	state    state
	attempt  int                // how many have begun
	step     uint64             // when the latest began
	started  int64              // when the call was new, or its batch started it
	deadline int64              // when Policy.Total is over
	ticket   uint64             // its place in the queue, while it is queued
	args     protocol.Raw       // as they go out, until the last attempt has begun
	last     *toolerror.Error   // of the attempt before
	past     lifecycle.Delivery // the worst of the attempts that have ended
	held     bool               // the attempt that runs has not gone out
}

// spec is what never changes of a call.
type spec struct {
	tool   string
	name   string // of the lane
	lane   uint64
	hints  Hints
	policy *Policy
	batch  BatchID
	index  int
	fault  *toolerror.Error // why it cannot start
}

// laneKey returns the key of a lane. Two names with one key, one in 2⁶⁴, would share their limits.
func laneKey(name string) uint64 { return engine.Hash([2]uint64{}, 0, name) }

// step is one step: the next Executor and its Output.
type step struct {
	Executor
	out   Output
	dirty []BatchID // batches that may start calls, or have ended

	withdrawn []CallID // calls whose attempt began in this step and must not start
}

// done returns what the step has come to.
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

// policy returns the first policy that is set: of the request, of the batch, of the Config.
func (s *step) policy(own, batch *Policy) (*Policy, error) {
	switch {
	case own != nil:
		p := *own
		return &p, p.Check()
	case batch != nil:
		return batch, nil
	}
	return &s.cfg.Policy, nil
}

// admit makes a call of a request. It is in no table yet.
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

// overloaded returns an ErrOverloaded if one of the calls from first to last waits and more
// calls wait than may.
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

// enqueue starts a call that is new or pending: it waits for its first attempt, or ends with its
// fault.
func (s *step) enqueue(id CallID, c call) {
	c.started = s.clock.Now()
	if c.fault != nil {
		s.end(id, c, Outcome{Err: c.fault})
		return
	}
	c.deadline = s.timeout(c.policy.Total)
	s.move(id, c, queued, c.deadline)
}

// startOrEnqueue starts a new call that belongs to no batch. If no other call is before it, its
// first attempt begins without going through a queue.
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

// retryOrEnd handles a failed attempt of a running call: the call waits for the next one, or ends.
func (s *step) retryOrEnd(id CallID, c call, o Outcome) {
	o = c.ran(o)
	again, repeatable := Retryable(o.Err, c.hints)
	p := c.policy
	if !again || !repeatable && !p.RetryUnsafe || p.Kinds != 0 && !p.Kinds.Has(o.Err.Kind) || c.attempt >= p.attempts() || s.stopping(c.batch) {
		s.end(id, c, o)
		return
	}
	var u uint64
	if p.Retry.Jitter > 0 {
		s.random, u = s.random.Next()
	}
	wait := p.Retry.Delay(c.attempt, u)
	if o.Err.Kind != toolerror.Timeout && o.Err.After > wait {
		// The server says when the call makes sense again. It must not hold the call for as long as it likes.
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
	case c.step == s.steps: // the driver does not know the attempt; its token stays taken
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
		o.Err.MayHaveRun = c.past == lifecycle.MayHaveRun && certain.Has(o.Err.Kind)
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

// startReady lets batches and lanes start what may start.
func (s *step) startReady() {
	var lanes []*table.Leaf[lane]
	s.lanes, lanes = s.lanes.Expire(s.clock.Now())
	for _, leaf := range lanes {
		s.putLane(leaf.Key, leaf.V)
	}
	for {
		for len(s.dirty) > 0 {
			id := s.dirty[0]
			s.dirty = s.dirty[1:]
			s.advance(id)
		}
		if s.ready.Len() == 0 || !s.room() {
			return
		}
		s.startFirst(first(s.ready).V)
	}
}

// timeout returns the deadline of a timeout, of which zero is none.
func (s *step) timeout(d time.Duration) int64 {
	if d == 0 {
		return table.Never
	}
	return s.clock.After(d)
}

// current returns the attempt that began last.
func (c *call) current(id CallID) Attempt { return Attempt{Call: id, Number: c.attempt} }

// fails returns a failure of a call, which the attempt before has caused if there was one.
func (c *call) fails(kind toolerror.Kind, after time.Duration) *toolerror.Error {
	e := &toolerror.Error{Kind: kind, Tool: c.tool, After: after}
	if c.last != nil {
		e.Cause = c.last
	}
	return e
}

// first returns the entry with the lowest key of a table that is not empty.
func first[V any](t table.Table[V]) *table.Leaf[V] {
	for leaf := range t.All() {
		return leaf
	}
	panic("attempt: the first of nothing")
}

// maxReason is how much of a reason is kept, in bytes.
const maxReason = 1024

// clip returns a copy of a reason, cut at maxReason.
func clip(reason string) string {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return strings.Clone(reason)
}
