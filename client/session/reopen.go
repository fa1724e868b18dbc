package session

import (
	"errors"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
)

// reopen takes in that the session is gone, and opens a new one; false if it is not to.
func (c *Client) reopen(cause error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s.Phase() == lifecycle.Ready && time.Since(c.ready) >= maxPause {
		c.attempts = 0 // also a session that only listened was of use
	}
	if c.mu.Closed() != nil || c.attempts >= c.opt.Reopen || c.s.Phase() == lifecycle.Uninitialized {
		return false
	}
	c.opening = true
	gone := new(links.SessionGone)
	if !errors.As(cause, &gone) {
		gone.Err = cause
	}
	c.unsent(gone)
	c.notBegun(cause)
	c.out.Clear() // what these led to is of the old session
	if c.s.Phase() == lifecycle.Ready {
		c.lost = slices.Collect(c.s.Subscriptions())
	}
	c.step(c.s.Disconnected(time.Now(), cause))
	c.openLater(cause)
	return true
}

// unanswered fails a request that no answer will come to, with the lock held. The error says how far
// it came.
func (c *Client) unanswered(req client.Req, err error) {
	if now := time.Now(); lifecycle.DeliveryOf(err).Repeatable() {
		c.step(c.s.SendFailed(now, req, err))
	} else {
		c.step(c.s.ResponseLost(now, req, err))
	}
}

// notBegun fails the requests of which the Transport knows that they did not begin, with the lock held.
func (c *Client) notBegun(cause error) {
	if gone := (*links.SessionGone)(nil); errors.As(cause, &gone) {
		for _, req := range gone.NotBegun {
			c.unanswered(req, gone)
		}
	}
}

// unsent fails the requests that wait to be sent, with the lock held, and drops what else does.
func (c *Client) unsent(err error) {
	for _, req := range c.out.Clear() {
		c.unanswered(req, err)
	}
}
