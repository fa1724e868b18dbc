package child

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/links"
)

var _ links.Transport = (*Child)(nil)

// exitOf fills in how the process ended.
func (c *Child) exitOf(e *EndError) {
	timer := time.NewTimer(exitWait)
	defer timer.Stop()
	select { // its output ends a moment before it does
	case <-c.exited:
		e.Exited, e.Exit = true, c.err
		select {
		case <-c.logRead:
		case <-timer.C:
		}
	case <-timer.C:
	}
	e.Stderr = c.said.text()
}

// exitWait is how long the exit of a server is waited for after its output has ended.
const exitWait = 100 * time.Millisecond

// Close implements links.Transport: it does what Stop does, or StopNow once ctx ends, and
// waits until the server is gone. What the server says meanwhile is dropped. It returns why
// the server could not be written to; Exit tells how it ended.
func (c *Child) Close(ctx context.Context) error {
	c.Stop()
	go func() {
		for range c.Messages { // so that it can be written and read to the end
		}
	}()
	select {
	case <-c.gone:
	case <-ctx.Done():
		c.StopNow()
		<-c.gone
	}
	return c.In.Err()
}
