package host

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/lifecycle"
)

// step does what an Output asks for. c.s is the State that came with it; the lock is held.
func (c *Client) step(out client.Output) {
	for i := range c.lists {
		c.lists[i].m, c.s, out = c.lists[i].m.Handle(c.s, out)
	}
	for _, o := range out.Send {
		c.out.push(o, c.s.Revision())
	}
	for _, ev := range out.Events {
		c.event(ev)
	}
	for call := range out.EndedCalls() {
		c.callEnded(call, lifecycle.ErrGone) // answered; the others have their causes
	}
	if out.Close != nil && !c.opening {
		c.finish(failure(out.Close))
	}
	if t, ok := c.deadline(); ok {
		c.timer.Reset(time.Until(t))
	} else {
		c.timer.Stop()
	}
}

// failure returns what an end is the failure of; nil for one that was wished for.
func failure(cause *lifecycle.Cause) error {
	if cause.Kind == lifecycle.CauseShutdown {
		return nil
	}
	return cause
}

// event takes in one event.
func (c *Client) event(ev client.Event) {
	if c.opt.Visit != nil {
		var ready []client.Req
		if c.retries, ready = c.retries.Take(ev); len(ready) > 0 {
			c.change()
		}
	}
	switch ev.Kind {
	case lifecycle.ResponseReceived, lifecycle.RequestFailed:
		if w := c.waiting[ev.Req]; w != nil {
			delete(c.waiting, ev.Req)
			w.end(ev)
			if ev.Kind == lifecycle.ResponseReceived && c.s.Phase() == lifecycle.Ready && !c.opening {
				c.attempts = 0 // the session is of use
			}
			return
		}
	case lifecycle.ProgressReceived:
		if w := c.waiting[ev.Req]; w != nil && w.wants {
			w.progress(ev)
			return
		}
	case lifecycle.RequestReceived:
		c.serve(ev)
		return
	case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
		c.callEnded(ev.Call, ev.Cause)
	case lifecycle.PhaseChanged:
		c.phase(ev)
	case client.ListRead:
		if l := c.list(ev.Method); l != nil {
			l.reads++
		}
		c.change()
	}
	if c.opt.Event != nil {
		c.events.add(ev)
	}
}

// phase takes in that the session is in another phase.
func (c *Client) phase(ev client.Event) {
	if ev.To == lifecycle.Ready {
		c.ready = time.Now()
	}
	switch {
	case ev.To == lifecycle.Ready && c.opening:
		c.opening = false
	case ev.To == lifecycle.Failed && c.opening:
		c.openLater(ev.Cause)
	}
	c.change()
}

// deadline returns when something is next due.
func (c *Client) deadline() (time.Time, bool) {
	first, some := c.s.NextDeadline()
	for i := range c.lists {
		if t, ok := c.lists[i].m.NextDeadline(); ok && (!some || t.Before(first)) {
			first, some = t, true
		}
	}
	return first, some
}

func (c *Client) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return // finishing ends what waits
	}
	var out client.Output
	c.s, out = c.s.Tick(time.Now())
	c.step(out)
}
