package attempt

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// batch is a batch of which a call has not ended. Its calls have the handles from first on.
type batch struct {
	*batchSpec
	next     int                 // the index of the call that starts next
	active   int                 // calls that have started and not ended
	results  table.Table[Result] // by index
	failed   int                 // the lowest index of a failure, -1 if there is none
	stopping bool                // no further call starts
	swept    bool                // calls without an attempt have been ended
	reason   string              // why it is stopping
}

// batchSpec is what never changes of a batch.
type batchSpec struct {
	first    CallID
	size     int
	width    int // how many calls are under way at once
	failFast bool
	mode     CancelMode
	grace    time.Duration
}

// failFast is the reason given to the calls that end because another one has failed.
const failFast = "another call of the batch has failed"

// stopping reports whether a batch starts no further call; false for the zero BatchID.
func (s *step) stopping(id BatchID) bool {
	leaf := s.batches.Get(uint64(id))
	return leaf != nil && leaf.V.stopping
}

// endedIn keeps the result of a call of a batch.
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

// revisit notes that a batch may start calls, or has ended.
func (s *step) revisit(id BatchID) {
	if n := len(s.dirty); n == 0 || s.dirty[n-1] != id {
		s.dirty = append(s.dirty, id)
	}
}

// advance starts calls of a batch, and ends it when all of them have ended.
func (s *step) advance(id BatchID) {
	for {
		leaf := s.batches.Get(uint64(id))
		if leaf == nil {
			return
		}
		b := leaf.V
		switch {
		case b.results.Len() == b.size:
			s.endBatch(id, b)
			return
		case b.stopping && !b.swept:
			s.stopBatch(id, b.mode == Immediate)
			continue
		case b.stopping || b.next == b.size || b.active >= b.width:
			return
		}
		call := b.first + CallID(b.next)
		b.next++
		live := s.calls.Get(uint64(call)) // nil if it was cancelled
		if live != nil {
			b.active++
		}
		s.batches = s.batches.Put(uint64(id), leaf.Deadline, b)
		if live != nil {
			s.enqueue(call, live.V)
		}
	}
}

// stopBatch ends the calls of a batch that is stopping. Running attempts are stopped if now is set,
// and otherwise have the grace to end.
func (s *step) stopBatch(id BatchID, now bool) {
	leaf := s.batches.Get(uint64(id))
	b := leaf.V
	deadline := int64(table.Never)
	if !now {
		deadline = s.clock.After(b.grace)
	}
	b.swept = true
	s.batches = s.batches.Put(uint64(id), deadline, b)
	for i := range b.size {
		id := b.first + CallID(i)
		if c := s.calls.Get(uint64(id)); c != nil && (now || c.V.state != running) {
			s.cancel(id, c.V, b.reason)
		}
	}
	s.revisit(id)
}

// endBatch ends a batch of which all calls have ended.
func (s *step) endBatch(id BatchID, b batch) {
	s.batches, _ = s.batches.Delete(uint64(id))
	done := BatchDone{Batch: id, Results: make([]Result, 0, b.size), Failed: b.failed}
	for leaf := range b.results.All() {
		r := leaf.V
		r.Outcome = r.Outcome.own()
		done.Results = append(done.Results, r)
	}
	s.out.Batches = append(s.out.Batches, done)
}
