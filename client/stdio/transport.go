package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

var _ links.Transport = (*Child)(nil)

// Send implements links.Transport: it queues the message, once there is room.
func (c *Child) Send(ctx context.Context, o client.Outgoing, _ protocol.Revision) error {
	if err := c.In.Wait(ctx); err != nil {
		return lifecycle.Unsent(err)
	}
	c.In.Send(o.Message)
	return nil
}

// Receive implements links.Transport. At the end it returns io.EOF, or why the server could not
// be written to, with how it exited if that was a failure.
func (c *Child) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case m, ok := <-c.Messages:
		if ok {
			return links.Arrival{Message: m}, nil
		}
		return links.Arrival{}, c.ended()
	case <-ctx.Done():
		return links.Arrival{}, context.Cause(ctx)
	}
}

// ended says why there are no more messages.
func (c *Child) ended() error {
	err := c.In.Err()
	if errors.Is(err, pipe.ErrStalled) {
		return err // so it was killed
	}
	if err == nil {
		err = io.EOF
	}
	select { // its output ends a moment before it does
	case <-c.exited:
		if c.err != nil {
			err = fmt.Errorf("%w: %w", err, c.err)
		}
	case <-time.After(exitWait):
	}
	return err
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
