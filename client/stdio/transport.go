package stdio

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/host"
	"github.com/sansmcp/mcp/protocol"
)

var _ host.Transport = (*Child)(nil)

// Send implements host.Transport: it queues the message, once there is room.
func (c *Child) Send(ctx context.Context, o client.Outgoing, _ protocol.Revision) error {
	if err := c.In.Wait(ctx); err != nil {
		return err
	}
	c.In.Send(o.Message)
	return nil
}

// Receive implements host.Transport. At the end it returns io.EOF, with how the server
// exited if that was a failure, or why it could not be written to.
func (c *Child) Receive(ctx context.Context) (host.Arrival, error) {
	select {
	case m, ok := <-c.Messages:
		if ok {
			return host.Arrival{Message: m}, nil
		}
		if err := c.In.Err(); err != nil {
			return host.Arrival{}, err
		}
		select { // its output ends a moment before it does
		case <-c.exited:
			if c.err != nil {
				return host.Arrival{}, fmt.Errorf("%w: %w", io.EOF, c.err)
			}
		case <-time.After(exitWait):
		}
		return host.Arrival{}, io.EOF
	case <-ctx.Done():
		return host.Arrival{}, context.Cause(ctx)
	}
}

// exitWait is how long the exit of a server is waited for after its output has ended.
const exitWait = 100 * time.Millisecond

// Close implements host.Transport: it does what Stop does, or StopNow once ctx ends, and
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
