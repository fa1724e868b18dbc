package child_test

import (
	"context"
	"fmt"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Start a server, call a tool, and stop the server.
func Example() {
	c, err := child.Start(command("good"), child.Options{}) // exec.Command("server", "-flag")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, ping := context.Background(), jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if err := c.Send(ctx, client.Outgoing{Message: ping}, protocol.Revision20251125); err != nil {
		fmt.Println(err)
	}
	got, err := c.Receive(ctx)
	fmt.Println(string(jsonrpc.Append(nil, got.Message)), err)
	fmt.Println(c.Close(ctx), c.Exit())
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}} <nil>
	// <nil> <nil>
}
