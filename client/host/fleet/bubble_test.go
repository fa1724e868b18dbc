package fleet_test

import (
	"context"
	"net"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/client/host/fleet"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	serving "github.com/sansmcp/mcp/server/stdio"
)

// After Close nothing is left of a Fleet, its connections and its servers: a bubble ends only when
// no goroutine is left in it, and no time passes in it after its test.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, err := fleet.New(quiet(), fleet.Options{Dial: func(context.Context, any) (links.Transport, error) {
			here, there := net.Pipe()
			h := new(server.Handlers)
			h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
				return protocol.TextResult("done"), nil
			})
			go func() {
				defer there.Close()
				cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}
				if err := serving.Serve(context.Background(), cfg, h, there, there, serving.Options{}); err != nil {
					t.Error(err)
				}
			}()
			return stdio.Over(here, here, stdio.Options{})
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			if err := f.Connect(t.Context(), name, manager.Options{Supervise: true}); err != nil {
				t.Fatal(err)
			}
			if r, err := f.CallTool(t.Context(), name, protocol.CallToolParams{Name: "t"}, fleet.RequestOptions{}); err != nil || protocol.TextOf(r.Content) != "done" {
				t.Error(r, err)
			}
		}
		if err := f.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
