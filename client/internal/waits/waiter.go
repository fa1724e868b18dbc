package waits

import (
	"context"
	"strings"
	"sync"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// How much progress waits for a function that is slower than the server: the newest MaxProgress, or
// the newest alone if it is longer.
const (
	MaxProgress      = 16
	maxProgressBytes = 1 << 20
)

// news is progress of one of the requests that are waited for together, by its index.
type news struct {
	index int
	body  jsonrpc.Raw // the params
}

// Waiter waits for the end of what a step has begun. R is what it comes to. The lock of the driver is held
// for all but Wait.
type Waiter[R any] struct {
	report func(i int, p protocol.ProgressParams) // nil: progress is not wanted
	list   []news                                 // progress that report has not seen
	bytes  int                                    // of list
	over   bool
	end    R // once it is over
	wake   chan struct{}
}

// NewWaiter returns a Waiter that calls report, if it is not nil, with progress.
func NewWaiter[R any](report func(i int, p protocol.ProgressParams)) Waiter[R] {
	return Waiter[R]{report: report, wake: make(chan struct{}, 1)}
}

// Reporter makes a report of a function for the progress of one request, nil of nil.
func Reporter(f func(protocol.ProgressParams)) func(int, protocol.ProgressParams) {
	if f == nil {
		return nil
	}
	return func(_ int, p protocol.ProgressParams) { f(p) }
}

// End ends what is waited for.
func (w *Waiter[R]) End(r R) {
	w.over, w.end = true, r
	Signal(w.wake)
}

// Progress hands in a copy of progress of a request, and drops older progress that there is no room for. It
// reports whether progress is wanted.
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

// Wait waits for the end, and calls the report meanwhile. If ctx ends first it returns false, with the
// lock held.
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
