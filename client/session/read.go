package session

import (
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/internal/sendqueue"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// read handles incoming messages until the Transport ends.
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

// room waits until the next message may be read; false if the Client has ended.
func (c *Client) room() bool {
	_ = c.mu.Until(c.ctx, c.hasRoom)
	defer c.mu.Unlock()
	return c.ctx.Err() == nil // messages that arrive during the end are handled
}

// hasRoom reports whether the next message may be read, with the lock held.
func (c *Client) hasRoom() bool { return !c.out.Full() && !(c.events.all && c.events.over()) }

func (c *Client) arrived(a links.Arrival) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handle(a)
}

// handle is arrived with the lock held.
func (c *Client) handle(a links.Arrival) {
	switch now := time.Now(); {
	case a.Req.IsZero():
		c.step(c.s.Receive(now, a.Message))
	case a.Paused, a.Resumed:
		c.step(c.s.Pause(now, a.Req, !a.Resumed))
	default:
		c.unanswered(a.Req, a.Err)
	}
}

// take handles what has arrived, unless nothing may be read now. The State begins no other session in between,
// because that takes the lock.
func (c *Client) take(of any, a links.Arrival) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.hasRoom() || c.ctx.Err() != nil || !c.direct.Current(of) {
		return false
	}
	c.handle(a)
	return true
}

// disconnected handles the end of the Transport.
func (c *Client) disconnected(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.Closed() != nil {
		c.out.Clear()
		return // the end closed the Transport
	}
	c.unsent(lifecycle.Unsent(cause))
	c.notBegun(cause)
	c.out.Clear() // messages caused by these failures
	c.step(c.s.Disconnected(time.Now(), cause))
	c.finish(cause)
	c.end() // unblock a waiting Send
}

// write sends the queue until it is closed.
func (c *Client) write() {
	defer c.loop.Done()
	defer close(c.out.done)
	watch := time.AfterFunc(time.Hour, func() {
		c.mu.Lock()
		c.out.Clear() // it will not be sent
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
			if c.opt.SendTimeout != lifecycle.NoTimeout {
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

// sent records that a message was sent, or why it was not.
func (c *Client) sent(o sendqueue.Item, err error) {
	if c.out.Sent(o) {
		c.mu.Wake()
	}
	if err != nil && o.Out.Message.Kind == jsonrpc.KindRequest {
		c.unanswered(o.Out.Req, err)
	}
}
