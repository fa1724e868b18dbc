package attempt

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Call makes a call; Output.Call is its handle. It starts at once if the limits allow it, and
// otherwise waits. A call that cannot start, because of its arguments or a Fault, has ended when
// Call returns.
//
// The error is ErrOverloaded if too many calls wait, or a *lifecycle.ConfigError for an invalid
// policy.
func (x Executor) Call(now time.Time, r Request) (Executor, Output, error) {
	s := x.begin(now)
	p, err := s.policy(r.Policy, nil)
	if err != nil {
		return x, Output{}, err
	}
	id, c := s.admit(&r, p, 0, 0)
	s.out.Call = id
	s.startOrEnqueue(id, c)
	s.startReady()
	if err := s.overloaded(id, id); err != nil {
		return x, Output{}, err
	}
	x, out := s.done()
	return x, out, nil
}

// Start makes a call of each request, under opt; Output.Batch is the handle of all of them, and
// Output.Call that of the first; the others have consecutive handles. The calls start in the order
// of the list, as many at once as the Strategy says. An empty list is done at once.
//
// The errors are those of Call, with nothing started.
func (x Executor) Start(now time.Time, list []Request, opt BatchOptions) (Executor, Output, error) {
	opt, err := opt.filled()
	if err != nil {
		return x, Output{}, err
	}
	s := x.begin(now)
	s.lastBatch++
	id := BatchID(s.lastBatch)
	s.out.Batch = id
	b := batch{failed: -1, batchSpec: &batchSpec{
		first: CallID(s.lastCall + 1), size: len(list), width: width(opt.Strategy, len(list)), failFast: opt.FailFast, immediate: opt.Immediate, grace: opt.Grace,
	}}
	s.batches = s.batches.Put(uint64(id), table.Never, b)
	if len(list) > 0 {
		s.out.Call = b.first
	}
	for i := range list {
		p, err := s.policy(list[i].Policy, opt.Policy)
		if err != nil {
			return x, Output{}, fmt.Errorf("request %d: %w", i, err)
		}
		call, c := s.admit(&list[i], p, id, i)
		s.move(call, c, pending, table.Never)
	}
	s.revisit(id)
	s.startReady()
	if err := s.overloaded(b.first, CallID(s.lastCall)); err != nil {
		return x, Output{}, err
	}
	x, out := s.done()
	return x, out, nil
}

// Finish reports the outcome of an attempt. A failure may lead to another attempt; any other outcome
// ends the call. A result is a failure if its isError is set, if it exceeds Config.Limits, or if a
// MIME type in it is malformed (rows A24, E3, E25). An outcome of an attempt that was stopped, or is
// unknown, is dropped and counted, and Output.LateFinish is set.
func (x Executor) Finish(now time.Time, a Attempt, o Outcome) (Executor, Output) {
	s := x.begin(now)
	leaf := s.find(a)
	if leaf == nil {
		s.late++
		s.out.LateFinish = true
	} else if o = o.checked(leaf.V.tool, &s.cfg.Limits); o.Err != nil {
		s.retryOrEnd(a.Call, leaf.V, o)
	} else {
		c := leaf.V
		s.end(a.Call, c, c.ran(o))
	}
	s.startReady()
	return s.done()
}

// find returns the call of a running attempt; nil if it does not run.
func (x *Executor) find(a Attempt) *table.Leaf[call] {
	leaf := x.calls.Get(uint64(a.Call))
	if leaf == nil || leaf.V.state != running || leaf.V.attempt != a.Number {
		return nil
	}
	return leaf
}

// Cancel ends a call at once, as cancelled. The error is lifecycle.ErrGone if it has ended.
func (x Executor) Cancel(now time.Time, id CallID, reason string) (Executor, Output, error) {
	s := x.begin(now)
	leaf := s.calls.Get(uint64(id))
	if leaf == nil {
		return x, Output{}, lifecycle.ErrGone
	}
	s.cancel(id, leaf.V, reason)
	s.startReady()
	x, out := s.done()
	return x, out, nil
}

// CancelBatch cancels a batch: calls without a running attempt end at once, as cancelled; running
// attempts are stopped, or have BatchOptions.Grace to end. A second CancelBatch stops the rest. The
// error is lifecycle.ErrGone if the batch has ended.
func (x Executor) CancelBatch(now time.Time, id BatchID, reason string) (Executor, Output, error) {
	s := x.begin(now)
	leaf := s.batches.Get(uint64(id))
	if leaf == nil {
		return x, Output{}, lifecycle.ErrGone
	}
	b := leaf.V
	if b.stopping {
		s.stopBatch(id, true)
	} else {
		b.stopping, b.reason = true, clip(reason)
		s.batches = s.batches.Put(uint64(id), leaf.Deadline, b)
		s.stopBatch(id, b.immediate)
	}
	s.startReady()
	x, out := s.done()
	return x, out, nil
}

// CancelAll ends all calls at once, as cancelled, and thereby all batches.
func (x Executor) CancelAll(now time.Time, reason string) (Executor, Output) {
	s := x.begin(now)
	for leaf := range s.calls.All() { // each batch ends with its last call
		s.cancel(CallID(leaf.Key), leaf.V, reason)
	}
	s.startReady()
	return s.done()
}

// Hold reports that the driver has not sent an attempt yet, such as while it waits for a connection;
// or, if held is false, that it is sent now. An attempt that ends while it is held was not sent.
// Without Hold an attempt may have run from its Start on. An attempt that does not run is ignored.
func (x Executor) Hold(now time.Time, a Attempt, held bool) Executor {
	x.clock.Take(now)
	leaf := x.find(a)
	if leaf == nil || leaf.V.held == held {
		return x
	}
	c := leaf.V
	c.held = held
	x.calls = x.calls.Put(leaf.Key, leaf.Deadline, c)
	return x
}

// Extend restarts Policy.Attempt for an attempt that runs, such as after progress. Policy.Total still
// bounds the call. An attempt that does not run, or has timed out, is ignored.
func (x Executor) Extend(now time.Time, a Attempt) Executor {
	s := x.begin(now)
	leaf := s.find(a)
	if leaf == nil || s.clock.Now() >= leaf.Deadline {
		return s.Executor
	}
	s.calls = s.calls.Put(leaf.Key, min(s.timeout(leaf.V.policy.Attempt), leaf.V.deadline), leaf.V)
	return s.Executor
}

// Tick handles all deadlines up to now: it times out attempts and calls, begins the next attempts,
// and advances queues. After it NextDeadline is later than now.
func (x Executor) Tick(now time.Time) (Executor, Output) {
	s := x.begin(now)
	var calls []*table.Leaf[call]
	s.calls, calls = s.calls.Expire(s.clock.Now())
	for _, leaf := range calls {
		s.expire(CallID(leaf.Key), leaf.V)
	}
	var batches []*table.Leaf[batch]
	s.batches, batches = s.batches.Expire(s.clock.Now())
	for _, leaf := range batches {
		s.batches = s.batches.Put(leaf.Key, table.Never, leaf.V)
		s.stopBatch(BatchID(leaf.Key), true)
	}
	s.startReady()
	return s.done()
}

// startReady starts the calls of batches and lanes that may start.
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
