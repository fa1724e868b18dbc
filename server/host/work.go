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

// WorkStatus is the current load of a Work.
type WorkStatus struct {
	Running int // functions that have not returned
	Waiting int // calls that wait for a place
	Bytes   int // of the params of both
}

// Status returns the current load of the Work.
func (w *Work) Status() WorkStatus {
	w.mu.Lock()
	defer w.mu.Unlock()
	return WorkStatus{w.running + w.parked, w.waiting, w.bytes}
}

// Open calls f for each call that runs or waits and has not ended, in no particular order, with the
// Turner of its session and the handle in its State (server.State.Call makes that of another State).
// waits reports that its function has not begun. The Work is locked during the call: f must not call
// it.
func (w *Work) Open(f func(t Turner, call server.Call, waits bool)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for j := range w.jobs {
		if j.c.open[j.call.Seq()] == j {
			f(j.c.t, j.call, j.place != nil && j.back == nil)
		}
	}
}

// Stop only ends the contexts of all calls with a cause: their functions may still answer. If of is not nil, it
// selects the sessions; the Work is locked while it runs.
func (w *Work) Stop(cause error, of func(Turner) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for j := range w.jobs {
		if of == nil || of(j.c.t) {
			j.end(cause)
		}
	}
}

// Close ends the goroutines that wait for a call; otherwise they wait for up to 100 ms. Calls that run or wait
// continue, and later calls run too: from now on a goroutine ends with its function. Close may be
// called more than once.
func (w *Work) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.workers.closed() {
		close(w.workers.none)
		w.dismiss(w.workers.idle)
		w.workers.least = 0
	}
}
