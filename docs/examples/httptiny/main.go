// Command httptiny is a whole MCP server over Streamable HTTP, with one tool. Its argument is
// the address to listen on, such as 127.0.0.1:8080.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"time"

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
	handler, err := nethttp.NewHandler(cfg, h, nethttp.Options{})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal((&http.Server{Addr: os.Args[1], Handler: handler, ReadHeaderTimeout: 10 * time.Second}).ListenAndServe())
}
