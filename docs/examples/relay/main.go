// Command relay is an MCP server over standard input and output that offers the tools
// of two other servers:
//
//	go run ./docs/examples/relay -- COMMAND ARGS… -- COMMAND ARGS…
//
// Without commands it starts the example server twice.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/sansmcp/mcp/docs/examples/stdio"
	"github.com/sansmcp/mcp/jsonrpc"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	example := []string{"go", "run", "github.com/sansmcp/mcp/docs/examples/stdioserver"}
	commands := [2][]string{example, example}
	if i := slices.Index(args, "--"); i > 0 && i < len(args)-1 {
		commands = [2][]string{args[:i], args[i+1:]}
	} else if len(args) > 0 {
		return errors.New("usage: relay -- COMMAND ARGS… -- COMMAND ARGS…")
	}
	r, err := newRelay(time.Now())
	if err != nil {
		return err
	}
	d := driver{r: r, out: map[int]io.Writer{down: os.Stdout}}
	for i, command := range commands {
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
		if err := cmd.Start(); err != nil {
			return err
		}
		defer cmd.Wait() // how a server ends is not our concern
		defer in.Close()
		d.in[i], d.out[i] = stdio.Read(out), in
	}
	return d.serve(stdio.Read(os.Stdin))
}

const nobody = -2

// driver moves the relay's messages and time.
type driver struct {
	r   *relay
	in  [2]<-chan jsonrpc.Message
	out map[int]io.Writer
}

// serve runs until the client is gone. A server that is gone is one with no tools.
//
//sansmcp:loop max=60
func (d *driver) serve(client <-chan jsonrpc.Message) error {
	timer := time.NewTimer(time.Hour)
	for {
		if t, ok := d.r.nextDeadline(); ok {
			timer.Reset(time.Until(t))
		}
		var list []packet
		var m jsonrpc.Message
		from, ok := nobody, true
		select {
		case m, ok = <-client:
			from = down
		case m, ok = <-d.in[0]:
			from = 0
		case m, ok = <-d.in[1]:
			from = 1
		case now := <-timer.C:
			list = d.r.tick(now)
		}
		switch {
		case from == down && !ok:
			return nil
		case !ok:
			d.in[from] = nil
			list = d.r.lost(time.Now(), from)
		case from != nobody:
			list = d.r.receive(time.Now(), from, m)
		}
		for _, p := range list {
			if _, err := d.out[p.to].Write(jsonrpc.AppendLine(nil, p.m)); err != nil && p.to == down {
				return err
			}
		}
	}
}
