package session

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// New returns a Client over t; Open begins the session. Call Close in every case. New
// fills in an empty Config.HashKey. Errors: those of client.New, a
// *lifecycle.ConfigError; t is then left open.
func New(cfg client.Config, t links.Transport, opt Options) (*Client, error) {
	if t == nil {
		return nil, &lifecycle.ConfigError{Package: "session", Field: "Transport", Value: "nil", Why: "want a Transport"}
	}
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if opt.Serve == nil {
		if err := waits.Unanswered("session", cfg.Serve); err != nil {
			return nil, err
		}
	}
	if cfg.HashKey == [16]byte{} {
		_, _ = rand.Read(cfg.HashKey[:]) // never fails
	}
	s, err := client.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	c := &Client{
		t: t, s: s, opt: opt, done: make(chan struct{}), lists: map[string]*list{},
		waiting: map[client.Req]*waiter{}, serving: map[client.Call]context.CancelCauseFunc{},
	}
	c.ctx, c.end = context.WithCancel(context.Background())
	c.hurry, c.rush = context.WithCancel(context.Background())
	c.out = newQueue(c.opt.QueueBytes)
	c.events = newEvents(c.opt.MaxEvents, c.opt.MaxEventBytes, c.opt.HoldUp)
	c.timer = time.AfterFunc(time.Hour, c.tick)
	c.timer.Stop()
	if d, ok := t.(direct); ok {
		c.direct = d
		d.Direct(c.take)
	}
	c.loop.Add(2)
	go c.read()
	go c.write()
	if c.opt.Event != nil {
		c.apps.Add(1)
		go c.report(nil, true)
	}
	return c, nil
}

// Connect is New and Open. If it fails, t is closed.
func Connect(ctx context.Context, cfg client.Config, t links.Transport, opt Options) (*Client, error) {
	over, end := context.WithCancel(ctx)
	end() // after a failure, close at once
	c, err := New(cfg, t, opt)
	switch {
	case err == nil:
		if err = c.Open(ctx); err == nil {
			return c, nil
		}
		_ = c.Close(over)
	case t != nil:
		_ = t.Close(over)
	}
	return nil, err
}

// Open runs the handshake, once, and returns when the session is ready, or with why it failed: an error that
// names initialize and wraps the server's *jsonrpc.Error, the *lifecycle.Cause, the cause of ctx, or
// lifecycle.ErrClosed.
func (c *Client) Open(ctx context.Context) error {
	return failed(protocol.MethodInitialize, "", c.open(ctx))
}

// handshake returns a waiter for the next request of the handshake after one has ended: initialize after a
// probe that the server did not understand, or a probe after an initialize that it refused. It returns nil
// once the handshake has ended.
func (c *Client) handshake() *waiter {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.s.Phase() == lifecycle.Initializing && !c.opening { // the handshake of a new session is not Open's
		for r := range c.s.Outbound() {
			return c.await(r.Req)
		}
	}
	return nil
}

func (c *Client) open(ctx context.Context) error {
	var w *waiter
	err := c.do(ctx, func(now time.Time) (s client.State, out client.Output, err error) {
		if s, out, err = c.s.Connect(now, ""); err == nil {
			w = c.await(out.Req)
		}
		return s, out, err
	})
	if err != nil {
		return err
	}
	for w != nil {
		if _, err = c.ended(ctx, w); err != nil && ctx.Err() != nil {
			c.fail(err)
			return err
		}
		w = c.handshake()
	}
	// The last request may have ended before its waiter existed.
	switch s := c.State().Status(); {
	case s.Phase == lifecycle.Ready:
		return nil
	case s.Cause != nil && (err == nil || s.Cause.RPC != nil):
		return s.Cause
	}
	return err
}
