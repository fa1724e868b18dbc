// Command stdioserver is an MCP server over standard input and output, with a tool for each feature
// of servers. Try it with any MCP client:
//
//	go build -o /tmp/stdioserver ./docs/examples/stdioserver
//	npx @modelcontextprotocol/inspector --cli /tmp/stdioserver --method tools/list
//
// The end of input ends it, as do SIGTERM and SIGINT: open calls may finish, for five seconds, and
// then are answered with an error. A second signal ends it at once.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/sansmcp/mcp/docs/examples/app"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/stdio"
)

func main() {
	revision := flag.String("revision", "", "the newest revision to speak; empty for all that have sessions")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // the next signal ends the program at once
	if err := run(ctx, *revision); err != nil {
		fmt.Fprintln(os.Stderr, "stdioserver:", err)
		if !errors.Is(err, host.ErrStopped) { // calls were given their time
			os.Exit(1)
		}
	}
}

func run(ctx context.Context, newest string) error {
	cfg := app.Config("stdioserver")
	var err error
	if cfg.Revisions, err = app.Until(newest); err != nil {
		return err
	}
	a, err := app.New()
	if err != nil {
		return err
	}
	s, err := stdio.New(cfg, a.Handlers(), os.Stdin, os.Stdout, stdio.Options{})
	if err != nil {
		return err
	}
	a.ServedBy(front{s})
	return s.Serve(ctx)
}

// front serves the application: there is one session.
type front struct{ *stdio.Server }

// Roots implements app.Front.
func (f front) Roots(ctx context.Context, _ server.Caller) ([]protocol.Root, error) {
	return f.Server.Roots(ctx)
}

// Session implements app.Front.
func (f front) Session(context.Context) string { return "" }

// Notify implements app.Front.
func (f front) Notify(_ string, n protocol.Params) error {
	return f.Server.Notify(server.Call{}, n)
}

// Broadcast implements app.Front. A client that has not subscribed to a resource gets no update of
// it.
func (f front) Broadcast(_ context.Context, n protocol.Params) error { return f.Notify("", n) }

// Replace implements app.Front.
func (f front) Replace(_ context.Context, h *server.Handlers) error { return f.Server.Replace(h) }
