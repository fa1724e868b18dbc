package session

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/internal/waits"
)

// Done is closed when the session has ended without a successor and the Transport is
// closed.
func (c *Client) Done() <-chan struct{} { return c.done }

// Err returns why the session ended; nil before Done, and after a Close without errors.
func (c *Client) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}

// Close ends the session: open requests have Options.Grace to finish, the queue is sent, and the Transport is
// closed. Close waits for that, and for the functions of Options, whose contexts end. If ctx ends first, it
// closes the Transport at once and does not wait for functions. It returns the result of Err. It may be
// called several times; Serve and Event may call it only on another goroutine, because Close waits for them.
func (c *Client) Close(ctx context.Context) error {
	c.mu.Lock()
	if c.mu.Closed() == nil {
		c.step(c.s.Shutdown(time.Now(), c.opt.Grace))
		if c.mu.Closed() == nil && (c.opening || !c.s.Phase().Live()) {
			c.finish(nil) // nothing to wait for
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

// fail ends the session after a failure on this side.
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
