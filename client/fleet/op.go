package fleet

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// verb is a step of the Manager. It may be asked for once.
type verb = func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error)

// infallible makes a verb of one that cannot fail.
func infallible(m manager.Manager, e manager.Effects) (manager.Manager, manager.Effects, error) {
	return m, e, nil
}

// waiter is somebody who waits for the end of an operation, a call or a batch. The lock of the Fleet
// is held for all but wake and report.
type waiter struct {
	op     manager.Op
	report func(i int, p protocol.ProgressParams) // nil: nobody wants progress
	news   waits.Progress
	over   bool
	last   manager.Event     // of an operation that is over
	done   attempt.BatchDone // of a batch that is over; of a call it is the one result
	wake   chan struct{}
}

func newWaiter(report func(int, protocol.ProgressParams)) *waiter {
	return &waiter{report: report, wake: make(chan struct{}, 1)}
}

func (w *waiter) end(ev manager.Event, done attempt.BatchDone) {
	w.over, w.last, w.done = true, ev, done
	waits.Signal(w.wake)
}

func (w *waiter) progress(call int, body jsonrpc.Raw) {
	if w.report == nil {
		return
	}
	w.news.Add(call, body)
	waits.Signal(w.wake)
}

// start makes a step of the Manager, with the lock held. w waits for its operation; nil if nobody
// does. Errors: those of the verb.
func (f *Fleet) start(w *waiter, v verb) error {
	now := time.Now()
	c, out, err := f.loop.Machine().Manage(now, func(m manager.Manager) (manager.Manager, manager.Effects, error) { return v(m, now) })
	if err != nil {
		return err
	}
	switch {
	case w == nil:
	case out.Op.IsZero():
		w.end(manager.Event{}, attempt.BatchDone{})
	default:
		w.op = out.Op
		f.ops[out.Op] = w // before the step, which may end it
	}
	f.loop.Step(c, out)
	return nil
}

// wait waits until w is over, and calls its report. If ctx ends first, cancel is called with the lock
// held; it reports whether the end is still to be waited for. Errors: the cause of ctx, if it is not.
func (f *Fleet) wait(ctx context.Context, w *waiter, cancel func() bool) error {
	ended := ctx.Done()
	for {
		f.mu.Lock()
		list, over := w.news.Take(), w.over
		f.mu.Unlock()
		for _, n := range list {
			if p, err := protocol.Decode[protocol.ProgressParams](n.Body); err == nil {
				w.report(n.Index, p)
			}
		}
		if over {
			return nil
		}
		select {
		case <-w.wake:
		case <-ended:
			ended = nil
			f.mu.Lock()
			gone := !w.over && !cancel()
			f.mu.Unlock()
			if gone {
				return context.Cause(ctx)
			}
		}
	}
}

// ended waits for the end of an operation. If ctx ends first, it is cancelled where that can be;
// else it goes on by itself. Errors: that of the OpDone, the cause of ctx.
func (f *Fleet) ended(ctx context.Context, w *waiter) (manager.Event, error) {
	err := f.wait(ctx, w, func() bool {
		delete(f.ops, w.op)
		_ = f.start(nil, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
			return m.Cancel(now, w.op, "")
		})
		return false
	})
	if err != nil {
		return manager.Event{}, err
	}
	return w.last, w.last.Err
}

// outlive waits for an operation that goes on when ctx ends. Errors: as ended.
func (f *Fleet) outlive(ctx context.Context, w *waiter) error {
	err := f.wait(ctx, w, func() bool {
		delete(f.ops, w.op)
		return false
	})
	if err != nil {
		return err
	}
	return w.last.Err
}

// Health looks whether each server works (row A13): one that is ready is pinged, one that is
// not is waited for or opened. The reports stand in the order of connect. Errors: the cause of
// ctx, ErrClosed; what a server lacks is in its report.
func (f *Fleet) Health(ctx context.Context) ([]manager.Checkup, error) {
	ev, err := f.Server("").Manage(ctx, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return infallible(m.HealthCheck(now))
	})
	return ev.Checkups, err
}

// run makes an operation and waits for its end. A server that is opened on demand is opened first, and
// one whose queue is full is waited for; "" is none. Errors: those of the verb, why the server is
// not ready, those of ended, ErrClosed.
func (f *Fleet) run(ctx context.Context, w *waiter, server string, v verb) (manager.Event, error) {
	if ctx.Err() != nil { // nobody waits for what a server would be opened for
		return manager.Event{}, context.Cause(ctx)
	}
	if err := f.wake(ctx, server); err != nil {
		return manager.Event{}, err
	}
	if err := f.begin(ctx, w, server, v); err != nil {
		return manager.Event{}, err
	}
	return f.ended(ctx, w)
}

// begin makes an operation when there is room for what it sends. Errors: those of the verb, the cause of
// ctx, ErrClosed.
func (f *Fleet) begin(ctx context.Context, w *waiter, server string, v verb) error {
	err := f.waitUntil(ctx, func() bool { return !f.full(server) })
	defer f.mu.Unlock() // also if the verb, which may be the application's, panics
	if err != nil {
		return err
	}
	return f.start(w, v)
}

// full reports whether too much waits to be sent to a server.
func (f *Fleet) full(server string) bool {
	if server == "" {
		return false
	}
	link, ok := f.m().Link(server)
	return ok && f.loop.Links().Full(link)
}

// wake opens a server of manager.Options.OnDemand that is not ready, and waits until it is. What
// cannot be opened now is left to fail by what it is wanted for. Errors: why it is not ready, the
// cause of ctx.
func (f *Fleet) wake(ctx context.Context, server string) error {
	f.mu.Lock()
	opt, _ := f.m().Options(server)
	s, _ := f.m().Status(server)
	if !opt.OnDemand || s.Condition == manager.Ready || f.ending {
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
	return f.outlive(ctx, w) // others may wait for it too
}
