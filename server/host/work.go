package host

import (
	"container/list"
	"sync"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// WorkOptions are the settings of a Work. A zero field means its default; so does one that Check
// refuses.
//
// Sessions share what there is, unless NoShares is set. A session, and an owner of sessions
// (Options.Owner), may have the less of the running functions, of the calls and of their bytes the
// less is free: an owner less than three times what is free, and each of its sessions less than
// what is left of that for one more. So a session alone has 3/8 of it at most, an owner alone 3/4,
// and there is always some for who has nothing yet. Sessions without an Owner are each their own.
type WorkOptions struct {
	// MaxRunning is how many functions run at a time; those whose call has ended count
	// until they return, for that is how long they cost something. One that waits for its
	// client (server.Caller.Request) counts for MaxWaiting meanwhile. Default 64.
	MaxRunning int
	// MaxWaiting is how many calls wait beyond that, for their turn or for their client;
	// further ones are refused. Default 1000.
	MaxWaiting int
	// MaxPerSession is how many calls of one session may run or wait at a time, whatever its
	// share is; further ones are refused. Default MaxRunning + MaxWaiting.
	MaxPerSession int
	// CallBytes bounds the params of the calls that run or wait, in bytes; a call too many
	// is refused, but never the only one. Default 64 MiB.
	CallBytes int
	// SessionBytes bounds them for one session, whatever its share is; a call too many is
	// refused, but never its only one. Default CallBytes.
	SessionBytes int
	// NoShares lets one session have it all, as it may where there is no other.
	NoShares bool
	// Pressed, if set, is called when a call has to wait or is refused because others have all
	// the places. It is called with the Work locked, so it returns at once and calls nothing of it.
	Pressed func()
	// Recover, if set, is told what a function of the application panicked with. Then a function
	// costs its call, which is answered -32603, and a Companion its session: Host.Serve returns an
	// error that says so. If it is nil, a panic goes on, and ends the program as everywhere in Go. A function
	// that ends its goroutine (runtime.Goexit) is answered -32603 in any case.
	Recover func(v any, stack []byte)
}

// The defaults of WorkOptions.
const (
	DefaultMaxRunning = 64
	DefaultMaxWaiting = 1000
	DefaultCallBytes  = 64 << 20
)

// Check returns a *lifecycle.ConfigError for the first field that is negative, or nil. Whoever is given
// WorkOptions asks it before NewWork.
func (o WorkOptions) Check() error {
	_, err := o.filled()
	return err
}

func (o WorkOptions) filled() (WorkOptions, error) {
	var f lifecycle.Filler
	f.Count("MaxRunning", &o.MaxRunning, DefaultMaxRunning)
	f.Count("MaxWaiting", &o.MaxWaiting, DefaultMaxWaiting)
	f.Count("MaxPerSession", &o.MaxPerSession, max(0, o.MaxRunning)+max(0, o.MaxWaiting))
	f.Count("CallBytes", &o.CallBytes, DefaultCallBytes)
	f.Count("SessionBytes", &o.SessionBytes, max(0, o.CallBytes))
	return o, f.Err("host")
}

// Work bounds the functions that run. One Work serves any number of sessions: those that
// have calls waiting take turns, so that a session that sends many does not keep the others
// waiting.
//
// Whoever made it calls Close when the sessions have ended.
type Work struct {
	opt WorkOptions

	mu      sync.Mutex
	running int               // functions that have not returned, but for those that are parked
	parked  int               // those that wait for their client, or for a place after that
	waiting int               // jobs that have not begun
	bytes   int               // of the params that running and waiting ones hold
	owners  map[string]*owner // those that have jobs
	spare   *owner            // one that is out of use
	next    list.List         // of *owner that have jobs queued, in the order of their turns
	jobs    map[*job]struct{} // that run or wait
	workers workers
}

// NewWork returns a Work with nothing to do.
func NewWork(opt WorkOptions) *Work {
	for _, n := range []*int{&opt.MaxRunning, &opt.MaxWaiting, &opt.MaxPerSession, &opt.CallBytes, &opt.SessionBytes} {
		*n = max(*n, 0)
	}
	opt, _ = opt.filled() // nothing is negative any more
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
		if j.c.open[j.Call.Seq()] == j {
			f(j.c.t, j.Call, j.place != nil && j.back == nil)
		}
	}
}

// Stop ends the contexts of all calls with a cause, and no more: their functions may still answer.
func (w *Work) Stop(cause error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for j := range w.jobs {
		j.end(cause)
	}
}

// tooBusy answers a call for which there is no room.
var tooBusy = protocol.InternalError("too busy")

// room reports whether there is room for a call of c with params of so many bytes.
func (w *Work) room(c *Calls, bytes int) bool {
	n, o := w.running+w.parked+w.waiting, c.owner
	free, freeBytes := w.opt.MaxRunning+w.opt.MaxWaiting-n, w.opt.CallBytes-w.bytes
	return free > 0 && c.held < w.opt.MaxPerSession &&
		(n == 0 || bytes <= freeBytes) &&
		(c.held == 0 || c.bytes+bytes <= w.opt.SessionBytes) &&
		(w.opt.NoShares || fits(free, o.held, c.held) && (o.held == 0 || fits(freeBytes, o.bytes, c.bytes)))
}

// add takes a job in: it runs at once if there is room, or it waits.
func (w *Work) add(j *job) {
	c := j.c
	w.jobs[j] = struct{}{}
	c.held++
	c.owner.held++
	w.bytes += j.bytes
	c.bytes += j.bytes
	c.owner.bytes += j.bytes
	if c.queue.Len() == 0 && w.place(c) { // start leaves nothing queued that has a place
		w.ran(c, 1)
		w.launch(j)
		return
	}
	w.waiting++
	w.queue(j)
	w.pressed()
}

// pressed tells that somebody has to wait.
func (w *Work) pressed() {
	if w.opt.Pressed != nil {
		w.opt.Pressed()
	}
}

// queue puts a job behind the others of its session; one that has begun before those that have not.
func (w *Work) queue(j *job) {
	c := j.c
	if c.queue.Len() == 0 {
		if c.owner.next.Len() == 0 {
			c.owner.place = w.next.PushBack(c.owner)
		}
		c.place = c.owner.next.PushBack(c)
	}
	if j.back == nil {
		j.place = c.queue.PushBack(j)
		return
	}
	at := c.queue.Front()
	for at != nil && at.Value.(*job).back != nil {
		at = at.Next()
	}
	if at == nil {
		j.place = c.queue.PushBack(j)
	} else {
		j.place = c.queue.InsertBefore(j, at)
	}
}

// start runs the jobs whose turn it is, on goroutines of their own.
func (w *Work) start() {
	for c := w.turn(); c != nil; c = w.turn() {
		j := c.queue.Front().Value.(*job)
		w.unqueue(j)
		if c.place != nil {
			c.owner.next.MoveToBack(c.place)
		}
		if c.owner.place != nil {
			w.next.MoveToBack(c.owner.place)
		}
		if j.back != nil {
			w.unparked(j)
			close(j.back)
			j.back = nil
			continue
		}
		w.waiting--
		w.ran(c, 1)
		w.launch(j)
	}
}

// turn returns the session whose job is the next to run, nil if none may.
func (w *Work) turn() *Calls {
	if w.running >= w.opt.MaxRunning {
		return nil
	}
	// Those that are passed over have functions that run, so there are no more of them.
	for o := w.next.Front(); o != nil; o = o.Next() {
		for c := o.Value.(*owner).next.Front(); c != nil; c = c.Next() {
			if c := c.Value.(*Calls); w.place(c) {
				return c
			} else if c.running == 0 {
				break // nor has another session of the owner one
			}
		}
	}
	return nil
}

// unqueue takes a job out of the queue.
func (w *Work) unqueue(j *job) {
	c := j.c
	c.queue.Remove(j.place)
	j.place = nil
	if c.queue.Len() > 0 {
		return
	}
	c.owner.next.Remove(c.place)
	c.place = nil
	if c.owner.next.Len() == 0 {
		w.next.Remove(c.owner.place)
		c.owner.place = nil
	}
}

// free takes in that a job neither runs nor waits any more.
func (w *Work) free(j *job) {
	c := j.c
	delete(w.jobs, j)
	w.bytes -= j.bytes
	c.bytes -= j.bytes
	c.owner.bytes -= j.bytes
	c.held--
	c.owner.held--
	w.release(c)
}
