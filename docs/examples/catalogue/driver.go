package main

import (
	"context"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/toolset"
)

// local is a tool of the program itself.
type local func(ctx context.Context, i toolset.Invoke) attempt.Outcome

// driver runs a toolset.Caller: a links.Loop does what it asks of connections, and each call waits on
// a channel of its own.
type driver struct {
	local map[string]local
	news  func(catalog.Change) // called with the lock held

	mu      sync.Mutex
	loop    *links.Loop[toolset.Caller, toolset.Output]
	calls   map[attempt.CallID]chan attempt.Outcome
	batches map[attempt.BatchID]chan attempt.BatchDone
	running map[attempt.Attempt]context.CancelFunc // local tools
}

func newDriver(cfg toolset.CallerConfig, dial links.Dial, tools map[string]local, news func(catalog.Change)) (*driver, error) {
	c, err := toolset.NewCaller(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	d := &driver{
		local: tools, news: news, calls: map[attempt.CallID]chan attempt.Outcome{},
		batches: map[attempt.BatchID]chan attempt.BatchDone{}, running: map[attempt.Attempt]context.CancelFunc{},
	}
	d.loop = links.NewLoop(&d.mu, c, dial, links.Options{}, d.act)
	return d, nil
}

// act does what a step asks for beside connections. The lock is held.
func (d *driver) act(out toolset.Output) {
	for _, r := range out.Revoke { // before Invoke
		if stop := d.running[r.Attempt]; stop != nil {
			stop()
		}
	}
	for _, i := range out.Invoke {
		ctx, stop := context.WithCancel(context.Background())
		d.running[i.Attempt] = stop
		go d.run(ctx, i)
	}
	for _, r := range out.Done {
		if ch := d.calls[r.Call]; ch != nil {
			ch <- r.Outcome
			delete(d.calls, r.Call)
		}
	}
	for _, b := range out.Batches {
		d.batches[b.Batch] <- b
		delete(d.batches, b.Batch)
	}
	for _, change := range out.Changes {
		d.news(change)
	}
}

// run runs a local tool.
func (d *driver) run(ctx context.Context, i toolset.Invoke) {
	outcome := d.local[i.Tool](ctx, i)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running[i.Attempt]()
	delete(d.running, i.Attempt)
	d.loop.Step(d.loop.Machine().Finish(time.Now(), i.Attempt, outcome))
}

// connect begins to connect a server of the catalogue.
func (d *driver) connect(name string, opt manager.Options) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	c, out, err := d.loop.Machine().Manage(now, func(m manager.Manager) (manager.Manager, manager.Effects, error) {
		return m.Connect(now, name, opt)
	})
	d.loop.Step(c, out)
	return err
}

// call calls a tool by name and waits for the outcome.
func (d *driver) call(ctx context.Context, r toolset.Request) (attempt.Outcome, error) {
	ch := make(chan attempt.Outcome, 1)
	d.mu.Lock()
	c, out, err := d.loop.Machine().Call(time.Now(), r)
	if err == nil {
		d.calls[out.Call] = ch
	}
	d.loop.Step(c, out)
	d.mu.Unlock()
	if err != nil {
		return attempt.Outcome{}, err
	}
	select {
	case o := <-ch:
		return o, nil
	case <-ctx.Done():
	}
	d.mu.Lock()
	if c, out, err := d.loop.Machine().Cancel(time.Now(), out.Call, context.Cause(ctx).Error()); err == nil {
		d.loop.Step(c, out)
	}
	d.mu.Unlock()
	return <-ch, nil
}

// batch calls several tools, and waits until all calls have ended.
func (d *driver) batch(ctx context.Context, list []toolset.Request, opt attempt.BatchOptions) (attempt.BatchDone, error) {
	ch := make(chan attempt.BatchDone, 1)
	d.mu.Lock()
	c, out, err := d.loop.Machine().Batch(time.Now(), list, opt)
	if err == nil {
		d.batches[out.Batch] = ch
	}
	d.loop.Step(c, out)
	d.mu.Unlock()
	if err != nil {
		return attempt.BatchDone{}, err
	}
	select {
	case b := <-ch:
		return b, nil
	case <-ctx.Done():
	}
	d.mu.Lock()
	if c, out, err := d.loop.Machine().CancelBatch(time.Now(), out.Batch, context.Cause(ctx).Error()); err == nil {
		d.loop.Step(c, out)
	}
	d.mu.Unlock()
	return <-ch, nil
}

// tools returns the catalogue as it is now.
func (d *driver) tools() toolset.Tools {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.loop.Machine().Tools()
}

// close ends all calls and connections.
func (d *driver) close(ctx context.Context) error {
	d.mu.Lock()
	d.loop.Step(d.loop.Machine().Close(time.Now()))
	d.mu.Unlock()
	return d.loop.Close(ctx)
}
