package child_test

import (
	"context"
	"fmt"

	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/jsonrpc"
)

// A server is started, asked and ended.
func Example() {
	c, err := child.Start(command("good"), child.Options{}) // exec.Command("server", "-flag")
	if err != nil {
		fmt.Println(err)
		return
	}
	c.In.Send(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	fmt.Println(string(jsonrpc.Append(nil, <-c.Messages)))
	fmt.Println(c.Close(context.Background()), c.Exit())
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// <nil> <nil>
}
