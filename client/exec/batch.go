package exec

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// batch is a batch of which a call has not settled. Its calls have the handles from first on.
type batch struct {
	*batchSpec
	next     int                 // the index whose turn is next
	active   int                 // calls whose turn has come and that have not settled
	results  table.Table[Result] // by index
	failed   int                 // the lowest index of a failure, -1 if there is none
	stopping bool                // nothing more begins
	swept    bool                // what did not run has been ended
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

// failFast is the reason that is given to the calls that end because another one has failed.
const failFast = "another call of the batch has failed"

// stopping reports whether a batch begins nothing more. No call needs a batch.
func (w *work) stopping(id BatchID) bool {
	leaf := w.batches.Get(uint64(id))
	return leaf != nil && leaf.V.stopping
}

// settledIn notes a result of a batch.
func (w *work) settledIn(id BatchID, r Result) {
	leaf := w.batches.Get(uint64(id))
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
	w.batches = w.batches.Put(uint64(id), leaf.Deadline, b)
	w.revisit(id)
}

// revisit notes that a batch may go on.
func (w *work) revisit(id BatchID) {
	if n := len(w.dirty); n == 0 || w.dirty[n-1] != id {
		w.dirty = append(w.dirty, id)
	}
}

// advance gives turns to the calls of a batch, and ends it when all of them have settled.
func (w *work) advance(id BatchID) {
	for {
		leaf := w.batches.Get(uint64(id))
		if leaf == nil {
			return
		}
		b := leaf.V
		switch {
		case b.results.Len() == b.size:
			w.finish(id, b)
			return
		case b.stopping && !b.swept:
			w.stopBatch(id, b.mode == Immediate)
			continue
		case b.stopping || b.next == b.size || b.active >= b.width:
			return
		}
		call := b.first + CallID(b.next)
		b.next++
		alive := w.calls.Get(uint64(call)) != nil // it may have been cancelled
		if alive {
			b.active++
		}
		w.batches = w.batches.Put(uint64(id), leaf.Deadline, b)
		if alive {
			w.turn(call)
		}
	}
}

// stopBatch ends the calls of a batch that is stopping, and those that run if now is set.
// Otherwise they have the grace.
func (w *work) stopBatch(id BatchID, now bool) {
	leaf := w.batches.Get(uint64(id))
	b := leaf.V
	due := int64(table.Never)
	if !now {
		due = w.after(b.grace)
	}
	b.swept = true
	w.batches = w.batches.Put(uint64(id), due, b)
	for i := range b.size {
		id := b.first + CallID(i)
		if c := w.calls.Get(uint64(id)); c != nil && (now || c.V.state != running) {
			w.cancel(id, c.V, b.reason)
		}
	}
	w.revisit(id)
}

// finish ends a batch of which all calls have settled.
func (w *work) finish(id BatchID, b batch) {
	w.batches, _ = w.batches.Delete(uint64(id))
	done := BatchDone{Batch: id, Results: make([]Result, 0, b.size), Failed: b.failed}
	for leaf := range b.results.All() {
		r := leaf.V
		r.Outcome = r.Outcome.own()
		done.Results = append(done.Results, r)
	}
	w.out.Batches = append(w.out.Batches, done)
}
