package session_test

import (
	"context"
	"fmt"
	"net"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// A client of a server in the same process, connected by a net.Pipe.
func Example() {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("hello"), nil
		})
	ctx := context.Background()
	here, there := net.Pipe()
	go func() {
		defer there.Close()
		cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}
		_ = stdio.Serve(ctx, cfg, h, there, there, stdio.Options{}) // an error ends the session
	}()

	conn, err := child.Over(here, here, child.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}
	c, err := session.Connect(ctx, cfg, conn, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close(ctx)
	tools, err := c.Tools(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: tools[0].Name}, session.RequestOptions{})
	fmt.Println(tools[0].Name, protocol.TextOf(r.Content), err)
	// Output: greet hello <nil>
}
