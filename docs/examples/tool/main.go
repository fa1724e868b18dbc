// Command tool is a whole MCP server over standard input and output, with one typed tool: the one
// in the README.
//
//	go build -o /tmp/tool ./docs/examples/tool
//	npx @modelcontextprotocol/inspector --cli /tmp/tool --method tools/call --tool-name greet --tool-arg name=Ada
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
	"github.com/sansmcp/mcp/server/typed"
)

type greeting struct {
	Name  string `json:"name" doc:"Who to greet." schema:"minLength=1"`
	Times int    `json:"times" doc:"How often." schema:"min=1,max=9,default=1"`
}

func register(h *server.Handlers) {
	typed.Tool(h, protocol.Tool{Name: "greet", Description: "Greets."},
		func(_ context.Context, _ server.Caller, in greeting) (string, error) {
			return strings.Repeat("Hello, "+in.Name+"! ", in.Times), nil
		})
}

func main() {
	h, cfg := new(server.Handlers), server.Config{Info: protocol.Implementation{Name: "tool", Version: "1.0.0"}}
	register(h)
	if err := stdio.Serve(context.Background(), cfg, h, os.Stdin, os.Stdout, stdio.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, "tool:", err)
		os.Exit(1)
	}
}
