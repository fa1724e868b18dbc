package exec

import (
	"fmt"
	"math"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/backoff"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Executor runs calls of tools under a policy. It is an immutable value: each verb returns the
// next Executor, and the one before stays as it was. The zero Executor has the zero Config, and
// its clock begins with the first time that it is given.
type Executor struct {
	cfg   *Config   // filled and never changed; nil stands for the zero Config
	birth time.Time // the origin of all instants
	now   int64     // the latest time seen, in nanoseconds from birth

	calls   table.Table[call]     // by CallID; due when the state of the call ends by itself
	batches table.Table[batch]    // by BatchID; due when the grace ends
	lanes   table.Table[lane]     // by the hash of the name; due when a queue may go on
	ready   table.Table[uint64]   // the lanes whose first call may start, by the ticket of that call
	idle    table.Table[struct{}] // the lanes without calls; due when nothing is left to remember
	running int                   // attempts that run

	random                      backoff.Random
	lastCall, lastBatch, ticket uint64
	step                        uint64 // how many steps there have been
	begun, settled, late        uint64
}

// New returns an Executor without calls. The error is a *lifecycle.ConfigError for the
// first setting that is out of range.
func New(cfg Config, now time.Time) (Executor, error) {
	cfg, err := cfg.filled()
	if err != nil {
		return Executor{}, err
	}
	return Executor{cfg: &cfg, birth: now, random: backoff.Random(cfg.Seed)}, nil
}

// Call makes a call; Output.Call is its handle. It starts at once if the limits allow it, and
// otherwise waits. What cannot start at all, because of its arguments or a Fault, has settled
// when Call returns.
//
// The error is ErrOverloaded if too many calls wait, or a *lifecycle.ConfigError if the policy
// is out of range.
func (x Executor) Call(now time.Time, r Request) (Executor, Output, error) {
	w := x.begin(now)
	p, err := w.policy(r.Policy, nil)
	if err != nil {
		return x, Output{}, err
	}
	id, c := w.admit(&r, p, 0, 0)
	w.out.Call = id
	w.alone(id, c)
	w.pump()
	if err := w.overloaded(id, id); err != nil {
		return x, Output{}, err
	}
	x, out := w.done()
	return x, out, nil
}

// Start makes a call of each request, under opt; Output.Batch is the handle of all of them. The
// calls have their turns in the order of the list, as many at once as the Strategy says. An
// empty list is done at once.
//
// The errors are those of Call. A batch is taken whole or not at all.
func (x Executor) Start(now time.Time, list []Request, opt BatchOptions) (Executor, Output, error) {
	opt, err := opt.filled()
	if err != nil {
		return x, Output{}, err
	}
	w := x.begin(now)
	w.lastBatch++
	id := BatchID(w.lastBatch)
	w.out.Batch = id
	b := batch{failed: -1, batchSpec: &batchSpec{
		first: CallID(w.lastCall + 1), size: len(list), width: opt.Strategy.of(len(list)), failFast: opt.FailFast, mode: opt.Cancel, grace: opt.Grace,
	}}
	w.batches = w.batches.Put(uint64(id), table.Never, b)
	for i := range list {
		p, err := w.policy(list[i].Policy, opt.Policy)
		if err != nil {
			return x, Output{}, fmt.Errorf("request %d: %w", i, err)
		}
		call, c := w.admit(&list[i], p, id, i)
		w.move(call, c, held, table.Never)
	}
	w.revisit(id)
	w.pump()
	if len(list) > 0 {
		if err := w.overloaded(b.first, CallID(w.lastCall)); err != nil {
			return x, Output{}, err
		}
	}
	x, out := w.done()
	return x, out, nil
}

// Resolve tells what an attempt came to. A failure may lead to another attempt; anything else
// settles the call. The result is checked as Normalize does, without a schema. What nobody waits
// for any more is dropped and counted; Output.Late says so.
func (x Executor) Resolve(now time.Time, a Attempt, o Outcome) (Executor, Output) {
	w := x.begin(now)
	leaf := w.calls.Get(uint64(a.Call))
	if leaf == nil || leaf.V.state != running || leaf.V.attempt != a.Number {
		w.late++
		w.out.Late = true
		w.pump()
		return w.done()
	}
	c := leaf.V
	if o = o.checked(c.tool, w.cfg.Limits); o.Err != nil {
		w.failed(a.Call, c, o)
	} else {
		w.settle(a.Call, c, o)
	}
	w.pump()
	return w.done()
}

// Cancel ends a call at once, as cancelled. The error is lifecycle.ErrGone if it has settled.
func (x Executor) Cancel(now time.Time, id CallID, reason string) (Executor, Output, error) {
	w := x.begin(now)
	leaf := w.calls.Get(uint64(id))
	if leaf == nil {
		return x, Output{}, lifecycle.ErrGone
	}
	w.cancel(id, leaf.V, reason)
	w.pump()
	x, out := w.done()
	return x, out, nil
}

// CancelBatch cancels a batch in its mode: what does not run settles at once, as cancelled, and
// what runs is stopped, or has BatchOptions.Grace to end. A second CancelBatch stops what still
// runs. The error is lifecycle.ErrGone if the batch is done.
func (x Executor) CancelBatch(now time.Time, id BatchID, reason string) (Executor, Output, error) {
	w := x.begin(now)
	leaf := w.batches.Get(uint64(id))
	if leaf == nil {
		return x, Output{}, lifecycle.ErrGone
	}
	b := leaf.V
	if b.stopping {
		w.stopBatch(id, true)
	} else {
		b.stopping, b.reason = true, clip(reason)
		w.batches = w.batches.Put(uint64(id), leaf.Deadline, b)
		w.stopBatch(id, b.mode == Immediate)
	}
	w.pump()
	x, out := w.done()
	return x, out, nil
}

// CancelAll ends all calls at once, as cancelled, and with them all batches.
func (x Executor) CancelAll(now time.Time, reason string) (Executor, Output) {
	w := x.begin(now)
	for leaf := range w.calls.All() { // each batch has one, and is done with its last
		w.cancel(CallID(leaf.Key), leaf.V, reason)
	}
	w.pump()
	return w.done()
}

// Tick does what is due: it gives attempts and calls up, begins the next attempts, and lets
// queues go on. After it NextDeadline is later than now.
func (x Executor) Tick(now time.Time) (Executor, Output) {
	w := x.begin(now)
	var calls []*table.Leaf[call]
	w.calls, calls = w.calls.Expire(w.now)
	for _, leaf := range calls {
		w.due(CallID(leaf.Key), leaf.V)
	}
	var batches []*table.Leaf[batch]
	w.batches, batches = w.batches.Expire(w.now)
	for _, leaf := range batches {
		w.batches = w.batches.Put(leaf.Key, table.Never, leaf.V)
		w.stopBatch(BatchID(leaf.Key), true)
	}
	w.pump()
	return w.done()
}

// NextDeadline returns when Tick is next due. It takes constant time.
func (x Executor) NextDeadline() (time.Time, bool) {
	t := min(x.calls.Min(), x.batches.Min(), x.lanes.Min())
	return x.at(t), t != table.Never
}

// room reports whether one more attempt may run.
func (x *Executor) room() bool { return x.cfg.Running == 0 || x.running < x.cfg.Running }

// Status returns a summary.
func (x Executor) Status() Status {
	return Status{
		Running: x.running, Waiting: x.calls.Len() - x.running, Batches: x.batches.Len(),
		Begun: x.begun, Settled: x.settled, Late: x.late,
	}
}

// at returns the time of an instant, zero for table.Never.
func (x *Executor) at(t int64) time.Time {
	if t == table.Never {
		return time.Time{}
	}
	return x.birth.Add(time.Duration(t))
}

// after returns the instant d from now, table.Never if d is negative or too long.
func (x *Executor) after(d time.Duration) int64 {
	if d < 0 || int64(d) > math.MaxInt64-1-x.now {
		return table.Never
	}
	return x.now + int64(d)
}

// timeout is after for a timeout, of which zero is none.
func (x *Executor) timeout(d time.Duration) int64 {
	if d == 0 {
		return table.Never
	}
	return x.after(d)
}

// cancelled returns the outcome of a call that nobody waits for any more.
func cancelled(c *call, reason string) Outcome {
	e := &toolerror.Error{Kind: toolerror.Cancelled, Tool: c.tool, Text: reason}
	if c.last != nil {
		e.Cause = c.last
	}
	return Outcome{Err: e}
}
