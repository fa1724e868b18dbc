package fleet_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
	serving "github.com/sansmcp/mcp/server/stdio"
)

// beside opens a server of this process, whose tools are those of handlers.
func beside(context.Context, any) (links.Transport, error) {
	here, there := net.Pipe()
	go func() {
		defer there.Close()
		_ = serving.Serve(context.Background(), about(), handlers(), there, there, serving.Options{})
	}()
	return child.Over(here, here, child.Options{})
}

// After Close nothing is left of a Fleet, its connections and its servers: a bubble ends only when
// no goroutine is left in it, and no time passes in it after its test.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := fleet.New(calls.Config{Manager: quiet()}, fleet.Options{Dial: beside})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			if err := join(t.Context(), f, name, manager.Options{Supervise: true}); err != nil {
				t.Fatal(err)
			}
			if r, err := fleet.Do[protocol.CallToolResult](t.Context(), f.Server(name), protocol.CallToolParams{Name: "echo", Arguments: `{}`}, fleet.RequestOptions{}); err != nil || protocol.TextOf(r.Content) != "{}" {
				t.Error(r, err)
			}
		}
		if err := f.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
