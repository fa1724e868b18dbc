package host

import (
	"github.com/sansmcp/mcp/server"
)

// NewWork returns a Work with nothing to do.
func NewWork(opt WorkOptions) *Work {
	opt, _ = opt.filled()
	w := &Work{opt: opt, owners: map[string]*owner{}, jobs: map[*job]struct{}{}}
	w.workers.hand, w.workers.none = make(chan *job, promises), make(chan struct{})
	return w
}

// WorkStatus is what a Work does at the moment.
type WorkStatus struct {
	Running int // functions that have not returned
	Waiting int // calls that wait for their turn
	Bytes   int // of the params of both
}

// Status returns what the Work does at the moment.
func (w *Work) Status() WorkStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	return WorkStatus{w.running + w.parked, w.waiting, w.bytes}
}

// Open calls f for each call that runs or waits and has not ended, with the Turner of its session and
// the handle that its State had (server.State.Call makes that of another one), in no order; waits says
// that its function has not begun. The Work is locked meanwhile: f calls nothing of it.
func (w *Work) Open(f func(t Turner, call server.Call, waits bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for j := range w.jobs {
		if j.c.open[j.call.Seq()] == j {
			f(j.c.t, j.call, j.place != nil && j.back == nil)
		}
	}
}

// Stop ends the contexts of all calls with a cause, and no more: their functions may still answer. If of is not nil,
// it says of which sessions; the Work is locked meanwhile.
func (w *Work) Stop(cause error, of func(Turner) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for j := range w.jobs {
		if of == nil || of(j.c.t) {
			j.end(cause)
		}
	}
}

// promises is how many jobs may be promised and not yet taken.
const promises = 256

// Close ends the goroutines that wait for a call, which they do for 50 ms otherwise. Calls that run or
// wait go on, and those that come later run too: a goroutine ends with its function from now on. It may
// be called more than once.
func (w *Work) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case <-w.workers.none:
	default:
		close(w.workers.none)
	}
}
