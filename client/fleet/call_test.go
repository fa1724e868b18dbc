package fleet_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/toolerror"
)

// plain are settings with a local tool, and plain names for those of servers.
func plain() calls.Config {
	return calls.Config{
		Manager: quiet(),
		Catalog: catalog.Config{Naming: naming.Policy{Names: naming.Plain}, Local: []protocol.Tool{{Name: "mine"}}},
	}
}

// bubble runs a test with a Fleet of two servers, and sees that Close leaves nothing.
func bubble(t *testing.T, opt fleet.Options, test func(t *testing.T, f *fleet.Fleet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		opt.Dial = beside
		f, err := fleet.New(plain(), opt)
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := errors.Join(f.Close(context.Background()), f.Caller().Check()); err != nil {
				t.Error(err)
			}
		}()
		if err := f.Set(t.Context(), []fleet.Definition{{Name: "a"}, {Name: "b"}}); err != nil {
			t.Fatal(err)
		}
		test(t, f)
	})
}

// Once Set has returned the tools are known, and are called by name, one or several; so are those of
// the program itself. Each has its progress, and what becomes of the tools is told.
func TestCall(t *testing.T) {
	var changes []catalog.Change
	var ran context.Context
	opt := fleet.Options{
		Local: func(ctx context.Context, _ *fleet.Fleet, i calls.LocalStart) attempt.Outcome {
			ran = ctx
			return attempt.Outcome{Result: protocol.TextResult("my " + string(i.Arguments))}
		},
		Changed: func(_ *fleet.Fleet, list []catalog.Change) { changes = append(changes, list...) },
	}
	bubble(t, opt, func(t *testing.T, f *fleet.Fleet) {
		var names []string
		for _, b := range f.Caller().Tools().List() {
			names = append(names, b.Name)
		}
		if len(names) != 13 || !slices.Contains(names, "echo") || slices.Contains(names, "mcp.a.echo") == slices.Contains(names, "mcp.b.echo") {
			t.Fatalf("%q", names)
		}
		list := []calls.Request{{Name: "mcp.a.echo", Arguments: `{"x":1}`}, {Name: "mcp.b.echo", Arguments: `{}`}, {Name: "mine", Arguments: `{"y":2}`}, {Name: "nobody"}}
		want := []string{`{"x":1}`, `{}`, `my {"y":2}`, ""}
		batch, err := f.Batch(t.Context(), list, attempt.BatchOptions{Strategy: attempt.Parallel}, nil)
		if err != nil || batch.Failed != 3 || !errors.Is(batch.Results[3].Outcome.Err, toolerror.UnknownTool) {
			t.Fatal(batch, err)
		}
		for i, r := range list[:3] {
			o, err := f.Call(t.Context(), r, nil)
			if err != nil || o.Err != nil || protocol.TextOf(o.Result.Content) != want[i] || protocol.TextOf(batch.Results[i].Outcome.Result.Content) != want[i] {
				t.Errorf("%s: %+v, %+v, %v", r.Name, o, batch.Results[i].Outcome, err)
			}
		}
		if synctest.Wait(); ran.Err() == nil {
			t.Error("the context of a local tool outlives it")
		}
		if err := f.Set(t.Context(), []fleet.Definition{{Name: "b"}}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		added, removed := map[string]int{}, map[string]int{}
		for _, c := range changes {
			added[c.Server] += len(c.Added)
			removed[c.Server] += len(c.Removed)
		}
		if added["a"] != 6 || added["b"] != 6 || removed["a"] != 6 || removed["b"] != 0 {
			t.Errorf("%v, %v", added, removed)
		}
		if o, _ := f.Call(t.Context(), calls.Request{Name: "mcp.a.echo"}, nil); !errors.Is(o.Err, toolerror.UnknownTool) {
			t.Error(o.Err)
		}
	})
}

// A call and a batch whose context ends are cancelled, wherever they run, and have had their progress;
// Close ends all.
func TestCallEnds(t *testing.T) {
	ended := 0
	opt := fleet.Options{Local: func(ctx context.Context, _ *fleet.Fleet, _ calls.LocalStart) attempt.Outcome {
		<-ctx.Done()
		ended++
		return attempt.Outcome{}
	}}
	bubble(t, opt, func(t *testing.T, f *fleet.Fleet) {
		progress := map[int]int{}
		for _, name := range []string{"sleep", "mine"} {
			ctx, stop := context.WithTimeout(t.Context(), time.Second)
			defer stop()
			o, err := f.Call(ctx, calls.Request{Name: name}, func(protocol.ProgressParams) { progress[-1]++ })
			if err != nil || !errors.Is(o.Err, toolerror.Cancelled) {
				t.Error(o, err)
			}
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		b, err := f.Batch(ctx, []calls.Request{{Name: "mine"}, {Name: "sleep"}, {Name: "mcp.b.sleep"}},
			attempt.BatchOptions{Strategy: attempt.Parallel, Immediate: true}, func(i int, _ protocol.ProgressParams) { progress[i]++ })
		if err != nil || len(b.Results) != 3 {
			t.Error(b, err)
		}
		for _, r := range b.Results {
			if !errors.Is(r.Outcome.Err, toolerror.Cancelled) {
				t.Error(r)
			}
		}
		synctest.Wait()
		if len(progress) != 3 || progress[-1] != 1 || progress[1] != 1 || progress[2] != 1 || ended != 2 {
			t.Errorf("progress %v, %d ended", progress, ended)
		}
		gone := make(chan attempt.Outcome, 2)
		for _, name := range []string{"sleep", "mine"} {
			go func() {
				o, _ := f.Call(t.Context(), calls.Request{Name: name}, nil)
				gone <- o
			}()
		}
		synctest.Wait()
		if err := f.Close(t.Context()); err != nil {
			t.Error(err)
		}
		for range 2 {
			if o := <-gone; !errors.Is(o.Err, toolerror.ConnectionLost) && !errors.Is(o.Err, toolerror.Cancelled) {
				t.Error(o.Err)
			}
		}
	})
}

// A list with a server whose tools could not have their names is not taken, and local tools want a
// function.
func TestCallRefusals(t *testing.T) {
	cfg := plain()
	_, err := fleet.New(cfg, fleet.Options{Dial: beside})
	if !errors.Is(err, lifecycle.ErrConfig) || err.Error() != "fleet: Local is nil: want a function, because the catalog.Config has local tools" {
		t.Error(err)
	}
	cfg.Catalog.Local[0].Name = "mcp.c.mine"
	local := func(context.Context, *fleet.Fleet, calls.LocalStart) (o attempt.Outcome) { return o }
	f, err := fleet.New(cfg, fleet.Options{Dial: beside, Local: local})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close(t.Context())
	for _, name := range []string{"c", strings.Repeat("x", 5000)} {
		if err := f.Set(t.Context(), []fleet.Definition{{Name: "a"}, {Name: name}}); err == nil {
			t.Errorf("%.5s is taken", name)
		}
	}
	if n := f.Caller().Manager().Len(); n != 0 {
		t.Errorf("%d servers", n)
	}
	_, err = f.Batch(t.Context(), []calls.Request{{Name: "x"}}, attempt.BatchOptions{Strategy: -7}, nil)
	wantErr(t, err, lifecycle.ErrConfig)
}

// What the Config says of a server holds for it once Set has it: a Filter is never left out.
func TestSourcesOfTheConfig(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := plain()
		cfg.Catalog.Sources = []catalog.Source{{Name: "b", TTL: time.Hour, Filter: catalog.Filter{Deny: []catalog.Rule{{Name: "*"}}}}}
		f, err := fleet.New(cfg, fleet.Options{Dial: beside, Local: func(context.Context, *fleet.Fleet, calls.LocalStart) attempt.Outcome { return attempt.Outcome{} }})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close(t.Context())
		for range 2 {
			if err := f.Set(t.Context(), []fleet.Definition{{Name: "a"}, {Name: "b"}}); err != nil {
				t.Fatal(err)
			}
			for i := range f.Caller().Tools().Items(protocol.ToolList, true) {
				if i.Server == "b" {
					t.Errorf("%+v", i)
				}
			}
			if o, err := f.Call(t.Context(), calls.Request{Name: "mcp.b.echo"}, nil); err != nil || !errors.Is(o.Err, toolerror.UnknownTool) {
				t.Error(o, err)
			}
		}
		if n := f.Caller().Tools().Len(); n < 2 {
			t.Errorf("%d tools", n)
		}
	})
}

// A local tool that ends its goroutine, as t.FailNow does, has failed; nobody waits for it for ever.
func TestCallLeft(t *testing.T) {
	opt := fleet.Options{Local: func(context.Context, *fleet.Fleet, calls.LocalStart) attempt.Outcome {
		runtime.Goexit()
		return attempt.Outcome{}
	}}
	bubble(t, opt, func(t *testing.T, f *fleet.Fleet) {
		for range 3 {
			if o, err := f.Call(t.Context(), calls.Request{Name: "mine"}, nil); err != nil || !errors.Is(o.Err, toolerror.Execution) {
				t.Error(o, err)
			}
		}
	})
}

// Whatever is asked for with a context that has ended is not sent, and its error says so.
func TestContextHasEnded(t *testing.T) {
	ran := 0
	opt := fleet.Options{Local: func(context.Context, *fleet.Fleet, calls.LocalStart) attempt.Outcome {
		ran++
		return attempt.Outcome{Result: protocol.TextResult("")}
	}}
	bubble(t, opt, func(t *testing.T, f *fleet.Fleet) {
		ctx, stop := context.WithCancel(t.Context())
		stop()
		before, a := f.Caller().Status().Begun, f.Server("a")
		for what, ask := range map[string]func() error{
			"call of a server": func() error { _, err := f.Call(ctx, calls.Request{Name: "mcp.a.echo"}, nil); return err },
			"call":             func() error { _, err := f.Call(ctx, calls.Request{Name: "mine"}, nil); return err },
			"batch": func() error {
				_, err := f.Batch(ctx, []calls.Request{{Name: "mine"}, {Name: "echo"}}, attempt.BatchOptions{}, nil)
				return err
			},
			"request": func() error { _, err := a.Request(ctx, protocol.PingParams{}, fleet.RequestOptions{}); return err },
			"list":    func() error { _, err := a.List(ctx, "tools/list", manager.Budget{}); return err },
			"health":  func() error { _, err := f.Health(ctx); return err },
			"set":     func() error { return f.Set(ctx, nil) },
		} {
			if err := ask(); !errors.Is(err, context.Canceled) || lifecycle.DeliveryOf(err) != lifecycle.NotSent {
				t.Errorf("%s: %v, which says %v", what, err, lifecycle.DeliveryOf(err))
			}
		}
		if synctest.Wait(); ran != 0 || f.Caller().Status().Begun != before {
			t.Errorf("%d local calls ran, %d attempts began", ran, f.Caller().Status().Begun-before)
		}
	})
}
