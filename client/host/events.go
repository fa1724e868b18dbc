package host

import (
	"context"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// events are those that Options.Event has not seen. The lock of the Client is held for all
// but wake.
type events struct {
	many, most int  // how many, and how many bytes
	all        bool // none is left out
	list       []client.Event
	bytes      int
	came, seen int // how many there were, and how many of them are of no concern any more
	left       int // how many were left out
	closed     bool
	wake       chan struct{}
}

func newEvents(many, most int, all bool) *events {
	return &events{many: many, most: most, all: all, wake: make(chan struct{}, 1)}
}

// over reports whether there are too many.
func (e *events) over() bool { return len(e.list) > e.many || e.bytes > e.most }

// add adds one at the end.
func (e *events) add(ev client.Event) {
	ev = kept(ev)
	e.list = append(e.list, ev)
	e.bytes += weight(ev)
	e.came++
	if e.over() && !e.all {
		e.thin()
	}
	signal(e.wake)
}

// thin leaves out the oldest, until a quarter is free, so that the rest is not moved each
// time. Changes of phase stay, for there are few of them, and so does the newest. A server whose
// sessions begin and end without end makes many: then the oldest of these are left out too.
func (e *events) thin() {
	e.leaveOut(true)
	if newest := weight(e.list[len(e.list)-1]); len(e.list) > e.many || e.bytes-newest > e.most {
		e.leaveOut(false)
	}
}

func (e *events) leaveOut(butPhases bool) {
	kept, many := e.list[:0], len(e.list)
	for i, ev := range e.list {
		enough := many <= e.many*3/4 && e.bytes <= e.most*3/4
		if enough || i == len(e.list)-1 || butPhases && ev.Kind == lifecycle.PhaseChanged {
			kept = append(kept, ev)
			continue
		}
		e.bytes -= weight(ev)
		e.left++
		e.seen++
		many--
	}
	clear(e.list[len(kept):])
	e.list = kept
}

// kept returns an event that shares no memory with its message, which may be much larger.
func kept(ev client.Event) client.Event {
	ev.ID, ev.Method, ev.Body = ev.ID.Clone(), strings.Clone(ev.Method), jsonrpc.Raw(strings.Clone(string(ev.Body)))
	if ev.Err != nil {
		ev.Err = &jsonrpc.Error{
			Code: ev.Err.Code, Message: strings.Clone(ev.Err.Message), Data: jsonrpc.Raw(strings.Clone(string(ev.Err.Data))),
		}
	}
	return ev
}

// weight returns about how much memory an event holds.
func weight(ev client.Event) int {
	id, _ := ev.ID.Str()
	n := 256 + len(id) + len(ev.Body) + len(ev.Method)
	if ev.Err != nil {
		n += len(ev.Err.Message) + len(ev.Err.Data)
	}
	return n
}

// take takes all that there are; more is false once there will be none.
func (e *events) take() (list []client.Event, more bool) {
	list, e.list, e.bytes = e.list, nil, 0
	return list, !e.closed
}

// report calls Options.Event until the end.
func (c *Client) report() {
	defer c.apps.Done()
	for range c.events.wake {
		c.mu.Lock()
		list, more := c.events.take()
		c.change() // there is room
		c.mu.Unlock()
		for _, ev := range list {
			c.opt.Event(c, ev)
			c.mu.Lock()
			c.events.seen++
			c.change()
			c.mu.Unlock()
		}
		if !more {
			return
		}
	}
}

// Sync waits until Options.Event has returned for everything that has happened before, as
// what came in before an answer. It is not for Event. Errors: the cause of ctx, ErrClosed.
func (c *Client) Sync(ctx context.Context) error {
	c.mu.Lock()
	came := c.events.came
	c.mu.Unlock()
	err := c.waitUntil(ctx, func() bool { return c.opt.Event == nil || c.events.seen >= came })
	c.mu.Unlock()
	return err
}

// LeftOut returns how many events Options.Event was not called with, because there were too
// many.
func (c *Client) LeftOut() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events.left
}
