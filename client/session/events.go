package session

import (
	"context"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
)

// report calls Options.Event with a list, and with later events until the end if more is set. If Event ends
// its goroutine (runtime.Goexit), report continues on another.
func (c *Client) report(list []client.Event, more bool) {
	defer c.apps.Done()
	over := false
	waits.Finally(func() {
		for {
			for len(list) > 0 {
				ev := list[0]
				list = list[1:]
				waits.Finally(func() { c.opt.Event(c, ev) }, c.told)
			}
			if !more {
				break
			}
			<-c.events.wake
			c.mu.Lock()
			list, more = c.events.take()
			c.mu.Wake() // there is room: what Event waits for may be among the messages to be read
			c.mu.Unlock()
		}
		over = true
	}, func() {
		if !over {
			c.apps.Add(1)
			go c.report(list, more)
		}
	})
}

// told records that Options.Event has returned.
func (c *Client) told() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events.seen++
	c.mu.Wake()
}

// Sync waits until Options.Event has returned for every earlier event, such as those received before
// an answer. Event must not call it. Errors: the cause of ctx, lifecycle.ErrClosed.
func (c *Client) Sync(ctx context.Context) error {
	c.mu.Lock()
	came := c.events.came
	c.mu.Unlock()
	err := c.mu.Until(ctx, func() bool { return c.opt.Event == nil || c.events.seen >= came })
	c.mu.Unlock()
	return err
}

// LeftOut returns how many events were dropped because too many waited for Options.Event.
func (c *Client) LeftOut() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events.left
}
