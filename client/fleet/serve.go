package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// unanswered returns a *lifecycle.ConfigError if a Config has Serve and the Options do not.
func (o *Options) unanswered(cfg *client.Config) error {
	if cfg == nil || o.Serve != nil {
		return nil
	}
	return waits.Unanswered("fleet", cfg.Serve)
}

// serve starts the answer to a call, with the lock held.
func (f *Fleet) serve(ev manager.Event) {
	server := ev.Link.Server
	if f.opt.Serve == nil {
		f.refuse(ev.Call, waits.Nobody)
		return
	}
	load := f.loads[server]
	if f.mu.Closed() != nil || !load.Admit(len(ev.Session.Body), f.opt.MaxServing, f.opt.MaxServingBytes) {
		f.refuse(ev.Call, waits.TooBusy)
		return
	}
	f.loads[server] = load
	ctx, end := context.WithCancelCause(f.ctx)
	if f.serving[ev.Link] == nil {
		f.serving[ev.Link] = map[manager.Call]context.CancelCauseFunc{}
	}
	f.serving[ev.Link][ev.Call] = end
	ev.Session = waits.Kept(ev.Session)
	f.apps.Go(func() {
		waits.Answer(ev.Call.Call, func() (protocol.Result, error) { return f.opt.Serve(ctx, f, ev) }, func(a client.Answer, why error) { f.answered(ev, a, why) })
	})
}

// refuse answers a call with an error.
func (f *Fleet) refuse(call manager.Call, e jsonrpc.Error) {
	_ = f.start(nil, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		return m.Fail(now, call, e)
	})
}

// answered sends the answer to a call. why is an error that the server does not see; nil if
// there is none.
func (f *Fleet) answered(ev manager.Event, a client.Answer, why error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	server := ev.Link.Server
	load := f.loads[server]
	load.Leave(len(ev.Session.Body))
	if f.loads[server] = load; load == (waits.Load{}) {
		delete(f.loads, server)
	}
	_ = f.start(nil, func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
		m, e, err := m.Finish(now, ev.Call, a) // a result that does not fit is answered with an error
		if errors.Is(err, lifecycle.ErrParams) || errors.Is(err, lifecycle.ErrRevision) {
			why = err
		} else if err != nil {
			why = nil // the call has ended already
		}
		return infallible(m, e)
	})
	if why != nil {
		ev.Session = waits.Misfit(ev.Session, why)
		f.note(ev)
	}
	f.served(ev.Call, lifecycle.ErrGone)
}

// note queues an event for Options.Event, if set.
func (f *Fleet) note(ev manager.Event) {
	if f.opt.Event != nil {
		f.inbox.add(ev)
	}
}

// served ends the context of a call's function, with the lock held.
func (f *Fleet) served(call manager.Call, cause error) {
	of := f.serving[call.Link]
	if end := of[call]; end != nil {
		if delete(of, call); len(of) == 0 {
			delete(f.serving, call.Link)
		}
		end(cause)
	}
}
