// Command quickstart joins a client State and a server State in memory, under virtual time, and
// prints every line that would go over the wire. It shows a whole session: handshake, tool list, a
// call with progress, a cancelled call, sampling within a call, a timeout, and the end.
//
//	go run ./docs/examples/quickstart
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
	"github.com/sansmcp/mcp/server/typed"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// session is both ends of a session and the time that both see.
type session struct {
	c   client.State
	s   server.State
	h   *server.Handlers
	now time.Time
	w   io.Writer

	calls []server.Event // what the server's application must answer
	ends  []client.Event // how requests of the client ended
}

func run(w io.Writer) error {
	d := &session{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), w: w}
	if err := d.tools(); err != nil {
		return err
	}
	catalog, err := d.h.Catalog()
	if err != nil {
		return err
	}
	d.s, err = server.New(server.Config{Info: name("quickstart-server"), Catalog: catalog, Serve: d.h.Serve()}, d.now)
	if err != nil {
		return err
	}
	d.c, err = client.New(client.Config{Info: name("quickstart-client"), Serve: []string{"sampling/createMessage"}}, d.now)
	if err != nil {
		return err
	}
	return errors.Join(d.handshake(), d.progress(), d.cancel(), d.sampling(), d.timeout(), d.end())
}

// tools are a group of typed tools, and a tool that the application answers itself, by the events
// of its calls: it has no function, so it belongs to no group.
func (d *session) tools() error {
	var quick, own server.Handlers
	typed.Tool(&quick, protocol.Tool{Name: "echo", Description: "Returns its text."}, echo)
	own.Tool(protocol.Tool{Name: "poem", Description: "Writes a poem, in its own time.", InputSchema: textSchema}, nil)
	group, err := registry.NewGroup(registry.Definition{Name: "quick", Handlers: &quick})
	if err != nil {
		return err
	}
	groups, err := registry.FromGroups(group)
	if err != nil {
		return err
	}
	d.h = server.Merge(groups.View().Handlers(), &own)
	return nil
}

const textSchema = `{"type":"object","properties":{"text":{"type":"string"}}}`

func name(s string) protocol.Implementation {
	return protocol.Implementation{Name: s, Version: "1.0.0"}
}

// said are the arguments of echo.
type said struct {
	Text string `json:"text"`
}

func echo(_ context.Context, _ server.Caller, in said) (string, error) { return in.Text, nil }

// client sets the client's next State and carries its lines to the server.
func (d *session) client(c client.State, out client.Output) {
	d.c = c
	for _, ev := range out.Events {
		d.print("client", ev)
		switch ev.Kind {
		case lifecycle.RequestReceived: // sampling: a model would answer here
			d.client(must(d.c.Respond(d.now, ev.Call, protocol.CreateMessageResult{
				Role: protocol.RoleAssistant, Model: "example", Content: []protocol.Content{protocol.TextContent("Roses are red.")},
			})))
		case lifecycle.ResponseReceived, lifecycle.RequestFailed:
			d.ends = append(d.ends, ev)
		}
	}
	for _, o := range out.Send {
		line := jsonrpc.Append(nil, o.Message)
		fmt.Fprintf(d.w, "-> %s\n", line)
		d.server(d.h.Receive(d.s, d.now, jsonrpc.Decode(line)))
	}
}

// server sets the server's next State and carries its lines to the client.
func (d *session) server(s server.State, out server.Output) {
	d.s = s
	for _, ev := range out.Events {
		d.print("server", ev)
		if ev.Kind == lifecycle.RequestReceived || ev.Kind == lifecycle.ResponseReceived {
			d.calls = append(d.calls, ev)
		}
	}
	for _, o := range out.Send {
		line := jsonrpc.Append(nil, o.Message)
		fmt.Fprintf(d.w, "<- %s\n", line)
		d.client(d.c.Receive(d.now, jsonrpc.Decode(line)))
	}
}

// print prints the events that a person wants to see.
func (d *session) print(who string, ev lifecycle.Event) {
	switch ev.Kind {
	case lifecycle.PhaseChanged:
		fmt.Fprintf(d.w, "   %s: %s -> %s\n", who, ev.From, ev.To)
	case lifecycle.RequestCancelled, lifecycle.RequestFailed:
		fmt.Fprintf(d.w, "   %s: %s: %s (%v)\n", who, ev.Kind, ev.Method, ev.Cause)
	case lifecycle.ProgressReceived:
		fmt.Fprintf(d.w, "   %s: %s: %s\n", who, ev.Kind, ev.Method)
	case lifecycle.Ignored, lifecycle.Violation:
		fmt.Fprintf(d.w, "   %s: %s: %s\n", who, ev.Kind, ev.Rule)
	}
}

// must is for verbs that cannot fail here.
func must[S, O any](s S, out O, err error) (S, O) {
	if err != nil {
		panic(err)
	}
	return s, out
}
