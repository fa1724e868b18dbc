package waits

import (
	"context"
	"strings"
	"sync"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Limits of the progress that waits for a slow function: the newest MaxProgress, and their bytes.
// The newest is kept even if it alone is larger.
const (
	MaxProgress      = 16
	maxProgressBytes = 1 << 20
)

// news is progress of a request, by the index of the request in a batch.
type news struct {
	index int
	body  jsonrpc.Raw // the params
}

// Waiter waits for the end of an operation with the result R. The lock of the driver guards all methods
// except Wait.
type Waiter[R any] struct {
	report func(i int, p protocol.ProgressParams) // nil: progress is ignored
	list   []news                                 // progress not yet reported
	bytes  int                                    // of list
	over   bool
	end    R // the result, once over
	wake   chan struct{}
}

// NewWaiter returns a Waiter that calls report, if not nil, with progress.
func NewWaiter[R any](report func(i int, p protocol.ProgressParams)) Waiter[R] {
	return Waiter[R]{report: report, wake: make(chan struct{}, 1)}
}

// Reporter returns a report function for one request; nil if f is nil.
func Reporter(f func(protocol.ProgressParams)) func(int, protocol.ProgressParams) {
	if f == nil {
		return nil
	}
	return func(_ int, p protocol.ProgressParams) { f(p) }
}

// End ends the wait with a result.
func (w *Waiter[R]) End(r R) {
	w.over, w.end = true, r
	Signal(w.wake)
}

// Progress queues a copy of a request's progress, and drops older progress beyond the limits. It reports
// whether progress is wanted.
func (w *Waiter[R]) Progress(index int, body jsonrpc.Raw) bool {
	if w.report == nil {
		return false
	}
	w.bytes += len(body)
	for len(w.list) > 0 && (len(w.list) == MaxProgress || w.bytes > maxProgressBytes) {
		w.bytes -= len(w.list[0].body)
		w.list = w.list[1:]
	}
	w.list = append(w.list, news{index, jsonrpc.Raw(strings.Clone(string(body)))})
	Signal(w.wake)
	return true
}

// Wait waits for the end, and reports progress until then. If ctx ends first it returns false, with
// the lock held.
func (w *Waiter[R]) Wait(ctx context.Context, lock sync.Locker) (end R, over bool) {
	for {
		lock.Lock()
		list := w.list
		w.list, w.bytes = nil, 0
		over, end = w.over, w.end
		if !over && len(list) == 0 && ctx.Err() != nil {
			return end, false
		}
		lock.Unlock()
		for _, n := range list {
			if p, err := protocol.Decode[protocol.ProgressParams](n.body); err == nil {
				w.report(n.index, p)
			}
		}
		if over {
			return end, true
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
		}
	}
}
