// Package waits has what the drivers of a client share: how they wait, and how functions of the
// application answer.
package waits

import (
	"context"
	"sync"

	"github.com/sansmcp/mcp/lifecycle"
)

// Change lets goroutines wait until something that a lock guards has changed. All of it is used
// under that lock.
type Change struct{ next chan struct{} }

// Wake wakes all who wait.
func (c *Change) Wake() {
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// Wait waits for Wake, or the end of ctx, and gives up the lock meanwhile.
func (c *Change) Wait(ctx context.Context, lock *sync.Mutex) {
	if c.next == nil {
		c.next = make(chan struct{})
	}
	next := c.next
	lock.Unlock()
	defer lock.Lock()
	select {
	case <-next:
	case <-ctx.Done():
	}
}

// Gate is a lock, the Change of what it guards, and whether anything is still waited for.
type Gate struct {
	sync.Mutex
	Change
	closed error
}

// Close ends waiting with an error, now and later. The lock is held.
func (g *Gate) Close(err error) {
	g.closed = err
	g.Wake()
}

// Closed returns the error of Close; nil before it. The lock is held.
func (g *Gate) Closed() error { return g.closed }

// Until waits until cond, which is called with the lock held, and returns with the lock held in any case.
// What waits has sent nothing. Errors: the cause of ctx as lifecycle.Unsent, that of Close.
func (g *Gate) Until(ctx context.Context, cond func() bool) error {
	g.Lock()
	for {
		switch {
		case ctx.Err() != nil:
			return lifecycle.Unsent(context.Cause(ctx))
		case g.closed != nil:
			return g.closed
		case cond():
			return nil
		}
		g.Wait(ctx, &g.Mutex)
	}
}

// Returned waits until all goroutines of some groups have returned, or the end of ctx.
func Returned(ctx context.Context, groups ...*sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		for _, g := range groups {
			g.Wait()
		}
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// Finally calls f, and then end, also if f ends its goroutine (runtime.Goexit, as t.FailNow does). A
// panic of f ends the program, and end does not hold that up.
func Finally(f, end func()) {
	defer func() {
		if v := recover(); v != nil {
			panic(v)
		}
		end()
	}()
	f()
}

// Signal leaves a token in a channel for one, for the goroutine that waits or comes to wait.
func Signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
