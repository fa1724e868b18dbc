package fleet

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// Fleet runs one manager.Manager. Its methods may be called from any goroutine.
type Fleet struct {
	opt  Options
	loop *links.Loop[manager.Manager, manager.Effects] // under mu
	key  [16]byte                                      // the HashKey of those who have none

	ctx  context.Context // of what the application runs
	end  context.CancelFunc
	apps sync.WaitGroup // functions of the application
	told sync.WaitGroup // what calls Event
	done chan struct{}  // closed when Close has done everything but wait for those

	hurry context.Context // of Close; it ends when that has no patience any more
	rush  context.CancelFunc

	mu      sync.Mutex
	waiting map[manager.Op]*waiter
	serving map[manager.Link]calls
	loads   map[string]load
	inbox   inbox
	changed waits.Change // of what may be waited for
	ending  bool
	err     error // of the end
}

// New returns a Fleet without servers. Close is due. The HashKey of a client.Config is filled
// in where it is empty, here and in manager.Options. Errors: those of manager.New and manager.NewInbox, ErrDial, a
// *lifecycle.ConfigError.
func New(cfg manager.Config, opt Options) (*Fleet, error) {
	if opt.Dial == nil {
		return nil, ErrDial
	}
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if err := opt.answers(&cfg.Client); err != nil {
		return nil, err
	}
	if cfg.Client.HashKey == [16]byte{} {
		_, _ = rand.Read(cfg.Client.HashKey[:]) // which never fails
	}
	m, err := manager.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	if _, err = manager.NewInbox(opt.Inbox); err != nil {
		return nil, err
	}
	f := &Fleet{
		key: cfg.Client.HashKey, opt: opt, done: make(chan struct{}),
		waiting: map[manager.Op]*waiter{}, serving: map[manager.Link]calls{}, loads: map[string]load{},
	}
	f.ctx, f.end = context.WithCancel(context.Background())
	f.hurry, f.rush = context.WithCancel(context.Background())
	f.inbox = newInbox(f.opt)
	f.loop = links.NewLoop(&f.mu, m, opt.Dial, links.Options{
		OnRoom: f.room, QueueBytes: opt.QueueBytes, SendTimeout: opt.SendTimeout, CloseTimeout: opt.CloseTimeout,
	}, f.act)
	if opt.Event != nil {
		f.told.Go(f.tell)
	}
	return f, nil
}

// keyed returns Options whose Client has a HashKey.
func (f *Fleet) keyed(opt manager.Options) manager.Options {
	if opt.Client != nil && opt.Client.HashKey == [16]byte{} {
		c := *opt.Client
		c.HashKey = f.key
		opt.Client = &c
	}
	return opt
}

// Manager returns the Manager as it is now, to look at: sessions, options, what is being
// closed. Its transitions lead nowhere.
func (f *Fleet) Manager() manager.Manager {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.m()
}

// m returns the Manager, with the lock held.
func (f *Fleet) m() manager.Manager { return f.loop.Machine() }

// Statuses returns what there is to say of all servers, in the order of connect.
func (f *Fleet) Statuses() []manager.Status { return slices.Collect(f.Manager().Statuses()) }

// verb is a step of the Manager. It may be asked for once.
type verb func(now time.Time) (manager.Manager, manager.Effects, error)

// infallible makes a verb of one that cannot fail.
func infallible(m manager.Manager, out manager.Effects) (manager.Manager, manager.Effects, error) {
	return m, out, nil
}

// do makes a step, with the lock held.
func (f *Fleet) do(v verb) error {
	m, out, err := v(time.Now())
	f.loop.Step(m, out)
	return err
}

// act handles the events of a step, with the lock held.
func (f *Fleet) act(out manager.Effects) {
	for _, ev := range out.Events {
		f.event(ev)
	}
}

// event takes in one event.
func (f *Fleet) event(ev manager.Event) {
	switch ev.Kind {
	case manager.OpDone:
		f.ended(ev)
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
			if w := f.waiting[ev.Op]; w != nil {
				if w.wants {
					w.progress(ev.Session)
				}
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
