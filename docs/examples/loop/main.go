// Command loop is a server over standard input and output whose driver uses only the State: start
// here to write a transport. Its tools run on goroutines of their own, each until its call ends:
//
//	go run ./docs/examples/client -- go run ./docs/examples/loop
//
// driver.go is all that a State needs, in 60 lines of code: one message or deadline at a time,
// output, functions with a context, the next deadline, the end. caller.go has what tools can send
// within their calls, in about as many lines. Missing is what peers and tools that misbehave need:
// bounds for queued output and for running functions, and an end that does not wait without limit.
// Packages jsonrpc/pipe and server/host have that, and server/stdio is the driver to use over
// standard input and output.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		os.Exit(1)
	}
}

func run() error {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "wait", Description: "Waits a second, and tells how far it is.", InputSchema: `{"type":"object"}`}, wait)
	h.Tool(protocol.Tool{Name: "ask", Description: "Asks the model of the client to say something.", InputSchema: `{"type":"object"}`}, ask)
	catalog, err := h.Catalog()
	if err != nil {
		return err
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "loop", Version: "1.0.0"}, Catalog: catalog, Serve: h.Serve(),
	}, time.Now())
	if err != nil {
		return err
	}
	d := &driver{
		s: s, h: h, out: make(chan []byte, 1000),
		ends: map[server.Call]context.CancelFunc{}, asked: map[server.Req]chan server.Event{},
	}
	d.serve(os.Stdin, os.Stdout)
	return nil
}

func wait(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
	total := 10.0
	for i := range 10 {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done(): // the call has ended
			return nil, context.Cause(ctx)
		}
		if err := c.Progress(protocol.ProgressParams{Progress: float64(i + 1), Total: &total}); err != nil {
			return nil, err
		}
	}
	return protocol.TextResult("a second later"), nil
}

func ask(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
	body, err := c.Request(ctx, protocol.CreateMessageParams{
		Messages:  []protocol.SamplingMessage{{Role: protocol.RoleUser, Content: []protocol.Content{protocol.TextContent("Say something.")}}},
		MaxTokens: 100,
	}, server.RequestOptions{})
	if err != nil {
		return nil, err
	}
	said, err := protocol.Decode[protocol.CreateMessageResult](body)
	if err != nil {
		return nil, err
	}
	return protocol.TextResult(protocol.TextOf(said.Content)), nil
}
