// Command relay is an MCP server over standard input and output that offers the tools, resources
// and prompts of other servers, given on the command line:
//
//	go run ./docs/examples/relay -- COMMAND ARGS… -- COMMAND ARGS…
//
// Without commands it starts the example server twice. It is the shortest program of package
// gateway; docs/examples/gateway has a configuration file, HTTP, and a status.
//
// A server that does not answer, sends too much, does not read or has ended does not affect the
// others: their tools are listed, and called, without it. When the client leaves, open calls have
// one and a half seconds, and then the servers three more, all at once.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/client/child"
	"github.com/sansmcp/mcp/client/dial"
	"github.com/sansmcp/mcp/client/gateway"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/stdio"
)

func main() {
	settle := flag.Duration("settle", 500*time.Millisecond, "how long the first list waits for servers that start; what starts later joins later")
	drain := flag.Duration("drain", 1500*time.Millisecond, "how long calls may go on after the end of input")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, flag.Args(), *settle, *drain); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

//sansmcp:loop max=30
func run(ctx context.Context, args []string, settle, drain time.Duration) error {
	servers, err := commands(args)
	if err != nil {
		return err
	}
	g, err := gateway.New(gateway.Options{
		Relay: relay.Config{
			Info:  protocol.Implementation{Name: "relay", Version: "1.0.0"},
			Lists: relay.Lists{Hold: settle},
		},
		Servers: servers, CloseTimeout: 3 * time.Second,
		Dial: dial.Dialer{Stdio: child.Options{Term: time.Second, Kill: time.Second}}.Dial,
	})
	if err != nil {
		return err
	}
	err = g.Serve(ctx, os.Stdin, os.Stdout, stdio.Options{Drain: max(drain, time.Millisecond)})
	end, cancel := context.WithTimeout(context.Background(), drain)
	defer cancel()
	return errors.Join(err, g.Close(end))
}

// commands returns the servers of the command line, which -- separates.
func commands(args []string) ([]relay.Server, error) {
	if len(args) == 0 {
		args = strings.Fields("go run ./docs/examples/stdioserver -- go run ./docs/examples/stdioserver")
	}
	list := [][]string{nil}
	for _, a := range args {
		if last := len(list) - 1; a != "--" {
			list[last] = append(list[last], a)
		} else {
			list = append(list, nil)
		}
	}
	var servers []relay.Server
	for i, command := range list {
		if len(command) == 0 {
			return nil, errors.New("usage: relay [-settle TIME] [-drain TIME] -- COMMAND ARGS… -- COMMAND ARGS…")
		}
		servers = append(servers, relay.Server{
			Name: fmt.Sprintf("s%d", i+1), Options: manager.Options{Endpoint: dial.Command{Args: command, Stderr: os.Stderr}},
		})
	}
	return servers, nil
}
