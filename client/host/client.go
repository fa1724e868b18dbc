package host

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Client runs one client.State over a Transport. Its methods may be called from any
// goroutine.
type Client struct {
	t   links.Transport
	opt Options

	ctx   context.Context // of what the application runs, of Send and of Receive
	end   context.CancelFunc
	hurry context.Context // of the Close of t
	rush  context.CancelFunc
	done  chan struct{} // closed when nothing of the session or the Transport runs
	loop  sync.WaitGroup
	apps  sync.WaitGroup // functions of the application

	mu      sync.Mutex
	s       client.State
	lists   []list
	retries client.Retries
	waiting map[client.Req]*waiter
	serving map[client.Call]context.CancelCauseFunc
	running int // functions of Serve that have not returned
	held    int // bytes of their params
	out     *queue
	events  *events
	timer   *time.Timer   // the next deadline
	changed chan struct{} // closed and replaced when something changed that may be waited for; nil if nobody waits

	opener   *time.Timer // for a new session
	opening  bool        // a new session is on its way, so that who needs one waits
	attempts int         // to open one, since a session was of use
	ready    time.Time   // when the session became so
	lost     []string
	ending   bool // the end has begun
	err      error
}

// New returns a Client over t that has not said anything; Open begins. Close is due
// whatever comes of it. Config.HashKey is filled in where it is empty. Errors: those of
// client.New, ErrTransport, a *lifecycle.ConfigError; t is left alone then.
func New(cfg client.Config, t links.Transport, opt Options) (*Client, error) {
	if t == nil {
		return nil, ErrTransport
	}
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if opt.Serve == nil {
		if err := unanswered(cfg.Serve); err != nil {
			return nil, err
		}
	}
	if cfg.HashKey == [16]byte{} {
		_, _ = rand.Read(cfg.HashKey[:]) // which never fails
	}
	s, err := client.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	c := &Client{
		t: t, s: s, opt: opt, done: make(chan struct{}),
		waiting: map[client.Req]*waiter{}, serving: map[client.Call]context.CancelCauseFunc{},
	}
	c.ctx, c.end = context.WithCancel(context.Background())
	c.hurry, c.rush = context.WithCancel(context.Background())
	c.out = newQueue(c.opt.QueueBytes)
	c.events = newEvents(c.opt.MaxEvents, c.opt.MaxEventBytes, c.opt.HoldUp)
	c.timer = time.AfterFunc(time.Hour, c.tick)
	c.timer.Stop()
	c.loop.Add(2)
	go c.read()
	go c.write()
	if c.opt.Event != nil {
		c.apps.Add(1)
		go c.report()
	}
	return c, nil
}

// Connect is New and Open. If it fails, t is closed.
func Connect(ctx context.Context, cfg client.Config, t links.Transport, opt Options) (*Client, error) {
	c, err := New(cfg, t, opt)
	if err != nil {
		if t == nil {
			return nil, err
		}
		gone, end := context.WithCancel(ctx)
		end()
		_ = t.Close(gone)
		return nil, err
	}
	if err = c.Open(ctx); err != nil {
		gone, end := context.WithCancel(ctx)
		end()
		_ = c.Close(gone)
		return nil, err
	}
	return c, nil
}

// Open runs the handshake, once, and returns when the session is ready, or why it will not
// be: a *RequestError that wraps the *jsonrpc.Error of the server, the *lifecycle.Cause, the cause of ctx, ErrClosed.
func (c *Client) Open(ctx context.Context) error {
	return failed(protocol.MethodInitialize, "", c.open(ctx))
}

func (c *Client) open(ctx context.Context) error {
	var w *waiter
	err := c.do(ctx, func(now time.Time) (s client.State, out client.Output, err error) {
		if s, out, err = c.s.Initialize(now); err == nil {
			w = c.await(out.Req, false)
		}
		return s, out, err
	})
	if err != nil {
		return err
	}
	if _, err = c.ended(ctx, w, nil); err != nil {
		if ctx.Err() != nil {
			c.fail(err)
		}
		return err
	}
	if cause := c.Status().Cause; cause != nil {
		return cause
	}
	return nil
}

// State returns the State as it is now, to look at: the server, the revision, its
// capabilities, the subscriptions. Its transitions lead nowhere.
func (c *Client) State() client.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s
}

// Status returns a summary of the session.
func (c *Client) Status() lifecycle.Status { return c.State().Status() }

// Lost returns the uris that the session before this one was subscribed to, until the next
// one is lost: a new session has no subscriptions. It is for who sees PhaseChanged to ready.
func (c *Client) Lost() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// SetRoots replaces the roots of Config, and tells the server if Config says so. Errors:
// those of client.State.SetRoots, ErrClosed.
func (c *Client) SetRoots(ctx context.Context, roots []protocol.Root) error {
	return c.do(ctx, func(now time.Time) (client.State, client.Output, error) { return c.s.SetRoots(now, roots) })
}

// Notify sends a notification, within a call of the server or, with the zero Call, outside
// of any. Errors: those of client.State.Notify, the cause of ctx, ErrClosed.
func (c *Client) Notify(ctx context.Context, n protocol.Params, within client.Call) error {
	return c.do(ctx, func(now time.Time) (client.State, client.Output, error) { return c.s.Notify(now, n, within) })
}

// Progress reports progress of a call of the server. Errors: those of client.State.Progress,
// the cause of ctx, ErrClosed.
func (c *Client) Progress(ctx context.Context, call client.Call, p protocol.ProgressParams) error {
	return c.do(ctx, func(now time.Time) (client.State, client.Output, error) { return c.s.Progress(now, call, p) })
}

// do changes the State as f says, under the lock, when there is room for what it may send
// and no new session is on its way. f may be called once.
func (c *Client) do(ctx context.Context, f func(now time.Time) (client.State, client.Output, error)) error {
	err := c.waitUntil(ctx, func() bool { return !c.opening && !c.out.Full() })
	defer c.mu.Unlock()
	if err != nil {
		return err
	}
	s, out, err := f(time.Now())
	c.s = s
	c.step(out)
	return err
}

// waitUntil waits until cond, which is asked under the lock, and returns with the lock held in
// any case. Errors: the cause of ctx, ErrClosed.
func (c *Client) waitUntil(ctx context.Context, cond func() bool) error {
	c.mu.Lock()
	for {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case c.ending:
			return c.gone()
		case cond():
			return nil
		}
		if c.changed == nil {
			c.changed = make(chan struct{})
		}
		changed := c.changed
		c.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		c.mu.Lock()
	}
}

// change wakes who waits by when.
func (c *Client) change() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// gone returns the error of who comes too late.
func (c *Client) gone() error {
	if c.err != nil {
		return fmt.Errorf("%w: %w", ErrClosed, c.err)
	}
	return ErrClosed
}
