package fleet

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// Connect connects a server under a name and waits until it is ready, or the first attempt has
// failed (row B4). A server that has failed can be looked at under its name, and be connected
// again; with Options.Supervise it is tried again by itself. With Options.OnDemand it waits for
// nothing: a request, a call or a list opens the server. If ctx ends first, the name is free again. Errors: those of manager.Manager.Connect, a *manager.Error that says why the
// server is not ready, the cause of ctx, ErrClosed.
func (f *Fleet) Connect(ctx context.Context, name string, opt manager.Options) error {
	if err := f.opt.answers(opt.Client); err != nil {
		return err
	}
	w := &waiter{frees: name}
	err := f.begin(ctx, "", w, func(now time.Time) (manager.Manager, manager.Effects, error) {
		return f.m().Connect(now, name, f.keyed(opt))
	})
	if err != nil {
		return err
	}
	_, err = f.wait(ctx, w, nil)
	return err
}

// Reconnect opens the connection of a name again at once, with the same Options, and waits as
// Connect does. The name stays. Errors: those of Connect, manager.ErrUnknownServer.
func (f *Fleet) Reconnect(ctx context.Context, name string) error {
	_, err := f.run(ctx, "", func(now time.Time) (manager.Manager, manager.Effects, error) {
		return f.m().Reconnect(now, name)
	})
	return err
}

// Ready waits until a server is ready, as one is that is being opened again. One of
// manager.Options.OnDemand is opened. Errors:
// manager.ErrUnknownServer, what has failed where nothing more is tried, the cause of ctx,
// ErrClosed.
func (f *Fleet) Ready(ctx context.Context, name string) error {
	if err := f.wake(ctx, name); err != nil {
		return err
	}
	var failed error
	err := f.waitUntil(ctx, func() bool {
		s, ok := f.m().Status(name)
		switch {
		case !ok:
			failed = &manager.Error{Class: manager.ClassConfig, Server: name, Err: manager.ErrUnknownServer}
		case s.Condition == manager.Failed, s.Condition == manager.Idle:
			failed = notReady(s)
		default:
			return s.Condition == manager.Ready
		}
		return true
	})
	f.mu.Unlock()
	return errors.Join(err, failed)
}

// notReady returns the error that says of a server that it is not ready, and why.
func notReady(s manager.Status) error {
	return errors.Join(&manager.Error{
		Class: manager.ClassUnavailable, Server: s.Link.Server, Condition: s.Condition, RetryAt: s.RetryAt, Err: manager.ErrUnavailable,
	}, s.Err)
}

// Disconnect disconnects a server and waits until it has ended: within
// Options.Timeouts.Close, or else by force. The name is free at once, whatever comes of it
// (row B13). A name that there is nothing under is a success. If ctx ends first, the end goes
// on by itself. Errors: what went wrong with the end, the cause of ctx, ErrClosed.
func (f *Fleet) Disconnect(ctx context.Context, name string) error {
	_, err := f.run(ctx, "", func(now time.Time) (manager.Manager, manager.Effects, error) {
		return infallible(f.m().Disconnect(now, name))
	})
	return err
}

// DisconnectAll disconnects all servers at once, and waits as Disconnect does. It returns all
// errors, joined, in the order of connect (rows A11, B14).
func (f *Fleet) DisconnectAll(ctx context.Context) error {
	ev, err := f.run(ctx, "", func(now time.Time) (manager.Manager, manager.Effects, error) {
		return infallible(f.m().DisconnectAll(now))
	})
	if len(ev.Errors) > 0 {
		return errors.Join(ev.Errors...)
	}
	return err
}

// Health looks whether each server works (row A13): one that is ready is pinged, one that is
// not is waited for or opened. The reports stand in the order of connect. Errors: the cause of
// ctx, ErrClosed; what a server lacks is in its report.
func (f *Fleet) Health(ctx context.Context) ([]manager.Checkup, error) {
	ev, err := f.run(ctx, "", func(now time.Time) (manager.Manager, manager.Effects, error) {
		return infallible(f.m().HealthCheck(now))
	})
	return ev.Checkups, err
}
