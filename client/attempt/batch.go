package attempt

import "github.com/sansmcp/mcp/lifecycle/table"

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
			s.stopBatch(id, b.immediate)
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

// stopBatch ends the calls of a batch that is stopping. Running attempts are stopped at once if now
// is set, and otherwise after the grace.
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

// endBatch ends a batch whose calls have all ended.
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
