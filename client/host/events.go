package host

import "context"

// report calls Options.Event until the end.
func (c *Client) report() {
	defer c.apps.Done()
	for range c.events.wake {
		c.mu.Lock()
		list, more := c.events.take()
		c.changed.Wake() // there is room
		c.mu.Unlock()
		for _, ev := range list {
			c.opt.Event(c, ev)
			c.mu.Lock()
			c.events.seen++
			c.changed.Wake()
			c.mu.Unlock()
		}
		if !more {
			return
		}
	}
}

// Sync waits until Options.Event has returned for everything that has happened before, as
// what came in before an answer. It is not for Event. Errors: the cause of ctx, ErrClosed.
func (c *Client) Sync(ctx context.Context) error {
	c.mu.Lock()
	came := c.events.came
	c.mu.Unlock()
	err := c.waitUntil(ctx, func() bool { return c.opt.Event == nil || c.events.seen >= came })
	c.mu.Unlock()
	return err
}

// LeftOut returns how many events Options.Event was not called with, because there were too
// many.
func (c *Client) LeftOut() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events.left
}
