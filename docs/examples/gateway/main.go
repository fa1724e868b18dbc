// Command gateway is an MCP server in front of the servers of a configuration file, as clients
// have them (package config says which files are understood):
//
//	gateway [flags] CONFIG
//	go run ./docs/examples/gateway mcp.json                       # over standard input and output
//	go run ./docs/examples/gateway -http 127.0.0.1:8080 mcp.json  # over HTTP, at /mcp
//
// Its client sees the tools, resources and prompts of all servers. Each session has connections of
// its own to all servers, so that sampling, elicitation and progress reach the client that they
// are meant for. A server that fails costs the others nothing; it is started again, and what it
// offers joins.
//
// The file is read again when it has changed, and on SIGHUP: servers whose definition is the same
// keep their connections, and clients are told that lists have changed. GET /status, SIGUSR1 and
// -status show what the servers are at. SIGTERM, SIGINT and the end of input end the program, and
// all that it has started.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/client/toolset"
)

// settings are what the command line says.
type settings struct {
	file     string
	addr     string      // "" for standard input and output
	sse      bool        // HTTP+SSE of 2024-11-05 as well
	names    relay.Names // what tools and prompts are called
	uris     relay.URIs  // what resources are called
	loss     relay.Loss  // what becomes of what a server listed that is away
	naming   toolset.Naming
	settle   time.Duration // how long lists wait for servers that start; 0: the default
	check    time.Duration // how often the file is looked at; 0: never
	status   time.Duration // how often the status is printed; 0: on SIGUSR1 alone
	idle     time.Duration // how long a session over HTTP lives without its client
	sessions int           // over HTTP
	drain    time.Duration // how long calls may go on at the end
	quiet    bool
}

func main() {
	s, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		fmt.Fprintln(os.Stderr, "gateway:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p := &program{settings: s, in: os.Stdin, out: os.Stdout, log: newLossy(os.Stderr), reload: reloadSignal(), show: showSignal()}
	err = p.run(ctx)
	p.log.Close()
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintln(os.Stderr, "gateway:", strings.TrimSuffix(line, "\n"))
		}
		os.Exit(1)
	}
}

// choice is a flag that takes one of several words.
type choice[T ~uint8] struct {
	to    *T
	words []string // of the values from 0 on
}

// String implements flag.Value.
func (c choice[T]) String() string {
	if c.to == nil || int(*c.to) >= len(c.words) {
		return ""
	}
	return c.words[*c.to]
}

// Set implements flag.Value.
func (c choice[T]) Set(word string) error {
	for i, w := range c.words {
		if w == word {
			*c.to = T(i)
			return nil
		}
	}
	return fmt.Errorf("it is one of %s", strings.Join(c.words, ", "))
}

// parse reads the command line.
func parse(args []string, out io.Writer) (s settings, err error) {
	f := flag.NewFlagSet("gateway", flag.ContinueOnError)
	f.SetOutput(out)
	f.Usage = func() {
		fmt.Fprintln(out, "usage: gateway [flags] CONFIG")
		f.PrintDefaults()
	}
	f.StringVar(&s.addr, "http", "", "serve over HTTP at this `address`, as 127.0.0.1:8080, and not over standard input and output")
	f.BoolVar(&s.sse, "sse", false, "serve HTTP+SSE of 2024-11-05 as well")
	f.Var(choice[relay.Names]{&s.names, []string{"unique", "qualified", "shadow"}}, "naming",
		"`how` tools and prompts are called: unique (the second of a name is qualified), qualified (all are) or shadow (the second is hidden)")
	f.Var(choice[toolset.Profile]{&s.naming.Profile, []string{"dotted", "provider"}}, "profile",
		"`which` qualified names: dotted (mcp.server.tool) or provider (mcp__server__tool, 64 characters)")
	f.Var(choice[relay.URIs]{&s.uris, []string{"unique", "qualified"}}, "uris", "`how` resources are called: unique or qualified (server+uri)")
	f.Var(choice[relay.Loss]{&s.loss, []string{"hide", "keep"}}, "loss", "`what` becomes of the tools of a server that is away: hide or keep")
	f.DurationVar(&s.settle, "settle", 0, "how long lists wait for servers that start, for clients that read them once; 0 for a moment: the others are told when more joins")
	f.DurationVar(&s.check, "check", 2*time.Second, "how often to look whether the file has changed; 0 for never")
	f.DurationVar(&s.status, "status", 0, "how often to print the status on standard error; 0 for on SIGUSR1 alone")
	f.DurationVar(&s.idle, "idle", 30*time.Minute, "how long a session over HTTP lives without a word of its client")
	f.IntVar(&s.sessions, "sessions", 100, "how many sessions over HTTP there may be")
	f.DurationVar(&s.drain, "drain", 1500*time.Millisecond, "how long calls may go on at the end")
	f.BoolVar(&s.quiet, "quiet", false, "log only what goes wrong")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return s, err
		}
		return s, errors.New("bad flags")
	}
	switch {
	case f.NArg() != 1:
		f.Usage()
		return s, errors.New("one configuration file is needed")
	case s.settle < 0 || s.check < 0 || s.status < 0 || s.drain < 0 || s.idle <= 0 || s.sessions <= 0:
		return s, errors.New("a time or number is too small")
	}
	s.file = f.Arg(0)
	return s, nil
}
