package host

import (
	"container/list"
	"sync"

	"github.com/sansmcp/mcp/protocol"
)

// WorkOptions are the settings of a Work. A zero or negative field means its default.
type WorkOptions struct {
	// MaxRunning is how many functions run at a time; those whose call has ended count
	// until they return, for that is how long they cost something. One that waits for its
	// client (server.Caller.Request) counts for MaxWaiting meanwhile. Default 64.
	MaxRunning int
	// MaxWaiting is how many calls wait beyond that, for their turn or for their client;
	// further ones are refused. Default 1000.
	MaxWaiting int
	// MaxPerSession is how many calls of one session may run or wait at a time; further
	// ones are refused. Default MaxRunning + MaxWaiting, which no session reaches alone.
	MaxPerSession int
	// CallBytes bounds the params of the calls that run or wait, in bytes; a call too many
	// is refused, but never the only one. Default 64 MiB.
	CallBytes int
	// SessionBytes bounds them for one session; a call too many is refused, but never its
	// only one. Default CallBytes, so that one session may have it all.
	SessionBytes int
	// Recover, if set, is told what a function panicked with, and its call is answered
	// -32603. If it is nil, a panic ends the program, as everywhere in Go.
	Recover func(v any, stack []byte)
}

// The defaults of WorkOptions.
const (
	DefaultMaxRunning = 64
	DefaultMaxWaiting = 1000
	DefaultCallBytes  = 64 << 20
)

func (o WorkOptions) filled() WorkOptions {
	o.MaxRunning = positive(o.MaxRunning, DefaultMaxRunning)
	o.MaxWaiting = positive(o.MaxWaiting, DefaultMaxWaiting)
	o.MaxPerSession = positive(o.MaxPerSession, o.MaxRunning+o.MaxWaiting)
	o.CallBytes = positive(o.CallBytes, DefaultCallBytes)
	o.SessionBytes = positive(o.SessionBytes, o.CallBytes)
	return o
}

func positive[N ~int | ~int64](n, otherwise N) N {
	if n > 0 {
		return n
	}
	return otherwise
}

// Work bounds the functions that run. One Work serves any number of sessions: those that
// have calls waiting take turns, so that a session that sends many does not keep the others
// waiting.
type Work struct {
	opt WorkOptions

	mu      sync.Mutex
	running int       // functions that have not returned, but for those that are parked
	parked  int       // those that wait for their client, or for a place after that
	back    list.List // of back: those of them that wait for a place
	waiting int       // jobs that wait
	bytes   int       // of the params that running and waiting ones hold
	next    list.List // of *Calls that have jobs waiting, in the order of their turns
	workers workers
}

// NewWork returns a Work with nothing to do.
func NewWork(opt WorkOptions) *Work {
	w := &Work{opt: opt.filled()}
	w.workers.hand = make(chan *job, promises)
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

// tooBusy answers a call for which there is no room.
var tooBusy = protocol.InternalError("too busy")

// room reports whether there is room for a call of c with params of so many bytes.
func (w *Work) room(c *Calls, bytes int) bool {
	n := w.running + w.parked + w.waiting
	return n < w.opt.MaxRunning+w.opt.MaxWaiting && c.held < w.opt.MaxPerSession &&
		(n == 0 || w.bytes+bytes <= w.opt.CallBytes) &&
		(c.held == 0 || c.bytes+bytes <= w.opt.SessionBytes)
}

// add takes a job in: it runs at once if there is room, or it waits.
func (w *Work) add(j *job) {
	c := j.c
	c.held++
	w.bytes += j.bytes
	c.bytes += j.bytes
	if w.waiting == 0 && w.back.Len() == 0 && w.running < w.opt.MaxRunning {
		w.running++
		w.launch(j)
		return
	}
	if c.queue.Len() == 0 {
		c.place = w.next.PushBack(c)
	}
	j.place = c.queue.PushBack(j)
	w.waiting++
}

// start runs the jobs whose turn it is, on goroutines of their own.
func (w *Work) start() {
	w.resume()
	for w.running < w.opt.MaxRunning && w.waiting > 0 {
		c := w.next.Front().Value.(*Calls)
		j := c.queue.Front().Value.(*job)
		w.unqueue(j)
		if c.place != nil {
			w.next.MoveToBack(c.place)
		}
		w.running++
		w.launch(j)
	}
}

// unqueue takes a job out of the queue.
func (w *Work) unqueue(j *job) {
	c := j.c
	c.queue.Remove(j.place)
	j.place = nil
	w.waiting--
	if c.queue.Len() == 0 {
		w.next.Remove(c.place)
		c.place = nil
	}
}

// free takes in that a job neither runs nor waits any more.
func (w *Work) free(j *job) {
	j.c.held--
	j.c.bytes -= j.bytes
	w.bytes -= j.bytes
}
