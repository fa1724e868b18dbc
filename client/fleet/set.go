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
	Name    string          // the name; no two are the same
	Options manager.Options // Replace is ignored
}

// Set makes the list the servers of the Fleet: it disconnects servers that are not in it, connects new
// ones, and replaces those whose Options have changed. Unchanged servers keep their connections, and
// those that failed are opened again, except servers on demand. Set waits until each server is ready and
// its tools are known, or it has failed or ended. A server that failed keeps its name; one that waits
// for its next dial keeps waiting. Set applies the list whole or, if a name occurs twice or a server is
// not valid, not at all. Servers are in the order in which they were added, and then in list order.
//
// A server named in the Sources of New's Config has their TTL and Filter.
//
// Options are the same if all their fields are. Endpoints are compared by their method
// Equal(any) bool, which must not use the Fleet, or by reflect.DeepEqual if they have none.
//
// Errors: those of the servers that are not ready, in list order, joined with those of servers that did not
// end well, in connection order; lifecycle.ErrConfig, also for a duplicate name; those of
// catalog.Catalog.Set; the cause of ctx, while the operations continue; lifecycle.ErrClosed.
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

// renew begins the changes to the servers, under one lock. It returns what to wait for, in the
// order of errors.
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
		_ = f.start(w, v) // cannot fail: try has checked it
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
		case s.Condition == manager.Ready, d.Options.OnDemand && !s.Condition.Live(): // opened when needed
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
			return f.come(ctx, d.Name) // also if another caller has begun it
		})
	}
	return append(all, ends...), nil
}

// try checks whether the Caller accepts a list, and discards the result of the steps.
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

// listed makes the list the servers of a catalog, each with the settings that the Config has for its name.
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

// come waits until a server is ready and its tools are known, or no dial of it is under way. If the
// name was removed, come returns at once.
func (f *Fleet) come(ctx context.Context, name string) error {
	var failed error
	err := f.mu.Until(ctx, func() bool {
		s, ok := f.m().Status(name)
		if failed = nil; !ok || s.Condition == manager.Idle { // a server on demand is opened when needed
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
