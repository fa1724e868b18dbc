package fleet

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Definition is a named server, as in a configuration file.
type Definition struct {
	Name    string          // unique in the list
	Options manager.Options // Replace is ignored
}

// Set sets the list of servers: others are disconnected, new ones are connected, and those with changed
// Options are replaced. Unchanged ones keep their connection, and failed ones are opened again, except
// those on demand. Set waits until each server is ready with its tools known, has failed, or is
// disconnected. A failed server keeps its name, and a server that waits for its next attempt keeps
// waiting. If the list has a duplicate name or an invalid server, nothing changes. Servers are in the
// order in which they were added, then in that of the list.
//
// A server whose name is among the Sources of New's Config has their TTL and Filter.
//
// Options are the same if all their fields are. Endpoints are compared by their method Equal(any)
// bool, which must not use the Fleet, or by reflect.DeepEqual if they have none.
//
// Errors: those of servers that are not ready or did not end properly, joined, in the order of the list and then of
// connect; lifecycle.ErrConfig, also for a duplicate name; those of catalog.Catalog.Set; the cause of ctx, while
// the changes continue; lifecycle.ErrClosed.
func (f *Fleet) Set(ctx context.Context, list []Definition) error {
	all, err := f.renew(ctx, list)
	bad := []error{err}
	for _, ended := range all {
		err := ended(ctx)
		if err != nil && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		bad = append(bad, err)
	}
	return errors.Join(bad...)
}

// renew begins what makes the servers those of a list, under one lock. It returns what waits for
// each, in the order of errors.
func (f *Fleet) renew(ctx context.Context, list []Definition) (all []func(context.Context) error, err error) {
	wanted := map[string]bool{}
	list = slices.Clone(list)
	for i, d := range list {
		if wanted[d.Name] {
			return nil, &lifecycle.ConfigError{Package: "fleet", Field: "Definition.Name", Value: strconv.Quote(d.Name), Why: "want each name once"}
		}
		wanted[d.Name] = true
		if err := f.opt.unanswered(d.Options.Client); err != nil {
			return nil, err
		}
		list[i].Options = f.keyed(d.Options)
		list[i].Options.Replace = true
	}
	err = f.mu.Until(ctx, func() bool { return true })
	defer f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	var gone []string
	for s := range f.m().Statuses() {
		if !wanted[s.Link.Server] {
			gone = append(gone, s.Link.Server)
		}
	}
	if err = f.try(gone, list); err != nil {
		return nil, err
	}
	begin := func(v verb) *waiter {
		w := newWaiter(nil)
		_ = f.start(w, v) // try has seen to it that it does not fail
		return w
	}
	var ends []func(context.Context) error
	for _, name := range gone { // before others take their places
		w := begin(func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
			return infallible(m.Disconnect(now, name))
		})
		ends = append(ends, func(ctx context.Context) error { return f.outlive(ctx, w) })
	}
	c, out, _ := f.listed(f.loop.Machine(), time.Now(), list)
	f.loop.Step(c, out)
	for _, d := range list {
		have, ok := f.m().Options(d.Name)
		have.Replace = true
		s, _ := f.m().Status(d.Name)
		var w *waiter
		switch {
		case !ok || !same(have, d.Options):
			w = begin(func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
				return m.Connect(now, d.Name, d.Options)
			})
		case s.Condition == manager.Ready, d.Options.OnDemand && !s.Condition.Live(): // until it is wanted
			continue
		case s.Condition == manager.Failed:
			w = begin(func(m manager.Manager, now time.Time) (manager.Manager, manager.Effects, error) {
				return m.Reconnect(now, d.Name)
			})
		}
		all = append(all, func(ctx context.Context) error {
			if w != nil {
				if err := f.outlive(ctx, w); err != nil {
					return err
				}
			}
			return f.come(ctx, d.Name) // also if somebody else has begun it
		})
	}
	return append(all, ends...), nil
}

// try finds out whether the Caller takes a list, without any step: what it would become is
// thrown away.
func (f *Fleet) try(gone []string, list []Definition) error {
	now, m := time.Now(), f.m()
	for _, name := range gone {
		m, _ = m.Disconnect(now, name)
	}
	for _, d := range list {
		next, _, err := m.Connect(now, d.Name, d.Options)
		if err != nil {
			return err
		}
		m = next
	}
	_, _, err := f.listed(f.loop.Machine(), now, list)
	return err
}

// listed makes the servers of a catalog those of a list, each with the settings that the Config has for it.
func (f *Fleet) listed(c calls.Caller, now time.Time, list []Definition) (calls.Caller, calls.Output, error) {
	return c.Catalog(now, func(c catalog.Catalog, m manager.Manager) (catalog.Catalog, manager.Manager, catalog.Update, error) {
		sources := make([]catalog.Source, len(list))
		for i, d := range list {
			sources[i] = f.sources[d.Name]
			sources[i].Name = d.Name
		}
		return c.Set(m, now, sources)
	})
}

// come waits until a server is ready and its tools are known, or no attempt at that is under way. A
// name that was removed meanwhile is nothing to wait for.
func (f *Fleet) come(ctx context.Context, name string) error {
	var failed error
	err := f.mu.Until(ctx, func() bool {
		s, ok := f.m().Status(name)
		if failed = nil; !ok || s.Condition == manager.Idle { // one on demand waits to be wanted
			return true
		}
		if s.Condition == manager.Ready {
			tools, _ := f.loop.Machine().Tools().Status(protocol.ToolList, name)
			return !tools.Reading
		}
		failed = errors.Join(&manager.Error{
			Class: manager.ClassUnavailable, Server: name, Condition: s.Condition, RetryAt: s.RetryAt, Err: manager.ErrUnavailable,
		}, s.Err)
		return s.Condition == manager.Waiting || !s.Condition.Live()
	})
	f.mu.Unlock()
	if err != nil {
		return err
	}
	return failed
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

// same reports whether two Options are the same.
func same(a, b manager.Options) bool {
	sameWay := func(x, y manager.Fallback) bool {
		return sameEndpoint(x.Endpoint, y.Endpoint) && slices.Equal(x.Revisions, y.Revisions)
	}
	if !sameEndpoint(a.Endpoint, b.Endpoint) || !slices.EqualFunc(a.Fallbacks, b.Fallbacks, sameWay) {
		return false
	}
	a.Endpoint, b.Endpoint, a.Fallbacks, b.Fallbacks = nil, nil, nil, nil
	return reflect.DeepEqual(a, b)
}

func sameEndpoint(a, b any) bool {
	v := reflect.ValueOf(a)
	if e, ok := a.(interface{ Equal(any) bool }); ok && (v.Kind() != reflect.Pointer || !v.IsNil()) {
		return e.Equal(b)
	}
	return reflect.DeepEqual(a, b)
}
