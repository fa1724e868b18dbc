package fleet

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// verb is a step of the Manager. It is called at most once.
type verb = func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error)

// infallible adapts a verb that cannot fail.
func infallible(m manager.Manager, e manager.Effects) (manager.Manager, manager.Effects, error) {
	return m, e, nil
}

// newWaiter returns a waiter; report is called with progress, if not nil.
func newWaiter(report func(int, protocol.ProgressParams)) *waiter {
	return &waiter{Waiter: waits.NewWaiter[manager.Event](report)}
}

// start runs a step of the Manager, with the lock held. w waits for its operation; nil means that
// no caller does. Errors: those of the verb.
func (f *Fleet) start(w *waiter, v verb) error {
	now := time.Now()
	c, out, err := f.loop.Machine().Manage(now, func(m manager.Manager) (manager.Manager, manager.Effects, error) { return v(m, now) })
	if err != nil {
		return err
	}
	switch {
	case w == nil:
	case out.Op.IsZero():
		w.End(manager.Event{})
	default:
		w.op = out.Op
		f.ops[out.Op] = w // before the step, which can end it
	}
	f.loop.Step(c, out)
	return nil
}

// ended waits for the end of an operation. If ctx ends first, it cancels the operation if that
// is possible; otherwise the operation continues. Errors: that of the OpDone, the cause of ctx.
func (f *Fleet) ended(ctx context.Context, w *waiter) (manager.Event, error) {
	ev, over := w.Wait(ctx, &f.mu)
	if over {
		return ev, ev.Err
	}
	defer f.mu.Unlock()
	delete(f.ops, w.op)
	_ = f.start(nil, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.Cancel(now, w.op, "")
	})
	return manager.Event{}, context.Cause(ctx)
}

// outlive waits for an operation that continues if ctx ends. Errors: as ended.
func (f *Fleet) outlive(ctx context.Context, w *waiter) error {
	ev, over := w.Wait(ctx, &f.mu)
	if over {
		return ev.Err
	}
	defer f.mu.Unlock()
	delete(f.ops, w.op)
	return context.Cause(ctx)
}

// run begins an operation and waits for its end. It first opens a server on demand, and waits while
// the server's queue is full; "" means no server. Errors: those of the verb, why the server is not
// ready, those of ended, lifecycle.ErrClosed.
func (f *Fleet) run(ctx context.Context, w *waiter, server string, v verb) (manager.Event, error) {
	if ctx.Err() != nil { // do not open a server for a caller that has gone
		return manager.Event{}, lifecycle.Unsent(context.Cause(ctx))
	}
	if err := f.wake(ctx, server); err != nil {
		return manager.Event{}, lifecycle.Unsent(err)
	}
	if err := f.begin(ctx, w, server, v); err != nil {
		return manager.Event{}, err
	}
	return f.ended(ctx, w)
}

// begin begins an operation once the queue has room. Errors: those of the verb, the cause of ctx,
// lifecycle.ErrClosed.
func (f *Fleet) begin(ctx context.Context, w *waiter, server string, v verb) error {
	err := f.mu.Until(ctx, func() bool { return !f.full(server) })
	defer f.mu.Unlock() // also if the verb, which may be the application's, panics
	if err != nil {
		return err
	}
	return f.start(w, v)
}

// full reports whether the queue of a server is full.
func (f *Fleet) full(server string) bool {
	if server == "" {
		return false
	}
	link, ok := f.m().Link(server)
	return ok && f.loop.Links().Full(link)
}

// wake opens a server with manager.Options.OnDemand that is not ready, and waits until it is. If
// it cannot be opened, the operation that needs it fails instead. Errors: why it is not ready,
// the cause of ctx.
func (f *Fleet) wake(ctx context.Context, server string) error {
	f.mu.Lock()
	opt, _ := f.m().Options(server)
	s, _ := f.m().Status(server)
	if !opt.OnDemand || s.Condition == manager.Ready || f.mu.Closed() != nil {
		f.mu.Unlock()
		return nil
	}
	w := newWaiter(nil)
	err := f.start(w, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.Open(now, server)
	})
	f.mu.Unlock()
	if err != nil {
		return nil
	}
	return f.outlive(ctx, w) // other callers may wait for it too
}
