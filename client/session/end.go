package session

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/internal/waits"
)

// Done is closed when the session has ended permanently, and the Transport too.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns why the session has ended permanently; nil before Done, and after a successful Close.
func (c *Client) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Close ends the session: open requests have Options.Grace to finish, queued messages are sent, and the
// Transport is closed. It waits for this, and for the functions of Options, whose contexts end. If ctx ends,
// the Transport is closed at once and functions are not waited for. It returns what Err returns. It may be
// called several times. Serve and Event must call it on another goroutine, because it waits for them.
func (c *Client) Close(ctx context.Context) error {
	c.mu.Lock()
	if c.mu.Closed() == nil {
		c.step(c.s.Shutdown(time.Now(), c.opt.Grace))
		if c.mu.Closed() == nil && (c.opening || c.opt.Grace <= 0 || !c.s.Phase().Live()) {
			c.finish(nil) // there is nothing to wait for
		}
	}
	c.mu.Unlock()
	select {
	case <-c.done:
	case <-ctx.Done():
		c.fail(context.Cause(ctx))
		c.rush()
		c.end()
		<-c.done
		return c.Err()
	}
	waits.Returned(ctx, &c.apps)
	return c.Err()
}

// fail ends the session for a failure on this side.
func (c *Client) fail(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mu.Closed() != nil {
		return
	}
	c.err = cause
	c.step(c.s.Abort(time.Now(), cause))
	c.finish(cause)
}
