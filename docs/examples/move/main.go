// Command move begins a session in one place and ends it in another: the state in between is a
// text. The client, whose lines these are, notices nothing:
//
//	go run ./docs/examples/move
package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

func main() {
	if err := run(os.Stdout, time.Now()); err != nil {
		fmt.Fprintln(os.Stderr, "move:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, now time.Time) error {
	// Both places have the same settings, the key included: it makes ids of requests unguessable.
	cfg := server.Config{Info: protocol.Implementation{Name: "move", Version: "1.0.0"}, Serve: []string{"tools/call"}, Unlisted: true}
	if _, err := rand.Read(cfg.HashKey[:]); err != nil {
		return err
	}

	// Here the session begins, and a call arrives.
	here, err := server.New(cfg, now)
	if err != nil {
		return err
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow"}}`,
	} {
		var out server.Output
		here, out = here.Receive(now, jsonrpc.DecodeString(line))
		send(w, "here: ", out)
	}
	kept := here.Snapshot()
	fmt.Fprintf(w, "kept: %d bytes, one call open\n", len(kept))

	// There it goes on, an hour later: the open call is found by its number, and answered.
	now = now.Add(time.Hour)
	there, err := server.Restore(cfg, kept, now)
	if err != nil {
		return err
	}
	for call := range there.Inbound() {
		var out server.Output
		if there, out, err = there.Respond(now, call.Call, protocol.TextResult("It took an hour and two machines.")); err != nil {
			return err
		}
		send(w, "there: ", out)
	}
	return nil
}

func send(w io.Writer, place string, out server.Output) {
	for _, o := range out.Send {
		fmt.Fprintf(w, "%s%s", place, jsonrpc.AppendLine(nil, o.Message))
	}
}
