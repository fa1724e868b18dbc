// Command httptiny is a whole MCP server over Streamable HTTP, with one tool. Its argument is
// the address to listen on, such as 127.0.0.1:8080.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

func main() {
	h, cfg := new(server.Handlers), server.Config{Info: protocol.Implementation{Name: "httptiny", Version: "1.0.0"}}
	h.Tool(protocol.Tool{Name: "greet", Description: "Greets.", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("Hello!"), nil
		})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := nethttp.Serve(ctx, os.Args[1], cfg, h, nethttp.Options{}); err != nil {
		log.Fatal(err)
	}
}
