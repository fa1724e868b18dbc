package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
)

// Close ends all calls, disconnects all servers and ends the contexts of the functions of Options, and waits
// until they have returned. If ctx ends first, it kills the servers and does not wait for functions. It
// returns all errors of ending them, joined, in connection order. It may be called several times. A function
// of Options may call it only on another goroutine, because Close waits for the function.
func (f *Fleet) Close(ctx context.Context) error {
	f.mu.Lock()
	first := f.mu.Closed() == nil
	w := newWaiter(nil)
	if first {
		f.mu.Close(errClosed)
		c, out := f.loop.Machine().Close(time.Now())
		if w.op = out.Op; out.Op.IsZero() {
			w.End(manager.Event{})
		}
		f.ops[out.Op] = w
		f.loop.Step(c, out)
	}
	f.mu.Unlock()
	if first {
		go f.finish(w)
	}
	select {
	case <-f.done:
	case <-ctx.Done():
		f.rush()
		<-f.done
		return errors.Join(f.err, context.Cause(ctx))
	}
	waits.Returned(ctx, &f.apps, &f.told)
	return f.err
}

// finish waits for the end of the servers, and ends the rest.
func (f *Fleet) finish(w *waiter) {
	ev, err := f.ended(f.hurry, w)
	all := ev.Errors
	if len(all) == 0 && f.hurry.Err() == nil { // otherwise the caller of Close knows why
		all = []error{err}
	}
	f.end()
	if err = f.loop.Close(f.hurry); err != nil && !errors.Is(err, context.Canceled) {
		all = append(all, err)
	}
	f.mu.Lock()
	f.inbox.ended = true
	f.err = errors.Join(all...)
	f.mu.Unlock()
	f.rush()
	waits.Signal(f.inbox.wake)
	close(f.done)
}
