package host

import (
	"errors"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
)

// The time from one attempt to open a new session to the next: none before the first, then
// doubled each time.
const (
	firstPause = 500 * time.Millisecond
	maxPause   = 30 * time.Second
)

// reopen takes in that the session is gone, and opens a new one; false if it is not to.
func (c *Client) reopen(cause error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s.Phase() == lifecycle.Ready && time.Since(c.ready) >= maxPause {
		c.attempts = 0 // also a session that only listened was of use
	}
	if c.ending || c.attempts >= c.opt.Reopen || c.s.Phase() == lifecycle.Uninitialized {
		return false
	}
	c.opening = true
	gone := new(links.SessionGone)
	if !errors.As(cause, &gone) {
		gone.Err = cause
	}
	c.unsent(gone)
	for _, req := range gone.NotBegun {
		c.unanswered(time.Now(), req, gone)
	}
	c.out.Clear() // what these led to is of the old session
	if c.s.Phase() == lifecycle.Ready {
		c.lost = slices.Collect(c.s.Subscriptions())
	}
	var out client.Output
	c.s, out = c.s.Disconnected(time.Now(), cause)
	c.step(out)
	c.openLater(cause)
	return true
}

// openLater opens a new session, after some time if that was tried before.
func (c *Client) openLater(cause error) {
	if c.attempts >= c.opt.Reopen {
		c.opening = false // Output.Close ends the Client
		return
	}
	pause := time.Duration(0)
	if c.attempts > 0 {
		pause = min(firstPause<<min(c.attempts-1, 16), maxPause)
	}
	c.attempts++
	c.opener = time.AfterFunc(pause, c.openAgain)
}

func (c *Client) openAgain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending {
		return
	}
	now := time.Now()
	s, err := c.s.Reset(now)
	if err != nil {
		return // it is open
	}
	var out client.Output
	if c.s, out, err = s.Initialize(now); err == nil {
		c.step(out)
	}
}
