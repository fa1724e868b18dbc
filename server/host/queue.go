package host

import "github.com/sansmcp/mcp/protocol"

// endOne ends the context of a call, and drops the call if it waited.
func (c *Calls) endOne(seq uint64, cause error) {
	j := c.open[seq]
	if j == nil {
		return
	}
	delete(c.open, seq)
	j.end(cause)
	if j.place != nil && j.back == nil {
		c.w.unqueue(j)
		c.w.waiting--
		c.w.free(j)
	}
}

func (w *Work) unparked(j *job) {
	if j.parked {
		j.parked = false
		w.parked--
		w.ran(j.c, 1)
	}
}

// tooBusy answers a call that exceeds a limit.
var tooBusy = protocol.InternalError("too busy")

// room reports whether the limits allow a call of c with params of so many bytes.
func (w *Work) room(c *Calls, bytes int) bool {
	n, o := w.running+w.parked+w.waiting, c.owner
	free, freeBytes := w.opt.MaxRunning+w.opt.MaxWaiting-n, w.opt.CallBytes-w.bytes
	return free > 0 && c.held < w.opt.MaxPerSession &&
		(n == 0 || bytes <= freeBytes) &&
		(c.held == 0 || c.bytes+bytes <= w.opt.SessionBytes) &&
		(w.opt.NoShares || fits(free, o.held, c.held) && (o.held == 0 || fits(freeBytes, o.bytes, c.bytes)))
}

// pressed calls WorkOptions.Pressed.
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

// turn returns the session whose job is the next to run, nil if none may.
func (w *Work) turn() *Calls {
	if w.running >= w.opt.MaxRunning {
		return nil
	}
	// Sessions that are skipped have functions that run, so their number is bounded.
	for o := w.next.Front(); o != nil; o = o.Next() {
		for c := o.Value.(*owner).next.Front(); c != nil; c = c.Next() {
			if c := c.Value.(*Calls); w.place(c) {
				return c
			} else if c.running == 0 {
				break // nor has another session of the owner a place
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

// free notes that a job neither runs nor waits any more.
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
