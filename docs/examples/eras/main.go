// Command eras serves both eras of MCP at one url, sessions and requests without one, and calls itself
// as a client of each. The tool asks the user before it deletes: one function works in both eras.
//
//	go run ./docs/examples/eras
package main

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/remote"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "eras:", err)
		os.Exit(1)
	}
}

// newHandler serves both eras: Revisions names all of them.
func newHandler() (*nethttp.Handler, error) {
	h := &server.Handlers{}
	h.Tool(protocol.Tool{Name: "delete_note", InputSchema: `{"type":"object"}`}, deleteNote)
	return nethttp.NewHandler(server.Config{
		Info:      protocol.Implementation{Name: "notes", Version: "1.0.0"},
		Revisions: protocol.AllRevisions(),
		StateKeys: [][]byte{[]byte(strings.Repeat("k", 32))}, // from a secret, the same in all processes
	}, h, nethttp.Options{})
}

// deleteNote is run again once the user has answered. In a session the question is a request of the
// server; without one it is the result, and the client calls again with the answer.
func deleteNote(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
	q := protocol.Ask(p)
	sure := q.Elicit("sure", protocol.ElicitParams{Message: "Delete the note?", RequestedSchema: protocol.ElicitSchema{
		Properties: []protocol.Property{{Name: "why", Schema: protocol.PrimitiveSchema{Type: protocol.TypeString}}},
	}})
	if err := q.Open(""); err != nil {
		return nil, err
	}
	if sure.Action != protocol.ActionAccept {
		return protocol.TextResult("The note is still there."), nil
	}
	return protocol.TextResult("Deleted, because " + string(sure.Content["why"])), nil
}

func run(ctx context.Context, w io.Writer) error {
	h, err := newHandler()
	if err != nil {
		return err
	}
	defer h.Close()
	s := httptest.NewServer(h)
	defer s.Close()
	for _, revisions := range [][]protocol.Revision{protocol.Revisions(), protocol.AllRevisions()} {
		if err := call(ctx, w, s.URL, revisions); err != nil {
			return err
		}
	}
	return nil
}

// call calls the tool as a client with the given revisions. A client of both eras finds out which the
// server has.
func call(ctx context.Context, w io.Writer, url string, revisions []protocol.Revision) error {
	t, err := remote.New(url, remote.Options{})
	if err != nil {
		return err
	}
	c, err := session.Connect(ctx, client.Config{
		Info: protocol.Implementation{Name: "eras", Version: "1.0.0"}, Revisions: revisions, Serve: []string{protocol.MethodElicitationCreate},
	}, t, session.Options{Serve: func(context.Context, *session.Client, client.Event) (protocol.Result, error) {
		return protocol.ElicitResult{Action: protocol.ActionAccept, Content: map[string]protocol.Raw{"why": `"it is old"`}}, nil
	}})
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: "delete_note"}, session.RequestOptions{})
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%v: %s\n", c.State().Revision(), r.Content[0].Text)
	return nil
}
