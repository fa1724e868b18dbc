package gateway_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// After Close nothing is left of a Gateway, its clients and its servers: a bubble ends only when no
// goroutine is left in it, and no time passes in it after its test.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(server.Handlers)
		h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("done"), nil
		})
		who := protocol.Implementation{Name: "x", Version: "1"}
		g, err := gateway.New(gateway.Options{
			Relay: relay.Config{Info: who}, Server: server.Config{Info: who}, Servers: []relay.Server{{Name: "a"}, {Name: "b"}},
			Dial: func(context.Context, any) (links.Transport, error) {
				here, there := net.Pipe()
				go func() {
					defer there.Close()
					if err := stdio.Serve(context.Background(), server.Config{Info: who}, h, there, there, stdio.Options{}); err != nil && !errors.Is(err, io.ErrClosedPipe) { // it may be writing as the pipe closes
						t.Error(err)
					}
				}()
				return child.Over(here, here, child.Options{})
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		here, there := net.Pipe()
		served := make(chan error, 1)
		go func() {
			defer there.Close()
			served <- g.Serve(context.Background(), there, there, stdio.Options{})
		}()
		conn, err := child.Over(here, here, child.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := session.Connect(t.Context(), client.Config{Info: who}, conn, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r, err := c.CallTool(t.Context(), protocol.CallToolParams{Name: "mcp.b.t"}, session.RequestOptions{}); err != nil || protocol.TextOf(r.Content) != "done" {
			t.Error(r, err)
		}
		if err := c.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil && !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		if err := g.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
