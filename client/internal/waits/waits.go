// Package waits contains what the drivers of a client share: waiting, and calling functions of the
// application.
package waits

import (
	"context"
	"sync"

	"github.com/sansmcp/mcp/lifecycle"
)

// Change lets goroutines wait until something that a lock guards has changed. Its methods are
// called with that lock held.
type Change struct{ next chan struct{} }

// Wake wakes all waiting goroutines.
func (c *Change) Wake() {
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// Wait waits for Wake, or the end of ctx, with the lock released.
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

// Gate is a lock, the Change of what it guards, and the error that ends waiting.
type Gate struct {
	sync.Mutex
	Change
	closed error
}

// Close ends current and later waits with an error. The lock is held.
func (g *Gate) Close(err error) {
	g.closed = err
	g.Wake()
}

// Closed returns the error of Close; nil before. The lock is held.
func (g *Gate) Closed() error { return g.closed }

// Until waits until cond, called with the lock held, returns true. It returns with the lock held in any
// case. Errors: the cause of ctx as lifecycle.Unsent, because nothing was sent; that of Close.
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

// Returned waits until all goroutines of the groups have returned, or ctx ends.
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

// Finally calls f, and then end, even if f ends its goroutine (runtime.Goexit, as t.FailNow does).
// If f panics, the program ends without a call of end.
func Finally(f, end func()) {
	defer func() {
		if v := recover(); v != nil {
			panic(v)
		}
		end()
	}()
	f()
}

// Signal puts a token into a channel with room for one, for the goroutine that waits or will wait.
func Signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
