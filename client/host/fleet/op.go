package fleet

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

// waiter is somebody who waits for the end of an operation. The lock of the Fleet is held for
// all but wake.
type waiter struct {
	op    manager.Op
	wants bool   // progress
	frees string // the name of a Connect, which is free again if nobody waits any more
	news  waits.Progress
	over  bool
	last  manager.Event // once it is over
	wake  chan struct{}
}

func (w *waiter) end(ev manager.Event) {
	w.over, w.last = true, ev
	waits.Signal(w.wake)
}

func (w *waiter) progress(ev client.Event) {
	w.news.Add(ev.Body)
	waits.Signal(w.wake)
}

// begin begins the operation of a new waiter. A server that is opened on demand is opened first, and
// one whose queue is full is waited for; "" is none. Errors: those of the verb, why the server is
// not ready, the cause of ctx, ErrClosed.
func (f *Fleet) begin(ctx context.Context, server string, w *waiter, v verb) error {
	if err := f.wake(ctx, server); err != nil {
		return err
	}
	err := f.waitUntil(ctx, func() bool { return !f.full(server) })
	defer f.mu.Unlock()
	if err != nil {
		return err
	}
	return f.start(w, v)
}

// start is begin with the lock held, and without waiting.
func (f *Fleet) start(w *waiter, v verb) error {
	w.wake = make(chan struct{}, 1)
	m, out, err := v(time.Now())
	switch {
	case err != nil:
	case out.Op.IsZero():
		w.end(manager.Event{})
	default:
		w.op = out.Op
		f.waiting[out.Op] = w // before the step, which may end it
	}
	f.loop.Step(m, out)
	return err
}

// ended takes in the end of an operation, with the lock held.
func (f *Fleet) ended(ev manager.Event) {
	if w := f.waiting[ev.Op]; w != nil {
		delete(f.waiting, ev.Op)
		w.end(ev)
	}
}

// free disconnects a name, and waits for nothing.
func (f *Fleet) free(name string) {
	_ = f.do(func(now time.Time) (manager.Manager, manager.Effects, error) {
		return infallible(f.m().Disconnect(now, name))
	})
}

// full reports whether too much waits to be sent to a server.
func (f *Fleet) full(server string) bool {
	if server == "" {
		return false
	}
	link, ok := f.m().Link(server)
	return ok && f.loop.Links().Full(link)
}

// wait waits for the end of an operation. If ctx ends first, it is cancelled where that can be;
// else it goes on by itself. Errors: that of the OpDone, the cause of ctx.
func (f *Fleet) wait(ctx context.Context, w *waiter, report func(protocol.ProgressParams)) (ev manager.Event, err error) {
	for {
		f.mu.Lock()
		news, over, last := w.news.Take(), w.over, w.last
		f.mu.Unlock()
		for _, body := range news {
			if p, err := protocol.Decode[protocol.ProgressParams](body); err == nil && report != nil {
				report(p)
			}
		}
		if over {
			return last, last.Err
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			if f.giveUp(w) {
				return manager.Event{}, context.Cause(ctx)
			}
		}
	}
}

// giveUp ends an operation that nobody waits for any more; false if it has ended.
func (f *Fleet) giveUp(w *waiter) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if w.over {
		return false
	}
	delete(f.waiting, w.op)
	if w.frees != "" {
		f.free(w.frees) // whose it is as long as the operation goes on
		return true
	}
	_ = f.do(func(now time.Time) (manager.Manager, manager.Effects, error) {
		return f.m().Cancel(now, w.op, "") // what cannot be cancelled goes on by itself
	})
	return true
}

// run is begin and wait.
func (f *Fleet) run(ctx context.Context, server string, v verb) (manager.Event, error) {
	w := new(waiter)
	if err := f.begin(ctx, server, w, v); err != nil {
		return manager.Event{}, err
	}
	return f.wait(ctx, w, nil)
}
