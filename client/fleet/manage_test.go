//go:build unix

package fleet_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/manager"
)

// A verb that panics, in a caller that recovers as that of an HTTP handler does, or that ends its
// goroutine, holds nobody up.
func TestManageAbandoned(t *testing.T) {
	for name, leave := range map[string]func(){"panic": func() { panic("no verb") }, "exit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			bubble(t, fleet.Options{Local: none}, func(t *testing.T, f *fleet.Fleet) {
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					defer func() { _ = recover() }()
					_, _ = f.Server("a").Manage(t.Context(), func(m manager.Manager, _ time.Time) (manager.Manager, manager.Effects, error) {
						leave()
						return m, manager.Effects{}, nil
					})
				}()
				<-ended
				mustCall(t, f, "a", "echo")
			})
		})
	}
}

// none is no local tool.
func none(context.Context, *fleet.Fleet, calls.LocalStart) attempt.Outcome { return attempt.Outcome{} }

// Event and Changed that end their goroutine are none the less called with what follows.
func TestTellLeft(t *testing.T) {
	events, changes := 0, 0
	opt := fleet.Options{
		Local:   none,
		Event:   func(*fleet.Fleet, manager.Event) { events++; runtime.Goexit() },
		Changed: func(*fleet.Fleet, []catalog.Change) { changes++; runtime.Goexit() },
	}
	bubble(t, opt, func(t *testing.T, f *fleet.Fleet) {
		synctest.Wait()
		before, changed := events, changes
		if err := f.Set(t.Context(), nil); err != nil {
			t.Error(err)
		}
		if synctest.Wait(); before < 2 || events < before+2 || changes <= changed {
			t.Errorf("%d and %d events, %d and %d changes", before, events, changed, changes)
		}
	})
}
