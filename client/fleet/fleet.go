package fleet

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// Fleet runs one calls.Caller. Its methods may be called from any goroutine.
type Fleet struct {
	opt  Options
	loop *links.Loop[calls.Caller, calls.Output] // under mu
	key  [16]byte                                // the HashKey of those who have none

	sources map[string]catalog.Source // of the Config, by their names

	ctx  context.Context // of what the application runs
	end  context.CancelFunc
	apps sync.WaitGroup // functions of the application
	told sync.WaitGroup // what calls Event and Changed
	done chan struct{}  // closed when Close has done everything but wait for those

	hurry context.Context // of Close; it ends when that has no patience any more
	rush  context.CancelFunc

	mu      sync.Mutex
	ops     map[manager.Op]*waiter
	calls   map[attempt.CallID]place
	batches map[attempt.BatchID]*waiter
	local   map[attempt.Attempt]context.CancelFunc
	serving map[manager.Link]answering
	loads   map[string]load
	inbox   inbox
	changed waits.Change // of what may be waited for
	ending  bool
	err     error // of the end
}

// New returns a Fleet without servers: Set adds them, and what the Sources of the Config say of a server holds
// for it then. Close is due. The
// HashKey of a client.Config is filled in where it is empty, here and in Set. Errors: those of
// calls.New and manager.NewInbox, ErrDial, a *lifecycle.ConfigError.
func New(cfg calls.Config, opt Options) (*Fleet, error) {
	if opt.Dial == nil {
		return nil, ErrDial
	}
	opt, err := opt.filled(len(cfg.Catalog.Local))
	if err != nil {
		return nil, err
	}
	if err := opt.answers(&cfg.Manager.Client); err != nil {
		return nil, err
	}
	if cfg.Manager.Client.HashKey == [16]byte{} {
		_, _ = rand.Read(cfg.Manager.Client.HashKey[:]) // which never fails
	}
	c, err := calls.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	if _, err = manager.NewInbox(opt.Inbox); err != nil {
		return nil, err
	}
	f := &Fleet{
		key: cfg.Manager.Client.HashKey, opt: opt, done: make(chan struct{}),
		ops: map[manager.Op]*waiter{}, calls: map[attempt.CallID]place{}, batches: map[attempt.BatchID]*waiter{},
		sources: map[string]catalog.Source{}, local: map[attempt.Attempt]context.CancelFunc{}, serving: map[manager.Link]answering{}, loads: map[string]load{},
	}
	for _, s := range cfg.Catalog.Sources {
		s.Filter = s.Filter.Clone()
		f.sources[s.Name] = s
	}
	f.ctx, f.end = context.WithCancel(context.Background())
	f.hurry, f.rush = context.WithCancel(context.Background())
	f.inbox = newInbox(f.opt)
	f.loop = links.NewLoop(&f.mu, c, opt.Dial, links.Options{
		OnRoom: f.room, QueueBytes: opt.QueueBytes, SendTimeout: opt.SendTimeout, CloseTimeout: opt.CloseTimeout,
	}, f.act)
	if opt.Event != nil || opt.Changed != nil {
		f.told.Go(f.tell)
	}
	return f, nil
}

// Caller returns the Caller as it is now, to look at: its Tools, and its Manager, which has the
// servers. Its transitions lead nowhere.
func (f *Fleet) Caller() calls.Caller {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.loop.Machine()
}

// m returns the Manager, with the lock held.
func (f *Fleet) m() manager.Manager { return f.loop.Machine().Manager() }

// act does what a step asks for beside connections, with the lock held.
func (f *Fleet) act(out calls.Output) {
	for _, r := range out.LocalStop { // before Invoke
		f.revoke(r)
	}
	for _, i := range out.LocalStart {
		f.invoke(i)
	}
	for _, p := range out.Progress {
		f.progress(p)
	}
	for _, r := range out.Done {
		f.settled(r)
	}
	for _, b := range out.Batches {
		f.batches[b.Batch].end(manager.Event{}, b)
		delete(f.batches, b.Batch)
	}
	for _, ev := range out.Events {
		f.event(ev)
	}
	if len(out.Changes) > 0 && f.opt.Changed != nil {
		f.inbox.note(out.Changes)
	}
	if len(out.Changes) > 0 || len(out.Settled) > 0 {
		f.changed.Wake()
	}
}

// event takes in one event.
func (f *Fleet) event(ev manager.Event) {
	switch ev.Kind {
	case manager.OpDone:
		if w := f.ops[ev.Op]; w != nil {
			delete(f.ops, ev.Op)
			w.end(ev, attempt.BatchDone{})
		}
		return
	case manager.ServerChanged:
		if !ev.To.Live() {
			f.lost(ev.Link, ev.Err)
		}
		f.changed.Wake()
	case manager.SessionEvent:
		switch ev.Session.Kind {
		case lifecycle.RequestReceived:
			f.serve(ev)
			return
		case lifecycle.RequestCancelled, lifecycle.RequestExpired, lifecycle.RequestLost:
			f.callEnded(ev.Call, ev.Session.Cause)
		case lifecycle.ProgressReceived:
			if w := f.ops[ev.Op]; w != nil {
				w.progress(0, ev.Session.Body)
				return
			}
		}
	}
	if f.opt.Event != nil {
		if f.inbox.add(ev) {
			f.loop.Links().Pause(ev.Link)
		}
	}
}

// room takes in that a queue has room again.
func (f *Fleet) room(manager.Link) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.changed.Wake()
}

// waitUntil waits until cond, which is asked under the lock, and returns with the lock held in any
// case. Errors: the cause of ctx, ErrClosed.
func (f *Fleet) waitUntil(ctx context.Context, cond func() bool) error {
	f.mu.Lock()
	for {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case f.ending:
			return ErrClosed
		case cond():
			return nil
		}
		f.changed.Wait(ctx, &f.mu)
	}
}
