package session

import (
	"errors"
	"io"
	"time"

	"github.com/sansmcp/mcp/client/internal/sendqueue"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// read takes in what arrives, until the Transport has no more.
func (c *Client) read() {
	defer c.loop.Done()
	for {
		if !c.room() {
			return
		}
		a, err := c.t.Receive(c.ctx)
		switch {
		case err == nil:
			c.arrived(a)
		case errors.Is(err, links.ErrSessionGone) && c.reopen(err):
		default:
			c.disconnected(err)
			return
		}
	}
}

// room waits until something may be taken in; false if nothing will.
func (c *Client) room() bool {
	_ = c.mu.Until(c.ctx, func() bool { return !c.out.Full() && !(c.events.all && c.events.over()) })
	defer c.mu.Unlock()
	return c.ctx.Err() == nil // what comes during the end is taken in
}

func (c *Client) arrived(a links.Arrival) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch now := time.Now(); {
	case a.Req.IsZero():
		c.step(c.s.Receive(now, a.Message))
	case a.Paused, a.Resumed:
		c.step(c.s.Pause(now, a.Req, !a.Resumed))
	default:
		c.unanswered(a.Req, a.Err)
	}
}

// disconnected takes in that the Transport has ended.
func (c *Client) disconnected(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.Closed() != nil {
		c.out.Clear()
		return // that is why
	}
	if cause == nil {
		cause = io.EOF
	}
	c.unsent(lifecycle.Unsent(cause))
	c.notBegun(cause)
	c.out.Clear() // what these led to
	c.opening = false
	c.step(c.s.Disconnected(time.Now(), cause))
	c.finish(cause)
	c.end() // a Send that waits gives up
}

// write sends what is queued, until that is closed.
func (c *Client) write() {
	defer c.loop.Done()
	defer close(c.out.done)
	watch := time.AfterFunc(time.Hour, func() {
		c.mu.Lock()
		c.out.Clear() // nobody reads it
		c.mu.Unlock()
		c.fail(links.ErrSendTimeout)
		c.end()
	})
	defer watch.Stop()
	watch.Stop()
	for range c.out.wake {
		c.mu.Lock()
		for next, ok := c.out.Pop(); ok; next, ok = c.out.Pop() {
			c.mu.Unlock()
			if c.opt.SendTimeout > 0 {
				watch.Reset(c.opt.SendTimeout)
			}
			err := c.t.Send(c.ctx, next.Out, next.Revision)
			watch.Stop()
			c.mu.Lock()
			c.sent(next, err)
		}
		closed := c.out.closed
		c.mu.Unlock()
		if closed {
			return
		}
	}
}

// sent takes in that a message was sent, or why it was not.
func (c *Client) sent(o sendqueue.Item, err error) {
	if c.out.Sent(o) {
		c.mu.Wake()
	}
	if err != nil && o.Out.Message.Kind == jsonrpc.KindRequest {
		c.unanswered(o.Out.Req, err)
	}
}
