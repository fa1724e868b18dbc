package toolset

import (
	"cmp"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Call calls a tool (A5, A20). Output.Call is its handle, and Output.Done says how it ended, perhaps at
// once. Errors: catalog.ErrClosed, attempt.ErrOverloaded and other errors of attempt.Executor.Call; that there
// is no such tool is how the call ends (F3).
func (c Caller) Call(now time.Time, r Request) (Caller, Output, error) {
	if c.t.Closed() {
		return c, Output{}, catalog.ErrClosed
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

// Batch calls tools as one batch. Output.Batch is its handle; Output.Batches says how it ended.
// The calls have consecutive handles in the order of the list, of which Output.Call is the first; it is
// zero for an empty list. Errors: catalog.ErrClosed and those of
// attempt.Executor.Start.
func (c Caller) Batch(now time.Time, list []Request, opt attempt.BatchOptions) (Caller, Output, error) {
	if c.t.Closed() {
		return c, Output{}, catalog.ErrClosed
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

// Cancel ends a call at once, as cancelled (E20): a request to a server is cancelled by its id, and
// a local tool revoked. Errors: those of attempt.Executor.Cancel.
func (c Caller) Cancel(now time.Time, id attempt.CallID, reason string) (Caller, Output, error) {
	return c.executor(now, func(x attempt.Executor, now time.Time) (attempt.Executor, attempt.Output, error) {
		return x.Cancel(now, id, reason)
	})
}

// CancelBatch cancels a batch in its mode. Errors: those of attempt.Executor.CancelBatch.
func (c Caller) CancelBatch(now time.Time, id attempt.BatchID, reason string) (Caller, Output, error) {
	return c.executor(now, func(x attempt.Executor, now time.Time) (attempt.Executor, attempt.Output, error) {
		return x.CancelBatch(now, id, reason)
	})
}

// executor does something to the Executor.
func (c Caller) executor(now time.Time, do func(attempt.Executor, time.Time) (attempt.Executor, attempt.Output, error)) (Caller, Output, error) {
	next, s := c.step(now)
	x, xo, err := do(next.x, s.now)
	if err != nil {
		return c, Output{}, err
	}
	next.x, s.work = x, append(s.work, xo)
	return s.end()
}

// Finish tells what a local tool came to, whose Invoke had the attempt. One that comes late is
// dropped and counted; the attempt of a request to a server is not finished by it.
func (c Caller) Finish(now time.Time, a attempt.Attempt, o attempt.Outcome) (Caller, Output) {
	_, s := c.step(now)
	leaf := c.calls.Get(uint64(a.Call))
	if leaf != nil && leaf.V.attempt == a && !leaf.V.invoked {
		return c, Output{}
	}
	s.finish(a, o)
	after, out, _ := s.end()
	return after, out
}

// prepare looks a tool up and makes the request of it.
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
		req.Lane = UnboundLane
		if server, _, ok := s.c.form.Parse(r.Name); ok && server != "" {
			req.Lane = server
		}
	case found.Err != nil:
		req.Fault = s.fault(r.Name, found.Err)
	default:
		found.Item.Shadows = nil // as many as there are servers, and of no interest to the call
		b, in := s.c.t.use(found.Item)
		rec.bound = &b
		req.Input, req.Hints, req.Lane = in, b.hints(), b.Server
	}
	return req, rec
}

// begin begins an attempt, unless its call has settled in this very step.
func (s *step) begin(st attempt.Start) {
	id := uint64(st.Attempt.Call)
	leaf := s.c.calls.Get(id)
	if leaf == nil {
		return
	}
	rec := leaf.V
	rec.attempt, rec.request, rec.due, rec.since = st.Attempt, st.Request, st.Deadline, s.now
	if rec.bound != nil {
		s.issue(id, rec)
		return
	}
	s.c.calls = s.c.calls.Put(id, table.Never, rec)
	s.c.x = s.c.x.Hold(s.now, st.Attempt, true)
	s.find(id)
}

// find looks up the tool of a call that is not bound, and has it wait if it has to.
func (s *step) find(id uint64) {
	rec := s.c.calls.Get(id).V
	if rec.bound != nil { // it has waited for its server
		s.issue(id, rec)
		return
	}
	found := s.seek(rec.name, rec.since)
	if found.Waits != nil {
		rec.waits, rec.left, rec.seen = found.Waits, 0, s.c.t.NumberOf(protocol.ToolList, rec.name)
		for _, server := range rec.waits {
			if s.c.wait(server, id) {
				rec.left++
			}
		}
		s.c.calls = s.c.calls.Put(id, table.Never, rec)
		return
	}
	if found.Err != nil {
		s.finish(rec.attempt, attempt.Outcome{Err: s.fault(rec.name, found.Err)})
		return
	}
	found.Item.Shadows = nil // as above
	b, in := s.c.t.use(found.Item)
	rec.bound = &b
	s.c.calls = s.c.calls.Put(id, table.Never, rec)
	if !rec.unchecked {
		arguments, err := in.Check(rec.name, rec.request.Arguments)
		if err != nil {
			s.finish(rec.attempt, attempt.Outcome{Err: err})
			return
		}
		rec.request.Arguments = arguments
	}
	s.issue(id, rec)
}

// stop ends an attempt that nobody waits for any more.
func (s *step) stop(st attempt.Stop) {
	id := uint64(st.Attempt.Call)
	leaf := s.c.calls.Get(id)
	if leaf == nil || leaf.V.attempt != st.Attempt {
		return
	}
	rec := s.c.rest(id)
	switch {
	case !rec.op.IsZero():
		s.c.ops = s.c.ops.Put(rec.op.Seq(), table.Never, 0) // its end is of no interest
		reason := cmp.Or(st.Reason, "it took too long")
		m, out, _ := s.c.m.Cancel(s.now, rec.op, reason) // if it has ended there is nothing to cancel
		s.managed(m, out)
	case rec.invoked:
		s.out.Revoke = append(s.out.Revoke, st)
	}
}

// rest takes a call out of all that it waits for, and returns what it was.
func (c *Caller) rest(id uint64) call {
	was := c.calls.Get(id).V
	for _, server := range was.waits {
		c.unwait(server, id)
	}
	rec := call{
		name: was.name, meta: was.meta, progress: was.progress, resets: was.resets, unchecked: was.unchecked, endless: was.endless, total: was.total, bound: was.bound,
	}
	c.calls = c.calls.Put(id, table.Never, rec)
	return was
}

// wait has a call wait for a server; it reports whether there was none at its place yet.
func (c *Caller) wait(server string, id uint64) bool {
	set := c.waiting(server)
	if set.Get(id) != nil {
		return false
	}
	c.waits = c.waits.Put(place(server), table.Never, set.Put(id, table.Never, nothing{}))
	return true
}

// waiting returns the calls that wait for a server.
func (c *Caller) waiting(server string) (set table.Table[nothing]) {
	if leaf := c.waits.Get(place(server)); leaf != nil {
		set = leaf.V
	}
	return set
}

// unwait ends that.
func (c *Caller) unwait(server string, id uint64) {
	set, leaf := c.waiting(server).Delete(id)
	switch {
	case leaf == nil:
	case set.Len() == 0:
		c.waits, _ = c.waits.Delete(place(server))
	default:
		c.waits = c.waits.Put(place(server), table.Never, set)
	}
}

// wake looks again for the tools of the calls that wait for a server.
func (s *step) wake(server string) {
	for leaf := range s.c.waiting(server).All() {
		id := leaf.Key
		if s.c.waitsOn(id, server) {
			continue
		}
		rec := s.c.calls.Get(id).V
		for _, other := range rec.waits {
			s.c.unwait(other, id)
		}
		rec.waits, rec.left = nil, 0
		s.c.calls = s.c.calls.Put(id, table.Never, rec)
		s.find(id)
	}
}

// waitsOn reports whether a call has to go on waiting whatever Seek would say: what the server
// has brought is no other tool of its name, and there are more servers to wait for. It costs one look
// at a table, for there may be many calls that wait for many servers.
func (c *Caller) waitsOn(id uint64, server string) bool {
	rec := c.calls.Get(id).V
	if rec.left < 2 || c.t.NumberOf(protocol.ToolList, rec.name) != rec.seen || !c.t.Settled(protocol.ToolList, server, rec.since) {
		return false
	}
	c.unwait(server, id)
	rec.left--
	c.calls = c.calls.Put(id, table.Never, rec)
	return true
}
