// Command call starts an MCP server, calls one of its tools and prints the result:
//
//	go build -o /tmp/tool ./docs/examples/tool
//	go run ./docs/examples/call greet '{"name":"Ada"}' /tmp/tool
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
)

func main() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	if err := run(ctx, os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "call:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, args []string) error {
	if len(args) < 3 {
		return errors.New("usage: call TOOL ARGUMENTS COMMAND ARGS…")
	}
	server, err := child.Start(exec.Command(args[2], args[3:]...), child.Options{})
	if err != nil {
		return err
	}
	cfg := client.Config{Info: protocol.Implementation{Name: "call", Version: "1.0.0"}}
	c, err := session.Connect(ctx, cfg, server, session.Options{})
	if err != nil {
		return err
	}
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: args[0], Arguments: protocol.Raw(args[1])}, session.RequestOptions{})
	if err != nil { // the call failed: the tool did not answer
		return errors.Join(err, c.Close(ctx))
	}
	// A failed tool has answered: the content is the reason.
	fmt.Fprintf(out, "failed: %v\n%s\n", r.IsError, protocol.TextOf(r.Content))
	return c.Close(ctx)
}
