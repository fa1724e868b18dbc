package host

import (
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// events are those that Options.Event has not seen. The lock of the Client is held for all
// but wake.
type events struct {
	many, most int // how many, and how many bytes
	list       []client.Event
	bytes      int
	left       int // how many were left out
	closed     bool
	wake       chan struct{}
}

func newEvents(many, most int) *events {
	return &events{many: many, most: most, wake: make(chan struct{}, 1)}
}

// add adds one at the end.
func (e *events) add(ev client.Event) {
	ev = kept(ev)
	e.list = append(e.list, ev)
	e.bytes += weight(ev)
	if len(e.list) > e.many || e.bytes > e.most {
		e.thin()
	}
	signal(e.wake)
}

// thin leaves out the oldest, until a quarter is free, so that the rest is not moved each
// time. Changes of phase stay, for there are few of them, and so does the newest.
func (e *events) thin() {
	kept, many := e.list[:0], len(e.list)
	for i, ev := range e.list {
		enough := many <= e.many*3/4 && e.bytes <= e.most*3/4
		if enough || i == len(e.list)-1 || ev.Kind == lifecycle.PhaseChanged {
			kept = append(kept, ev)
			continue
		}
		e.bytes -= weight(ev)
		e.left++
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
	n := 256 + len(ev.Body) + len(ev.Method)
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
		c.mu.Unlock()
		for _, ev := range list {
			c.opt.Event(c, ev)
		}
		if !more {
			return
		}
	}
}

// LeftOut returns how many events Options.Event was not called with, because there were too
// many.
func (c *Client) LeftOut() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events.left
}
