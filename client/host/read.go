package host

import (
	"errors"
	"io"
	"time"

	"github.com/sansmcp/mcp/client"
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
		case errors.Is(err, ErrSessionGone) && c.reopen(err):
		default:
			c.disconnected(err)
			return
		}
	}
}

// room waits until something may be taken in; false if nothing will.
func (c *Client) room() bool {
	_ = c.when(c.ctx, func() bool { return !c.out.full() && !(c.events.all && c.events.over()) })
	defer c.mu.Unlock()
	return c.ctx.Err() == nil // what comes during the end is taken in
}

func (c *Client) arrived(a Arrival) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out client.Output
	now := time.Now()
	switch {
	case a.Req.IsZero():
		c.s, out = c.s.Receive(now, a.Message)
	case a.Sent:
		c.s, out = c.s.ResponseLost(now, a.Req, a.Err)
	default:
		c.s, out = c.s.SendFailed(now, a.Req, a.Err)
	}
	c.step(out)
}

// disconnected takes in that the Transport has ended.
func (c *Client) disconnected(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out.clear()
	if c.ending {
		return // that is why
	}
	if cause == nil {
		cause = io.EOF
	}
	var out client.Output
	c.s, out = c.s.Disconnected(time.Now(), cause)
	c.opening = false
	c.step(out)
	c.finish(cause)
	c.end() // a Send that waits gives up
}
