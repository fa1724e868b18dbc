package exec

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// state is what a call does. It is one of:
//
//	held     its turn in the batch has not come     until then
//	queued   it waits for a place or a token        until Policy.Total is over
//	running  an attempt runs                        until Policy.Attempt or Total is over
//	waiting  it waits for the next attempt          until that is due
//
// A call that has settled is in no table.
type state uint8

const (
	gone state = iota
	held
	queued
	running
	waiting
)

// call is a call that has not settled.
type call struct {
	*spec
	state   state
	attempt int              // how many have begun
	step    uint64           // when the latest began
	turn    int64            // when its turn came
	total   int64            // when Policy.Total is over
	ticket  uint64           // its place in the queue, while it is queued
	args    protocol.Raw     // as they go out, until the last attempt has begun
	last    *toolerror.Error // of the attempt before
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

// newSpec returns a spec in a lane. Lanes whose names fall together within 64 bits of SipHash
// would share their limits.
func newSpec(name string) *spec {
	return &spec{name: name, lane: engine.Hash([2]uint64{}, 0, name)}
}

// work is one step: the next Executor and its output.
type work struct {
	Executor
	out   Output
	dirty []BatchID // batches that may go on

	withdrawn []CallID // calls whose attempt began in this step and is not to be begun
}

// done returns the step.
func (w *work) done() (Executor, Output) {
	if len(w.withdrawn) > 0 {
		slices.Sort(w.withdrawn)
		w.out.Start = slices.DeleteFunc(w.out.Start, func(s Start) bool {
			_, found := slices.BinarySearch(w.withdrawn, s.Attempt.Call)
			return found
		})
	}
	return w.Executor, w.out
}

// begin begins a step at now; a zero or earlier time counts as the latest seen.
func (x Executor) begin(now time.Time) work {
	w := work{Executor: x}
	w.step++
	if w.cfg == nil {
		cfg, _ := Config{}.filled() // the zero Config is valid
		w.cfg = &cfg
	}
	if !now.IsZero() {
		if w.birth.IsZero() {
			w.birth = now
		}
		w.now = max(w.now, min(int64(now.Sub(w.birth)), table.Never-1))
	}
	var over []*table.Leaf[struct{}]
	w.idle, over = w.idle.Expire(w.now)
	for _, leaf := range over {
		w.lanes, _ = w.lanes.Delete(leaf.Key)
	}
	return w
}

// policy returns the first policy that there is: of the request, of the batch, of the Config.
func (w *work) policy(own, batch *Policy) (*Policy, error) {
	switch {
	case own != nil:
		if err := own.Check(); err != nil {
			return nil, err
		}
		p := *own
		return &p, nil
	case batch != nil:
		return batch, nil
	}
	return &w.cfg.Policy, nil
}

// admit makes a call of a request. It is in no table yet.
func (w *work) admit(r *Request, p *Policy, in BatchID, index int) (CallID, call) {
	w.lastCall++
	id := CallID(w.lastCall)
	s := newSpec(strings.Clone(r.Lane))
	s.tool, s.hints, s.policy, s.batch, s.index, s.fault = strings.Clone(r.Tool), r.Hints, p, in, index, r.Fault
	c := call{spec: s, total: table.Never, turn: w.now}
	if s.fault == nil {
		in := r.Input
		if p.Unchecked {
			in = nil
		}
		if c.args, s.fault = in.Check(r.Tool, r.Arguments); s.fault == nil {
			c.args = protocol.Raw(strings.Clone(string(c.args)))
		}
	}
	return id, c
}

// overloaded returns an ErrOverloaded if one of the calls from first to last waits and more
// calls wait than may.
func (w *work) overloaded(first, last CallID) error {
	for id := first; id <= last; id++ {
		leaf := w.calls.Get(uint64(id))
		if leaf == nil || leaf.V.state == running {
			continue
		}
		if all := w.calls.Len() - w.running; all > w.cfg.Queue {
			return fmt.Errorf("%w: it would be %d, and %d may", ErrOverloaded, all, w.cfg.Queue)
		}
		if l := w.lanes.Get(leaf.V.lane).V; l.opt.Queue > 0 && l.waiting > l.opt.Queue {
			return fmt.Errorf("%w in the lane %q: it would be %d, and %d may", ErrOverloaded, l.name, l.waiting, l.opt.Queue)
		}
	}
	return nil
}

// turn is when the turn of a held call comes.
func (w *work) turn(id CallID) { w.enter(id, w.calls.Get(uint64(id)).V) }

// enter is when the turn of a call comes, which is held or new.
func (w *work) enter(id CallID, c call) {
	c.turn = w.now
	if c.fault != nil {
		w.settle(id, c, Outcome{Err: c.fault})
		return
	}
	c.total = w.timeout(c.policy.Total)
	w.move(id, c, queued, c.total)
}

// alone is enter for a new call that belongs to no batch: if nothing is before it, it starts
// without going through a queue.
func (w *work) alone(id CallID, c call) {
	if c.fault != nil || !w.free(c.spec) {
		w.enter(id, c)
		return
	}
	w.ticket++ // the same as if it had
	c.total = w.timeout(c.policy.Total)
	w.launch(id, c)
}

// start begins the next attempt of the first call of a lane.
func (w *work) start(key uint64) {
	l := w.lanes.Get(key).V
	id := first(l.queue).V
	c := w.calls.Get(uint64(id)).V
	if w.now >= c.total { // nothing begins that is over, though nobody has called Tick
		w.due(id, c)
		return
	}
	if wait := l.bucket.Wait(w.at(w.now)); wait > 0 { // the lane rejects
		e := &toolerror.Error{Kind: toolerror.RateLimited, Tool: c.tool, After: wait}
		if c.last != nil {
			e.Cause = c.last
		}
		w.settle(id, c, Outcome{Err: e})
		return
	}
	w.launch(id, c)
}

// launch begins the next attempt of a call.
func (w *work) launch(id CallID, c call) {
	c.attempt++
	c.step = w.step
	w.begun++
	until := min(w.timeout(c.policy.Attempt), c.total)
	a := Attempt{Call: id, Number: c.attempt}
	w.out.Start = append(w.out.Start, Start{
		Attempt: a, Deadline: w.at(until),
		Request: Request{Tool: c.tool, Arguments: c.args, Hints: c.hints, Lane: c.name},
	})
	if c.attempt >= c.policy.attempts() {
		c.args = ""
	}
	w.move(id, c, running, until)
}

// failed is when an attempt of a running call has failed: the call waits for the next one, or
// settles.
func (w *work) failed(id CallID, c call, o Outcome) {
	again, repeatable := Retryable(o.Err, c.hints)
	p := c.policy
	if !again || !repeatable && !p.Unsafe || p.Kinds != 0 && !p.Kinds.Has(o.Err.Kind) || c.attempt >= p.attempts() || w.stopping(c.batch) {
		w.settle(id, c, o)
		return
	}
	var u uint64
	if p.Retry.Jitter > 0 {
		w.random, u = w.random.Next()
	}
	wait := p.Retry.Delay(c.attempt, u)
	if o.Err.Kind != toolerror.Timeout && o.Err.After > wait {
		// Whoever failed says when it makes sense again. It may not have the call wait for ever.
		if wait = o.Err.After; wait > p.Retry.Filled().Cap {
			w.settle(id, c, o)
			return
		}
	}
	at := w.after(wait)
	if at >= c.total {
		w.settle(id, c, o)
		return
	}
	c.last = kept(o.Err)
	if wait == 0 {
		w.move(id, c, queued, c.total)
	} else {
		w.move(id, c, waiting, at)
	}
}

// due is when the state of a call has ended by itself.
func (w *work) due(id CallID, c call) {
	over := w.now >= c.total
	if c.state == waiting && !over {
		w.move(id, c, queued, c.total)
		return
	}
	e := &toolerror.Error{Kind: toolerror.Timeout, Tool: c.tool, After: c.policy.Attempt}
	if over {
		e.After = c.policy.Total
	}
	if c.last != nil {
		e.Cause = c.last
	}
	if c.state == running {
		w.out.Stop = append(w.out.Stop, Stop{Attempt: Attempt{Call: id, Number: c.attempt}, Why: toolerror.Timeout})
		if !over {
			w.failed(id, c, Outcome{Err: e})
			return
		}
	}
	w.settle(id, c, Outcome{Err: e})
}

// cancel ends a call as cancelled.
func (w *work) cancel(id CallID, c call, reason string) {
	reason = clip(reason)
	switch {
	case c.state != running:
	case c.step == w.step: // nobody has begun it yet; its token stays taken
		w.withdrawn = append(w.withdrawn, id)
		w.begun--
		c.attempt--
	default:
		w.out.Stop = append(w.out.Stop, Stop{Attempt: Attempt{Call: id, Number: c.attempt}, Why: toolerror.Cancelled, Reason: reason})
	}
	w.settle(id, c, cancelled(&c, reason))
}

// settle ends a call.
func (w *work) settle(id CallID, c call, o Outcome) {
	if o.Attempts, o.Elapsed = c.attempt, time.Duration(w.now-c.turn); c.state == held {
		o.Elapsed = 0
	}
	if o = o.own(); o.Err != nil {
		o.Err.Attempts = c.attempt
		if o.Err.Tool == "" {
			o.Err.Tool = c.tool
		}
	}
	w.move(id, c, gone, table.Never)
	w.settled++
	r := Result{Call: id, Tool: c.tool, Batch: c.batch, Index: c.index, Outcome: o}
	w.out.Done = append(w.out.Done, r)
	if c.batch != 0 {
		w.settledIn(c.batch, r)
	}
}

// pump lets batches and lanes go on until nothing more can.
func (w *work) pump() {
	var lanes []*table.Leaf[lane]
	w.lanes, lanes = w.lanes.Expire(w.now)
	for _, leaf := range lanes {
		w.keep(leaf.Key, leaf.V)
	}
	for {
		for len(w.dirty) > 0 {
			id := w.dirty[0]
			w.dirty = w.dirty[1:]
			w.advance(id)
		}
		if w.ready.Len() == 0 || !w.room() {
			return
		}
		w.start(first(w.ready).V)
	}
}

// first returns the entry of a table that is not empty with the lowest key.
func first[V any](t table.Table[V]) *table.Leaf[V] {
	for leaf := range t.All() {
		return leaf
	}
	panic("exec: the first of nothing")
}

// maxReason is how much of a reason is kept, in bytes.
const maxReason = 1024

// clip returns a reason that may be kept.
func clip(reason string) string {
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return strings.Clone(reason)
}
