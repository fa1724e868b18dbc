// Command greeter is a server over WebSocket, and a client of it:
//
//	go run ./greeter -listen 127.0.0.1:8765 &
//	go run ./greeter ws://127.0.0.1:8765
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/session"
	ws "github.com/sansmcp/mcp/docs/examples/websocket"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:0", "the address to serve on, if there is no URL")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run := func() error { return serve(ctx, *listen, os.Stdout) }
	if url := flag.Arg(0); url != "" {
		run = func() error { return greet(ctx, url, os.Stdout) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "greeter:", err)
		os.Exit(1)
	}
}

// serve serves until ctx ends.
func serve(ctx context.Context, address string, w io.Writer) error {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{
		Name: "greet", Description: "Greets somebody.",
		InputSchema: `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`,
	}, func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
		args := schema.ReadArguments(p.Arguments)
		return protocol.TextResult("Hello, " + args.String("name") + "!"), args.Err()
	})
	s, err := ws.NewServer(server.Config{Info: protocol.Implementation{Name: "greeter", Version: "1.0.0"}}, h, ws.ServerOptions{})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "serving on ws://%s\n", l.Addr())
	web := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = web.Close() // no new connections; those of WebSockets are not its own any more
	}()
	if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	patience, end := context.WithTimeout(context.Background(), 10*time.Second)
	defer end()
	return s.Shutdown(patience)
}

// greet is a client: it looks at what there is and calls a tool.
func greet(ctx context.Context, url string, w io.Writer) error {
	t, err := ws.Dial(ctx, url, ws.DialOptions{})
	if err != nil {
		return err
	}
	c, err := session.Connect(ctx, client.Config{Info: protocol.Implementation{Name: "greeter", Version: "1.0.0"}}, t, session.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }()
	fmt.Fprintf(w, "connected to %s, revision %s\n", c.State().Peer().Name, c.State().Revision())
	tools, err := c.Tools(ctx)
	if err != nil {
		return err
	}
	for _, tool := range tools {
		fmt.Fprintf(w, "%s: %s\n", tool.Name, tool.Description)
	}
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "greet", Arguments: `{"name":"Ada"}`}, session.RequestOptions{})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, protocol.TextOf(r.Content))
	return nil
}
