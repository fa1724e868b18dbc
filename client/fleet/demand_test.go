//go:build unix

package fleet_test

import (
	"context"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

func onDemand(endpoint any) manager.Options {
	return manager.Options{Endpoint: endpoint, OnDemand: true}
}

// A server on demand is started by the first thing that is wanted of it, once, and again by what is
// wanted after it was lost or all were disconnected (rows A1, A8, A11, A13).
func TestOnDemand(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	ctx := t.Context()
	state := func(want manager.Condition) {
		t.Helper()
		if s, _ := f.Caller().Manager().Status("a"); s.Condition != want {
			t.Fatalf("it is %v, want %v", s.Condition, want)
		}
	}
	wants := map[string]func() error{
		"list": func() error { _, err := f.Server("a").List(ctx, "tools/list", manager.Budget{}); return err },
		"ping": func() error { _, err := ping(ctx, f, "a"); return err },
		"call": func() error { _, err := call(ctx, f, "a", "echo"); return err },
		"read": func() error {
			_, err := fleet.Do[protocol.ReadResourceResult](ctx, f.Server("a"), protocol.ReadResourceParams{URI: "test://a"}, fleet.RequestOptions{})
			return err
		},
	}
	connect(t, f, "a", onDemand(command("good")))
	for name, want := range wants {
		state(manager.Idle)
		if err := want(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		state(manager.Ready)
		if err := leaveAll(ctx, f); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	was, _ := f.Caller().Manager().Link("a")
	for range 8 {
		wg.Go(func() {
			if _, err := call(ctx, f, "a", "echo"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if is, _ := f.Caller().Manager().Link("a"); is.Epoch != was.Epoch+1 {
		t.Errorf("it was started %d times", is.Epoch-was.Epoch)
	}
	wantErr(t, func() error { _, err := call(ctx, f, "a", "die"); return err }(), class(manager.ClassLost))
	mustCall(t, f, "a", "echo")
	mute := onDemand(command("mute"))
	mute.Timeouts.Connect = 100 * time.Millisecond
	list := []fleet.Definition{{Name: "a", Options: onDemand(command("good"))}, {Name: "b", Options: mute}}
	if err := f.Set(ctx, list); err != nil { // which waits for none that nobody wants
		t.Fatal(err)
	}
	if err := f.Set(ctx, list); err != nil {
		t.Fatal(err)
	}
	if reports, err := f.Health(ctx); err != nil || len(reports) != 2 || reports[0].Err != nil || reports[1].Err == nil {
		t.Fatal(reports, err)
	}
}

// Who wants a server that cannot be started hears why; one that waits too long gives up alone.
func TestOnDemandTrouble(t *testing.T) {
	f := start(t, settings(), fleet.Options{})
	connect(t, f, "none", onDemand(dial.Command{Args: []string{"sansmcp-there-is-no-such-program"}}))
	connect(t, f, "slow", onDemand(command("slow")))
	_, err := call(t.Context(), f, "none", "echo")
	wantErr(t, err, exec.ErrNotFound)
	_, err = call(t.Context(), f, "none", "echo")
	wantErr(t, err, manager.ErrUnavailable)

	short, stop := context.WithCancel(t.Context())
	stop()
	_, err = call(short, f, "slow", "echo")
	wantErr(t, err, context.Canceled)
	if s, _ := f.Caller().Manager().Status("slow"); s.Condition != manager.Idle {
		t.Errorf("opened for nobody: %v", s.Condition)
	}
	mustCall(t, f, "slow", "echo")
}
