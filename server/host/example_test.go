package host_test

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// A driver for any connection that carries messages: a channel of incoming messages, and a Sink for
// outgoing ones.
func Example() {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("Hello!"), nil
		})
	cfg, err := host.Config(server.Config{Info: protocol.Implementation{Name: "greeter", Version: "1.0.0"}}, h)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := server.New(cfg, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}
	in := make(chan jsonrpc.Message, 3)
	in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	in <- jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet"}}`)
	close(in) // the client ends its input
	fmt.Println(host.New(s, h, pipe.NewWriter(os.Stdout, 0, 0), host.Options{}).Serve(context.Background(), in))
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"greeter","version":"1.0.0"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hello!"}]}}
	// <nil>
}
