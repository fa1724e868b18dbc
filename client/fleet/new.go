package fleet

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

// New returns a Fleet without servers. Set adds them, with the settings that Sources of the Config has for
// their names. Call Close at the end. New and Set fill in an empty HashKey of a client.Config. Errors: those
// of calls.New and manager.NewInbox, a *lifecycle.ConfigError.
func New(cfg calls.Config, opt Options) (*Fleet, error) {
	if opt.Dial == nil {
		return nil, &lifecycle.ConfigError{Package: "fleet", Field: "Options.Dial", Value: "nil", Why: "want a function"}
	}
	opt, err := opt.filled(len(cfg.Catalog.Local))
	if err != nil {
		return nil, err
	}
	if err := opt.unanswered(&cfg.Manager.Client); err != nil {
		return nil, err
	}
	if cfg.Manager.Client.HashKey == [16]byte{} {
		_, _ = rand.Read(cfg.Manager.Client.HashKey[:]) // never fails
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
		ops: map[manager.Op]*waiter{}, calls: map[attempt.CallID]place{}, batches: map[attempt.BatchID]*caller{},
		sources: map[string]catalog.Source{}, local: map[attempt.Attempt]context.CancelFunc{}, inbox: newInbox(opt.Inbox), serving: map[manager.Link]map[manager.Call]context.CancelCauseFunc{}, loads: map[string]waits.Load{},
	}
	for _, s := range cfg.Catalog.Sources {
		s.Filter = s.Filter.Clone()
		f.sources[s.Name] = s
	}
	f.ctx, f.end = context.WithCancel(context.Background())
	f.hurry, f.rush = context.WithCancel(context.Background())
	f.loop = links.NewLoop(&f.mu, c, opt.Dial, links.Options{
		OnRoom: f.room, QueueBytes: opt.QueueBytes, SendTimeout: opt.SendTimeout, CloseTimeout: opt.CloseTimeout,
	}, f.act)
	if opt.Event != nil || opt.Changed != nil {
		f.told.Go(f.tell)
	}
	return f, nil
}
