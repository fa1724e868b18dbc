package calls

import (
	"cmp"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// Call calls a tool (A5, A20). Output.Call is its handle, and Output.Done says how it ended, possibly at once.
// Errors: lifecycle.ErrClosed, attempt.ErrOverloaded and other errors of attempt.Executor.Call; an unknown tool
// ends the call with an outcome (F3).
func (c Caller) Call(now time.Time, r Request) (Caller, Output, error) {
	if c.t.Closed() {
		return c, Output{}, lifecycle.ErrClosed
	}
	next, s := c.step(now)
	req, rec := s.prepare(r, nil)
	x, xo, err := next.x.Call(s.now, req)
	if err != nil {
		return c, Output{}, err
	}
	next.x, next.last, s.out.Call = x, uint64(xo.Call), xo.Call
	next.calls = next.calls.Put(next.last, table.Never, rec)
	s.work = append(s.work, xo)
	return s.end()
}

// Batch calls tools as one batch. Output.Batch is its handle; Output.Batches reports how it ended. The
// calls have consecutive handles in list order, from Output.Call; that is zero for an empty list.
// Errors: lifecycle.ErrClosed and those of attempt.Executor.Start.
func (c Caller) Batch(now time.Time, list []Request, opt attempt.BatchOptions) (Caller, Output, error) {
	if c.t.Closed() {
		return c, Output{}, lifecycle.ErrClosed
	}
	next, s := c.step(now)
	reqs, recs := make([]attempt.Request, len(list)), make([]call, len(list))
	for i, r := range list {
		reqs[i], recs[i] = s.prepare(r, opt.Policy)
	}
	x, xo, err := next.x.Start(s.now, reqs, opt)
	if err != nil {
		return c, Output{}, err
	}
	next.x, s.out.Batch, s.out.Call = x, xo.Batch, xo.Call
	for _, rec := range recs {
		next.last++
		next.calls = next.calls.Put(next.last, table.Never, rec)
	}
	s.work = append(s.work, xo)
	return s.end()
}

// Cancel ends a call at once, as cancelled (E20): a request to a server is cancelled at the server,
// and a local tool is stopped by LocalStop. Errors: those of attempt.Executor.Cancel.
func (c Caller) Cancel(now time.Time, id attempt.CallID, reason string) (Caller, Output, error) {
	return cancel(c, now, attempt.Executor.Cancel, id, reason)
}

// CancelBatch cancels a batch. Errors: those of attempt.Executor.CancelBatch.
func (c Caller) CancelBatch(now time.Time, id attempt.BatchID, reason string) (Caller, Output, error) {
	return cancel(c, now, attempt.Executor.CancelBatch, id, reason)
}

// cancel cancels a call or batch by a verb of the Executor.
func cancel[ID any](c Caller, now time.Time, verb func(attempt.Executor, time.Time, ID, string) (attempt.Executor, attempt.Output, error), id ID, reason string) (Caller, Output, error) {
	next, s := c.step(now)
	x, xo, err := verb(next.x, s.now, id, reason)
	if err != nil {
		return c, Output{}, err
	}
	next.x, s.work = x, append(s.work, xo)
	return s.end()
}

// Finish reports the outcome of a local tool, by the attempt of its LocalStart. A late one is dropped and
// counted. It does not finish requests to servers.
func (c Caller) Finish(now time.Time, a attempt.Attempt, o attempt.Outcome) (Caller, Output) {
	_, s := c.step(now)
	leaf := c.calls.Get(uint64(a.Call))
	if leaf != nil && leaf.V.attempt == a && !leaf.V.local() {
		return c, Output{}
	}
	s.finish(a, o)
	after, out, _ := s.end()
	return after, out
}

// prepare looks up a tool and returns the request and the call for it.
func (s *step) prepare(r Request, batch *attempt.Policy) (attempt.Request, call) {
	req := attempt.Request{Tool: r.Name, Arguments: r.Arguments, Policy: r.Policy}
	policy := cmp.Or(r.Policy, batch, &s.c.whole)
	rec := call{
		name: r.Name, meta: r.Meta, progress: r.Progress || r.ResetOnProgress, resets: r.ResetOnProgress,
		unchecked: policy.Unchecked, endless: policy.Attempt == lifecycle.NoTimeout, total: policy.Total > 0,
	}
	found := s.seek(r.Name, s.now)
	switch {
	case found.Waits != nil:
		req.Lane = SharedLane
		if server, _, ok := s.c.form.Parse(r.Name); ok && server != "" {
			req.Lane = server
		}
	case found.Err != nil:
		req.Fault = s.c.t.fault(r.Name, found.Err)
	default:
		b, in := s.c.t.use(found.Item)
		rec.bound = &b
		req.Input, req.Hints, req.Lane = in, b.hints(), b.Server
	}
	return req, rec
}
