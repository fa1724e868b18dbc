package host

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// linger is how often goroutines that wait for a function and were not needed since are ended: one waits twice as
// long at most. Its stack has grown to what functions and turns need. Growing a new stack costs more than anything else about a
// goroutine.
const linger = 50 * time.Millisecond

// promises is how many jobs may be promised and not yet taken before a sender waits.
const promises = 256

// launch runs a job on a goroutine that waits for one, or on a new one.
func (w *Work) launch(j *job) { w.send(j, w.promise()) }

// promise takes one of the goroutines that wait for a job; false if there is none.
func (w *Work) promise() bool {
	if w.workers.idle == 0 {
		return false
	}
	w.workers.idle--
	w.workers.least = min(w.workers.least, w.workers.idle)
	return true
}

// send is launch, with or without a goroutine that was promised. It may be called with the lock, because goroutines that
// were promised receive without it.
func (w *Work) send(j *job, promised bool) {
	if promised {
		w.workers.hand <- j
	} else {
		go w.work(j)
	}
}

// work runs a job, and those that follow soon.
func (w *Work) work(j *job) {
	for j != nil {
		j.c.run(j)
		j = nil // not held while it waits
		j = w.await()
	}
}

// await returns the next job of a goroutine, nil if none comes. One timer serves all that wait: a timer for each would
// be set once a call.
func (w *Work) await() *job {
	w.mu.Lock()
	if w.workers.closed() {
		w.mu.Unlock()
		return nil
	}
	if w.workers.idle++; !w.workers.timed {
		w.workers.timed, w.workers.least = true, w.workers.idle
		if w.workers.timer == nil {
			w.workers.timer = time.AfterFunc(linger, w.retire)
		} else {
			w.workers.timer.Reset(linger)
		}
	}
	w.mu.Unlock()
	return <-w.workers.hand
}

// retire ends the goroutines that were not needed since the timer was set.
func (w *Work) retire() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dismiss(w.workers.least)
	w.workers.least = w.workers.idle
	if w.workers.timed = w.workers.idle > 0; w.workers.timed {
		w.workers.timer.Reset(linger)
	}
}

// dismiss ends n goroutines that wait.
func (w *Work) dismiss(n int) {
	for range n {
		w.workers.idle--
		w.workers.hand <- nil // as send
	}
}

// closed reports whether Close was called.
func (w *workers) closed() bool {
	select {
	case <-w.none:
		return true
	default:
		return false
	}
}

// run answers a call.
func (c *Calls) run(j *job) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			panic(v)
		}
		c.finish(j, failed()) // it has ended its goroutine, which only runs what is deferred
	}()
	a := c.answer(j)
	returned = true
	c.finish(j, a)
}

// failed is the answer of a function that returned none.
func failed() server.Answer {
	e := protocol.InternalError("the server failed")
	return server.Answer{Err: &e}
}

// finish passes an answer to the State.
func (c *Calls) finish(j *job, a server.Answer) {
	if e := j.early; e != nil {
		if e.a = a; e.entry.Answer() {
			return
		}
	}
	c.handIn(j, a)
}

// handIn passes the answer of a call that the State has to the State, and keeps it while the State cannot be kept:
// the client waits for it, and the function does not run again.
func (c *Calls) handIn(j *job, a server.Answer) {
	var until time.Time
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		var over error // ErrGone: the call has ended in the meantime
		err := c.t.Turn(func(s server.State, now time.Time) (_ server.State, out server.Output, _ error) {
			c.returned(j) // before the client can know: its next call finds the room
			a.Call = s.Call(j.call.Seq(), j.call.Key())
			s, out, over = s.Finish(now, a)
			j.misfit(&out, over)
			return s, out, over
		})
		if err == nil || over != nil || errors.Is(err, lifecycle.ErrGone) || c.over() {
			break
		}
		if errors.Is(err, lifecycle.ErrLimit) { // with this answer
			e := protocol.InternalError("the answer is too large to be kept")
			a = server.Answer{Err: &e}
		}
		if until.IsZero() {
			until = time.Now().Add(c.w.opt.KeepAnswer)
		} else if !time.Now().Before(until) {
			break
		}
		c.pause(wait)
	}
	if t, ok := c.t.(interface{ Idle() }); c.returned(j) && ok {
		t.Idle()
	}
}

// misfit reports that an answer does not fit its method: the client gets "internal error".
func (j *job) misfit(out *server.Output, err error) {
	if !errors.Is(err, lifecycle.ErrParams) && !errors.Is(err, lifecycle.ErrRevision) {
		return
	}
	name := cmp.Or(rawjson.Text(string(j.body), "name"), rawjson.Text(string(j.body), "uri"))
	out.Events = append(out.Events, server.Event{
		Kind: lifecycle.LocalViolation, Method: j.Method, Cause: &lifecycle.Cause{Kind: lifecycle.CauseAborted, Err: fmt.Errorf("%s %q: %w", j.Method, name, err)},
	})
}

// pause waits, but not after Close of the Calls and then of the Work.
func (c *Calls) pause(d time.Duration) {
	after := time.After(d)
	select {
	case <-c.w.workers.none:
		if !c.over() {
			<-after
		}
	case <-after:
	}
}

// over reports whether Close was called.
func (c *Calls) over() bool {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	return c.closed != nil
}

// The first and the last delay before an answer that could not be kept is tried again.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 1600 * time.Millisecond
)

// returned notes, once, that a function has returned; idle reports that none is left.
func (c *Calls) returned(j *job) (idle bool) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !j.over {
		j.over = true
		c.endOne(j.call.Seq(), lifecycle.ErrGone)
		if j.early != nil {
			j.end(lifecycle.ErrGone)
		}
		if j.back != nil { // goroutines that it has left running may still send requests
			c.w.unqueue(j)
			close(j.back)
			j.back = nil
		}
		c.w.unparked(j)
		c.w.ran(c, -1)
		c.w.free(j)
		c.w.start()
	}
	return c.held == 0
}

// answer runs the function. It does not return if the function panics, without WorkOptions.Recover,
// or ends its goroutine.
func (c *Calls) answer(j *job) (a server.Answer) {
	if report := c.w.opt.Recover; report != nil {
		defer func() {
			if v := recover(); v != nil {
				report(v, debug.Stack())
				a = failed()
			}
		}()
	}
	return j.Run(j.ctx, (*caller)(j))
}

// count counts a job that runs or waits.
func (w *Work) count(j *job) {
	c := j.c
	w.jobs[j] = struct{}{}
	c.held++
	c.owner.held++
	w.bytes += j.bytes
	c.bytes += j.bytes
	c.owner.bytes += j.bytes
}

// add adds a job: it runs at once if there is a place, or it waits.
func (w *Work) add(j *job) {
	c := j.c
	w.count(j)
	if c.queue.Len() == 0 && w.place(c) { // start leaves nothing queued that has a place
		w.ran(c, 1)
		w.launch(j)
		return
	}
	w.waiting++
	w.queue(j)
	w.pressed()
}

// start runs the jobs whose turn it is, each on a goroutine of its own.
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
