// Command desk is a host whose agents have their tools in its own process. An agent is another
// program, such as a command-line client: it sends MCP messages for a group to the desk, in lines
// that name the agent. Each agent has its own groups, and all share some.
//
//	go run ./docs/examples/desk -notes FOLDER
//	{"session":"ada","do":"add","group":"notes"}
//	{"session":"ada","do":"config"}
//	{"session":"ada","group":"notes","message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{…}}}
//	{"session":"ada","message":{…}}
//
// config returns what such a client accepts as its mcpServers. A message without a group is for all
// groups together. do.go lists the other commands.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	notes := flag.String("notes", ".", "the folder of the notes")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *notes, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "desk:", err)
		os.Exit(1)
	}
}

// run serves the lines of in until its end.
func run(ctx context.Context, notes string, in io.Reader, out io.Writer) error {
	folder, err := os.OpenRoot(notes)
	if err != nil {
		return err
	}
	defer folder.Close()
	d, err := newDesk(ctx, folder, out)
	if err != nil {
		return err
	}
	defer d.close()
	return d.read(in)
}
