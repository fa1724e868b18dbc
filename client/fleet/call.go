package fleet

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// place is where the result of a call belongs: to one who waits, and in a batch to which of its calls.
type place struct {
	w *waiter
	i int
}

// Call calls a tool by name, of a server or of the program itself, and waits for the outcome. If ctx
// ends first, the call is cancelled, which the outcome says. onProgress, if it is not nil, is called with
// the progress of the call in order, and asks for it; if it is slower than the server, older progress is
// left out. That there is no such tool is an outcome too. Errors: those of calls.Caller.Call, with
// nothing begun; ErrClosed.
func (f *Fleet) Call(ctx context.Context, r calls.Request, onProgress func(protocol.ProgressParams)) (attempt.Outcome, error) {
	var report func(int, protocol.ProgressParams)
	if onProgress != nil {
		r.Progress = true
		report = func(_ int, p protocol.ProgressParams) { onProgress(p) }
	}
	w, id := newWaiter(report), attempt.CallID(0)
	err := f.caller(func(c calls.Caller, now time.Time) (calls.Caller, calls.Output, error) {
		c, out, err := c.Call(now, r)
		if id = out.Call; err == nil {
			f.calls[id] = place{w, 0}
		}
		return c, out, err
	})
	if err != nil {
		return attempt.Outcome{}, err
	}
	_ = f.wait(ctx, w, func() bool {
		c, out, _ := f.loop.Machine().Cancel(time.Now(), id, context.Cause(ctx).Error()) // it has not ended
		f.loop.Step(c, out)
		return true
	})
	return w.done.Results[0].Outcome, nil
}

// Batch calls several tools, and waits until all calls have ended. If ctx ends first, the batch is
// cancelled in its mode. onProgress is called as that of Call, with the index of the call in the list.
// Errors: those of calls.Caller.Batch, with nothing begun; ErrClosed.
func (f *Fleet) Batch(ctx context.Context, list []calls.Request, opt attempt.BatchOptions, onProgress func(i int, p protocol.ProgressParams)) (attempt.BatchDone, error) {
	if onProgress != nil {
		list = append([]calls.Request(nil), list...)
		for i := range list {
			list[i].Progress = true
		}
	}
	w, id := newWaiter(onProgress), attempt.BatchID(0)
	err := f.caller(func(c calls.Caller, now time.Time) (calls.Caller, calls.Output, error) {
		c, out, err := c.Batch(now, list, opt)
		if id = out.Batch; err == nil {
			f.batches[id] = w
			for i := range list {
				f.calls[out.Call+attempt.CallID(i)] = place{w, i}
			}
		}
		return c, out, err
	})
	if err != nil {
		return attempt.BatchDone{}, err
	}
	_ = f.wait(ctx, w, func() bool {
		c, out, _ := f.loop.Machine().CancelBatch(time.Now(), id, context.Cause(ctx).Error()) // it has not ended
		f.loop.Step(c, out)
		return true
	})
	return w.done, nil
}

// caller makes a step of the Caller.
func (f *Fleet) caller(do func(calls.Caller, time.Time) (calls.Caller, calls.Output, error)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ending {
		return ErrClosed
	}
	c, out, err := do(f.loop.Machine(), time.Now())
	if err == nil {
		f.loop.Step(c, out)
	}
	return err
}

// progress hands on progress of a call, with the lock held.
func (f *Fleet) progress(p calls.Progress) {
	of := f.calls[p.Call]
	of.w.progress(of.i, p.Params)
}

// settled takes in the end of a call, with the lock held.
func (f *Fleet) settled(r attempt.Result) {
	if w := f.calls[r.Call].w; r.Batch == 0 {
		w.end(manager.Event{}, attempt.BatchDone{Results: []attempt.Result{r}})
	}
	delete(f.calls, r.Call)
}

// invoke has a local tool run, with the lock held.
func (f *Fleet) invoke(i calls.LocalStart) {
	ctx, end := context.WithCancel(f.ctx)
	f.local[i.Attempt] = end
	f.apps.Go(func() {
		o := attempt.Outcome{Err: &toolerror.Error{Kind: toolerror.Execution, Tool: i.Tool}}
		waits.Finally(func() { o = f.opt.Local(ctx, f, i) }, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.revoke(calls.LocalStop{Attempt: i.Attempt})
			f.loop.Step(f.loop.Machine().Finish(time.Now(), i.Attempt, o))
		})
	})
}

// revoke ends the context of a local tool, with the lock held.
func (f *Fleet) revoke(r calls.LocalStop) {
	if end := f.local[r.Attempt]; end != nil {
		delete(f.local, r.Attempt)
		end()
	}
}
