package fleet

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// Call calls a tool by name, of a server or of the program itself, and waits for the outcome. If ctx ends
// first, the call is cancelled and the outcome says so; if ctx has ended before Call, nothing begins and
// Call returns an error. onProgress, if not nil, requests progress and is called with it in order; if it is
// slower than the server, older progress is dropped. An unknown tool is an outcome, not an error. Errors:
// those of calls.Caller.Call, the cause of ctx, lifecycle.ErrClosed; nothing has begun then.
func (f *Fleet) Call(ctx context.Context, r calls.Request, onProgress func(protocol.ProgressParams)) (attempt.Outcome, error) {
	r.Progress = r.Progress || onProgress != nil
	w, id := waits.NewWaiter[attempt.BatchDone](waits.Reporter(onProgress)), attempt.CallID(0)
	err := f.step(ctx, func(c calls.Caller, now time.Time) (calls.Caller, calls.Output, error) {
		c, out, err := c.Call(now, r)
		if id = out.Call; err == nil {
			f.calls[id] = place{&w, 0}
		}
		return c, out, err
	})
	if err != nil {
		return attempt.Outcome{}, err
	}
	return finished(ctx, f, &w, calls.Caller.Cancel, id).Results[0].Outcome, nil
}

// Batch calls several tools, and waits until all calls have ended. If ctx ends first, the batch is cancelled
// by its mode. onProgress is called as in Call, with the index of the call in the list. Errors: those of
// calls.Caller.Batch, the cause of a ctx that has ended before, lifecycle.ErrClosed; nothing has begun then.
func (f *Fleet) Batch(ctx context.Context, list []calls.Request, opt attempt.BatchOptions, onProgress func(i int, p protocol.ProgressParams)) (attempt.BatchDone, error) {
	if onProgress != nil {
		list = append([]calls.Request(nil), list...)
		for i := range list {
			list[i].Progress = true
		}
	}
	w, id := waits.NewWaiter[attempt.BatchDone](onProgress), attempt.BatchID(0)
	err := f.step(ctx, func(c calls.Caller, now time.Time) (calls.Caller, calls.Output, error) {
		c, out, err := c.Batch(now, list, opt)
		if id = out.Batch; err == nil {
			f.batches[id] = &w
			for i := range list {
				f.calls[out.Call+attempt.CallID(i)] = place{&w, i}
			}
		}
		return c, out, err
	})
	if err != nil {
		return attempt.BatchDone{}, err
	}
	return finished(ctx, f, &w, calls.Caller.CancelBatch, id), nil
}

// finished waits for the end of a call or a batch, and cancels it if ctx ends.
func finished[ID any](ctx context.Context, f *Fleet, w *caller, cancel func(calls.Caller, time.Time, ID, string) (calls.Caller, calls.Output, error), id ID) attempt.BatchDone {
	done, over := w.Wait(ctx, &f.mu)
	if !over {
		c, out, _ := cancel(f.loop.Machine(), time.Now(), id, context.Cause(ctx).Error()) // cannot fail: it has not ended
		f.loop.Step(c, out)
		f.mu.Unlock()
		done, _ = w.Wait(context.Background(), &f.mu)
	}
	return done
}

// step runs a step of the Caller, unless ctx has ended.
func (f *Fleet) step(ctx context.Context, do func(calls.Caller, time.Time) (calls.Caller, calls.Output, error)) error {
	err := f.mu.Until(ctx, func() bool { return true })
	defer f.mu.Unlock()
	if err != nil {
		return err
	}
	c, out, err := do(f.loop.Machine(), time.Now())
	if err == nil {
		f.loop.Step(c, out)
	}
	return err
}

// startLocal starts a local tool, with the lock held.
func (f *Fleet) startLocal(i calls.LocalStart) {
	ctx, end := context.WithCancel(f.ctx)
	f.local[i.Attempt] = end
	f.apps.Go(func() {
		o := attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.Execution, Tool: i.Tool}}
		waits.Finally(func() { o = f.opt.Local(ctx, f, i) }, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.stopLocal(calls.LocalStop{Attempt: i.Attempt})
			f.loop.Step(f.loop.Machine().Finish(time.Now(), i.Attempt, o))
		})
	})
}

// stopLocal ends the context of a local tool, with the lock held.
func (f *Fleet) stopLocal(r calls.LocalStop) {
	if end := f.local[r.Attempt]; end != nil {
		delete(f.local, r.Attempt)
		end()
	}
}
