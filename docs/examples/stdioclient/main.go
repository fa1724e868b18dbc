// Command stdioclient starts an MCP server, shows what it offers and calls a tool:
//
//	go run ./docs/examples/stdioclient -- COMMAND ARGS…
//
// Without a command it starts the example server.
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
	flag.Parse()
	command := flag.Args()
	if len(command) == 0 {
		command = []string{"go", "run", "github.com/sansmcp/mcp/docs/examples/stdioserver"}
	}
	if err := run(command, *tool, *args); err != nil {
		fmt.Fprintln(os.Stderr, "stdioclient:", err)
		os.Exit(1)
	}
}

func run(command []string, tool, args string) error {
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
	s, err := client.New(client.Config{
		Info:  protocol.Implementation{Name: "stdioclient", Version: "1.0.0"},
		Roots: []protocol.Root{{URI: "file:///", Name: "everything"}},
		Serve: []string{"sampling/createMessage", "elicitation/create"},
	}, time.Now())
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	d := &driver{s: s, messages: stdio.Read(out), out: in, log: os.Stdout, timer: time.NewTimer(time.Hour)}
	err = show(d, tool, args)
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
