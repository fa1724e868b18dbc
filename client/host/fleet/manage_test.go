//go:build unix

package fleet_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/attempt"
	"github.com/sansmcp/mcp/client/host/fleet"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/toolset"
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
func none(context.Context, *fleet.Fleet, toolset.Invoke) attempt.Outcome { return attempt.Outcome{} }
