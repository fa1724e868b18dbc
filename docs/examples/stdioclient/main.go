// Command stdioclient starts an MCP server, shows what it offers and calls a tool:
//
//	go run ./docs/examples/stdioclient -- COMMAND ARGS…
//
// Without a command it starts the example server. With -i it does what is typed instead
// of calling a tool; help tells what there is.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
	"github.com/sansmcp/mcp/protocol"
)

func main() {
	tool := flag.String("tool", "", "the tool to call; by default one that needs little")
	args := flag.String("args", "", "its arguments, a JSON object; by default made up from its schema")
	typed := flag.Bool("i", false, "do what standard input says instead")
	revision := flag.String("revision", "", "the revision of the protocol to offer; by default the newest")
	flag.Parse()
	command := flag.Args()
	if len(command) == 0 {
		command = []string{"go", "run", "github.com/sansmcp/mcp/docs/examples/stdioserver"}
	}
	err := run(command, *revision, func(d *driver) error {
		if *typed {
			return d.commands(os.Stdin)
		}
		return d.callTool(*tool, *args)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "stdioclient:", err)
		os.Exit(1)
	}
}

func run(command []string, revision string, do func(*driver) error) error {
	roots := []protocol.Root{{URI: "file:///", Name: "everything"}}
	cfg := client.Config{
		Info: protocol.Implementation{
			Name: "stdioclient", Version: "1.0.0", Title: "Example client",
			Description: "Shows what a server offers.", WebsiteURL: "https://example.com/stdioclient",
		},
		Roots:            roots,
		RootsListChanged: true,
		Serve:            []string{"sampling/createMessage", "elicitation/create"},
		Declare:          protocol.CapSamplingTools | protocol.CapElicitationForm | protocol.CapElicitationURL,
	}
	if revision != "" {
		r, known := protocol.ParseRevision(revision)
		if !known {
			return fmt.Errorf("there is no revision %s", revision)
		}
		cfg.Revisions = []protocol.Revision{r}
	}
	s, err := client.New(cfg, time.Now())
	if err != nil {
		return err
	}
	lists, err := client.NewMirror(methods...)
	if err != nil {
		return err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	child, err := stdio.Start(cmd, stdio.ChildOptions{})
	if err != nil {
		return err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)   // or else the server may stay
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // likewise: a failed write is enough
	go func() {
		<-signals
		child.StopNow()
	}()
	d := &driver{
		s: s, lists: lists, server: child, messages: child.Messages, log: os.Stdout, timer: time.NewTimer(time.Hour),
		ended: map[client.Req]client.Event{}, roots: roots,
		answer: protocol.ElicitResult{Action: protocol.ActionDecline},
	}
	if err = d.show(); err == nil {
		err = do(d)
	}
	err = errors.Join(err, d.close())
	if errors.Is(child.In.Err(), pipe.ErrStalled) {
		err = errors.Join(err, child.In.Err())
	}
	if exit := child.Exit(); exit != nil {
		fmt.Println("the server ended with", exit)
	}
	return err
}
