package child_test

import (
	"context"
	"fmt"
	"net"

	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
)

// A client over a byte stream, here a net.Pipe to a server in the same process.
func ExampleOver() {
	ctx := context.Background()
	here, there := net.Pipe()
	served := greets(there)
	conn, err := child.Over(here, here, child.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := session.Connect(ctx, clientConfig, conn, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "greet"}, session.RequestOptions{})
	fmt.Println(protocol.TextOf(r.Content), err)
	fmt.Println(c.Close(ctx), <-served)
	// Output:
	// Hello! <nil>
	// <nil> <nil>
}
