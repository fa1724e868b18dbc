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

// linger is how long a goroutine that has run a function waits for the next one. Its stack has
// grown to what functions and turns need, which a new one's has to do anew: that costs more
// than all else about it.
const linger = 50 * time.Millisecond

// launch runs a job on a goroutine that waits for one, or on a new one.
func (w *Work) launch(j *job) {
	if w.workers.idle > 0 && len(w.workers.hand) < promises { // only here it grows
		w.workers.idle--
		w.workers.hand <- j
		return
	}
	go w.work(j)
}

// work runs a job, and those that follow soon.
func (w *Work) work(j *job) {
	var timer *time.Timer
	for j != nil {
		j.c.run(j)
		j = nil // not held while it waits
		if timer == nil {
			timer = time.NewTimer(linger)
		} else {
			timer.Reset(linger)
		}
		j = w.await(timer)
	}
}

// await returns the next job of a goroutine, nil if none comes.
func (w *Work) await(timer *time.Timer) *job {
	w.mu.Lock()
	w.workers.idle++
	w.mu.Unlock()
	select {
	case j := <-w.workers.hand:
		return j
	case <-timer.C:
	case <-w.workers.none:
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	select {
	case j := <-w.workers.hand: // promised at the last moment
		return j
	default:
		w.workers.idle--
		return nil
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

// failed is the answer of a function that gave none.
func failed() server.Answer {
	e := protocol.InternalError("the server failed")
	return server.Answer{Err: &e}
}

// finish hands an answer in.
func (c *Calls) finish(j *job, a server.Answer) {
	if e := j.early; e != nil {
		if e.a = a; e.entry.Answer() {
			return
		}
	}
	c.handIn(j, a)
}

// handIn hands in the answer to a call that the State has, and keeps it while the State cannot be kept: the client
// waits for it, and nobody runs the function again.
func (c *Calls) handIn(j *job, a server.Answer) {
	var until time.Time
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		var over error // ErrGone: the call has ended meanwhile
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

// misfit notes that an answer does not fit its method: the client hears "internal error".
func (j *job) misfit(out *server.Output, err error) {
	if !errors.Is(err, lifecycle.ErrParams) && !errors.Is(err, lifecycle.ErrRevision) {
		return
	}
	name := cmp.Or(rawjson.Text(string(j.body), "name"), rawjson.Text(string(j.body), "uri"))
	out.Events = append(out.Events, server.Event{
		Kind: lifecycle.LocalViolation, Method: j.Method, Cause: &lifecycle.Cause{Kind: lifecycle.CauseAborted, Err: fmt.Errorf("%s %q: %w", j.Method, name, err)},
	})
}

// pause waits, but not beyond Close of the Calls and then of the Work.
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

// An answer that could not be kept is tried again after so long, from the first to the last.
const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 1600 * time.Millisecond
)

// returned takes in, once, that a function has returned; idle says that none is left.
func (c *Calls) returned(j *job) (idle bool) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	if !j.over {
		j.over = true
		c.endOne(j.call.Seq(), lifecycle.ErrGone)
		if j.early != nil {
			j.end(lifecycle.ErrGone)
		}
		if j.back != nil { // goroutines that it has left behind may still ask
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

// answer runs the function. It does not return if that panics, without WorkOptions.Recover, or ends
// its goroutine.
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
