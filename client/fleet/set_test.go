//go:build unix

package fleet_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A list that was read again changes what has changed: the others keep their processes.
func TestSet(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	ctx := t.Context()
	list := func(words ...string) (all []fleet.Definition) {
		for _, w := range words {
			name, kind, _ := strings.Cut(w, "=")
			kind, more, _ := strings.Cut(kind, "+")
			all = append(all, fleet.Definition{Name: name, Options: opts(command(kind, strings.Fields(more)...))})
		}
		return all
	}
	processes := func() map[string]int {
		t.Helper()
		of := map[string]int{}
		for _, s := range statuses(f) {
			if s.Condition == manager.Ready {
				of[s.Link.Server] = pid(t, f, s.Link.Server)
			}
		}
		return of
	}
	if err := f.Set(ctx, list("a=good", "b=good", "c=good")); err != nil {
		t.Fatal(err)
	}
	first := processes()
	if len(first) != 3 {
		t.Fatal(first)
	}
	open := make(chan error, 1)
	go func() {
		_, err := call(ctx, f, "a", "sleep")
		open <- err
	}()
	if err := f.Set(ctx, list("a=good", "b=good+other", "d=good")); err != nil {
		t.Fatal(err)
	}
	second := processes()
	if names := slices.Sorted(maps.Keys(second)); !slices.Equal(names, []string{"a", "b", "d"}) {
		t.Fatal(names)
	}
	if second["a"] != first["a"] || second["b"] == first["b"] || alive(first["b"]) || alive(first["c"]) {
		t.Errorf("%v, %v", first, second)
	}
	select {
	case err := <-open:
		t.Errorf("the call of what is unchanged ended: %v", err)
	default:
	}

	// What cannot be changes nothing.
	wantErr(t, f.Set(ctx, list("a=good", "e=good", "e=good")), lifecycle.ErrConfig)
	bad := list("e=good", "a=good+other")
	bad[1].Options.Timeouts.Close = -7
	wantErr(t, f.Set(ctx, bad), lifecycle.ErrConfig)
	if third := processes(); !maps.Equal(second, third) {
		t.Errorf("%v, %v", second, third)
	}

	// One that fails keeps its name, and is tried again by the next Set.
	err := f.Set(ctx, list("a=good", "x=short", "y=good"))
	if err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("%v", err)
	}
	if s, ok := f.Caller().Manager().Status("x"); !ok || s.Condition != manager.Failed {
		t.Errorf("%v", s)
	}
	mustCall(t, f, "y", "echo")
	was, _ := f.Caller().Manager().Link("x")
	if err := f.Set(ctx, list("a=good", "x=short", "y=good")); err == nil {
		t.Error("no error")
	}
	if is, _ := f.Caller().Manager().Link("x"); is == was {
		t.Error("not tried again")
	}
	within, end := context.WithTimeout(ctx, 50*time.Millisecond)
	defer end()
	wantErr(t, f.Set(within, list("a=good", "m=mute")), context.DeadlineExceeded)
	if err := f.Set(ctx, nil); err != nil {
		t.Error(err)
	}
	wantErr(t, <-open, class(manager.ClassLost))
	if n := f.Caller().Manager().Len(); n != 0 {
		t.Errorf("%d names", n)
	}
}

// What makes Options different.
func TestSetCompares(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	ctx := t.Context()
	base := manager.Options{
		Endpoint: command("good"), Fallbacks: []manager.Fallback{{Endpoint: command("good"), Revisions: []protocol.Revision{protocol.Revision20250618}}},
		Meta: `{"a":1}`, Client: &client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}},
	}
	set := func(opt manager.Options) manager.Link {
		t.Helper()
		if err := f.Set(ctx, []fleet.Definition{{Name: "a", Options: opt}}); err != nil {
			t.Fatal(err)
		}
		link, _ := f.Caller().Manager().Link("a")
		return link
	}
	last := set(base)
	for i, change := range []func(o *manager.Options){
		func(o *manager.Options) { o.Fallbacks[0].Endpoint = command("good", "x") },
		func(o *manager.Options) { o.Fallbacks[0].Revisions = nil },
		func(o *manager.Options) { o.Fallbacks = nil },
		func(o *manager.Options) { o.Meta = "" },
		func(o *manager.Options) { o.Client = nil },
		func(o *manager.Options) {
			o.Client = &client.Config{Info: protocol.Implementation{Name: "c", Version: "2"}}
		},
		func(o *manager.Options) { o.Timeouts.Close = time.Second },
		func(o *manager.Options) { o.Supervise = true },
		func(o *manager.Options) { o.Endpoint = "other" }, // which leaves the Fallback
	} {
		same := base
		same.Replace = i%2 == 0
		same.Fallbacks = slices.Clone(base.Fallbacks)
		cfg := *base.Client
		same.Client = &cfg
		if link := set(same); link != last {
			t.Errorf("%d: replaced", i)
		}
		change(&same)
		if link := set(same); link == last {
			t.Errorf("%d: kept", i)
		}
		last = set(base)
	}
}

// A hundred servers at once are ready in little more than the time of one, and answer.
func TestHundred(t *testing.T) {
	if testing.Short() {
		t.Skip("many processes")
	}
	f := start(t, settings(), fleet.Options{})
	var list []fleet.Definition
	for i := range 100 {
		list = append(list, fleet.Definition{Name: fmt.Sprint(i), Options: opts(command("good"))})
	}
	began := time.Now()
	if err := f.Set(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	t.Logf("ready after %v", time.Since(began))
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			for range 10 {
				text, err := call(t.Context(), f, fmt.Sprint(i), "echo")
				if want := fmt.Sprintf(`{"of":"%d"}`, i); err != nil || text != want {
					t.Errorf("%s, %v", text, err)
				}
			}
		})
	}
	all.Wait()
	began = time.Now()
	if err := leaveAll(t.Context(), f); err != nil {
		t.Error(err)
	}
	t.Logf("gone after %v", time.Since(began))
}

// Set waits for what somebody else has begun too, and says of each server that it is not ready.
func TestSetWaits(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	gone, end := context.WithCancel(t.Context())
	end()
	for _, c := range []struct {
		kind  string
		begin func(list []fleet.Definition)
		ok    bool
	}{
		{"slow", func(list []fleet.Definition) { go func() { _ = f.Set(t.Context(), list) }() }, true},
		{"slow", func(list []fleet.Definition) {
			ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer stop()
			wantErr(t, f.Set(ctx, list), context.DeadlineExceeded)
			wantErr(t, f.Set(gone, list), context.Canceled)
		}, true},
		{"slow", func(list []fleet.Definition) {
			go func() { _ = join(t.Context(), f, list[0].Name, list[0].Options) }()
		}, true},
		{"short", func(list []fleet.Definition) { _ = f.Set(t.Context(), list) }, false},
		{"short", func(list []fleet.Definition) { go func() { _ = f.Set(t.Context(), list) }() }, false},
	} {
		opt := opts(command(c.kind))
		opt.Supervise = true
		list := []fleet.Definition{{Name: "a", Options: opt}}
		c.begin(list)
		for range 1000 {
			if _, ok := f.Caller().Manager().Status("a"); ok {
				break
			}
			time.Sleep(time.Millisecond)
		}
		err := f.Set(t.Context(), list)
		s, _ := f.Caller().Manager().Status("a")
		if ready := s.Condition == manager.Ready; (err == nil) != c.ok || ready != c.ok {
			t.Errorf("%s: %v, %v", c.kind, err, s.Condition)
		}
		if err := leaveAll(t.Context(), f); err != nil {
			t.Error(err)
		}
	}
}
