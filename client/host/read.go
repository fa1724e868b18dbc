package host

import (
	"errors"
	"io"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
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
	_ = c.waitUntil(c.ctx, func() bool { return !c.out.Full() && !(c.events.all && c.events.over()) })
	defer c.mu.Unlock()
	return c.ctx.Err() == nil // what comes during the end is taken in
}

func (c *Client) arrived(a links.Arrival) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out client.Output
	now := time.Now()
	if a.Req.IsZero() {
		c.s, out = c.s.Receive(now, a.Message)
		c.step(out)
		return
	}
	c.unanswered(now, a.Req, a.Err)
}

// unanswered fails a request that no answer will come to, with the lock held. The error says how far
// it came.
func (c *Client) unanswered(now time.Time, req client.Req, err error) {
	var out client.Output
	if lifecycle.DeliveryOf(err).Repeatable() {
		c.s, out = c.s.SendFailed(now, req, err)
	} else {
		c.s, out = c.s.ResponseLost(now, req, err)
	}
	c.step(out)
}

// unsent fails the requests that wait to be sent, with the lock held, and drops what else does.
func (c *Client) unsent(err error) {
	list := c.out.Clear()
	for _, req := range list {
		c.unanswered(time.Now(), req, err)
	}
}

// disconnected takes in that the Transport has ended.
func (c *Client) disconnected(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		c.out.Clear()
		return // that is why
	}
	if cause == nil {
		cause = io.EOF
	}
	c.unsent(lifecycle.Unsent(cause))
	c.out.Clear() // what these led to
	var out client.Output
	c.s, out = c.s.Disconnected(time.Now(), cause)
	c.opening = false
	c.step(out)
	c.finish(cause)
	c.end() // a Send that waits gives up
}
