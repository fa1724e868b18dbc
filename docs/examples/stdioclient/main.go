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
	"syscall"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/docs/examples/stdio"
	"github.com/sansmcp/mcp/protocol"
)

func main() {
	tool := flag.String("tool", "", "the tool to call; by default one that needs little")
	args := flag.String("args", "", "its arguments, a JSON object; by default made up from its schema")
	typed := flag.Bool("i", false, "do what standard input says instead")
	flag.Parse()
	command := flag.Args()
	if len(command) == 0 {
		command = []string{"go", "run", "github.com/sansmcp/mcp/docs/examples/stdioserver"}
	}
	err := run(command, func(d *driver) error {
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

func run(command []string, do func(*driver) error) error {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	roots := []protocol.Root{{URI: "file:///", Name: "everything"}}
	s, err := client.New(client.Config{
		Info:             protocol.Implementation{Name: "stdioclient", Version: "1.0.0"},
		Roots:            roots,
		RootsListChanged: true,
		Serve:            []string{"sampling/createMessage", "elicitation/create"},
	}, time.Now())
	if err != nil {
		return err
	}
	lists, err := client.NewMirror(methods...)
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	d := &driver{
		s: s, lists: lists, messages: stdio.Read(out), out: in, log: os.Stdout, timer: time.NewTimer(time.Hour),
		ended: map[client.Req]client.Event{}, roots: roots,
		answer: protocol.ElicitResult{Action: protocol.ActionDecline},
	}
	if err = d.show(); err == nil {
		err = do(d)
	}
	// A server that does not leave after its input was closed is ended (lifecycle, Shutdown).
	for _, s := range []struct {
		after time.Duration
		sig   os.Signal
	}{{2 * time.Second, syscall.SIGTERM}, {5 * time.Second, os.Kill}} {
		defer time.AfterFunc(s.after, func() { _ = cmd.Process.Signal(s.sig) }).Stop()
	}
	err = errors.Join(err, d.close())
	if exit := cmd.Wait(); exit != nil {
		fmt.Println("the server ended with", exit)
	}
	return err
}
