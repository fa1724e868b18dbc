package stdio_test

import (
	"context"
	"fmt"
	"net"

	"github.com/sansmcp/mcp/client/host"
	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/protocol"
)

// A client over a connection of bytes: here a net.Pipe to a server in the same process.
func ExampleOver() {
	ctx := context.Background()
	here, there := net.Pipe()
	served := greets(there)
	conn, err := stdio.Over(here, here, stdio.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := host.Connect(ctx, clientConfig, conn, host.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "greet"}, host.RequestOptions{})
	fmt.Println(protocol.TextOf(r.Content), err)
	fmt.Println(c.Close(ctx), <-served)
	// Output:
	// Hello! <nil>
	// <nil> <nil>
}
