// Command relay is an MCP server over standard input and output that offers the tools
// of other servers:
//
//	go run ./docs/examples/relay -- COMMAND ARGS… -- COMMAND ARGS…
//
// Without commands it starts the example server twice.
//
// A server that does not answer, floods, does not read or is gone costs the others
// nothing: their tools are listed, and called, without it. When the client leaves, open
// calls have one and a half seconds, and then the servers three more, all at once.
package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/sansmcp/mcp/client/stdio"
	"github.com/sansmcp/mcp/jsonrpc/pipe"
)

func main() {
	drain := flag.Duration("drain", 1500*time.Millisecond, "how long calls may go on after the end of input")
	flag.Parse()
	if err := run(flag.Args(), *drain); err != nil {
		fmt.Fprintln(os.Stderr, "relay:", err)
		os.Exit(1)
	}
}

func run(args []string, drain time.Duration) error {
	example := []string{"go", "run", "github.com/sansmcp/mcp/docs/examples/stdioserver"}
	commands := [][]string{example, example}
	if len(args) > 0 {
		commands = [][]string{nil}
		for _, a := range args {
			if last := len(commands) - 1; a != "--" {
				commands[last] = append(commands[last], a)
			} else {
				commands = append(commands, nil)
			}
		}
	}
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		return err
	}
	d := &driver{drain: drain, in: make(chan arrival), quit: make(chan struct{}), now: make(chan os.Signal, 1)}
	var err error
	if d.r, err = newRelay(time.Now(), len(commands), key, func(i int) bool { return d.up[i].In.Full() }); err != nil {
		return err
	}
	signal.Notify(d.now, os.Interrupt, syscall.SIGTERM)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a failed write is enough
	for _, command := range commands {
		if len(command) == 0 {
			return errors.Join(errors.New("usage: relay [-drain TIME] -- COMMAND ARGS… -- COMMAND ARGS…"), d.stop())
		}
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Stderr = os.Stderr
		child, err := stdio.Start(cmd, stdio.Options{})
		if err != nil {
			return errors.Join(err, d.stop())
		}
		d.up = append(d.up, child)
	}
	d.down = pipe.NewWriter(os.Stdout, 0, 0)
	return errors.Join(d.serve(pipe.Read(os.Stdin, d.quit)), d.stop())
}
