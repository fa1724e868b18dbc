package session

import (
	"errors"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
)

// reopen ends a lost session and opens a new one; false if it must not.
func (c *Client) reopen(cause error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s.Phase() == lifecycle.Ready && time.Since(c.ready) >= maxPause {
		c.attempts = 0 // a session that only listened was useful too
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
	c.out.Clear() // messages caused by these failures belong to the old session
	if c.s.Phase() == lifecycle.Ready {
		c.lost = slices.Collect(c.s.Subscriptions())
	}
	c.step(c.s.Disconnected(time.Now(), cause))
	c.openLater(cause)
	return true
}

// unanswered fails a request that will get no answer, with the lock held. err says how far it got.
func (c *Client) unanswered(req client.Req, err error) {
	if now := time.Now(); lifecycle.DeliveryOf(err).Repeatable() {
		c.step(c.s.SendFailed(now, req, err))
	} else {
		c.step(c.s.ResponseLost(now, req, err))
	}
}

// notBegun fails the requests that the Transport reports as not begun, with the lock held.
func (c *Client) notBegun(cause error) {
	if gone := (*links.SessionGone)(nil); errors.As(cause, &gone) {
		for _, req := range gone.NotBegun {
			c.unanswered(req, gone)
		}
	}
}

// unsent fails the requests waiting to be sent and drops the other messages, with the lock
// held.
func (c *Client) unsent(err error) {
	for _, req := range c.out.Clear() {
		c.unanswered(req, err)
	}
}
