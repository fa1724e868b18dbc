package session_test

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/session"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// memory is a Transport to a server in the same process. Those of real ones read and write
// a connection instead.
type memory struct {
	s  server.State
	h  *server.Handlers
	in chan links.Arrival
}

func (t *memory) Send(_ context.Context, o client.Outgoing, _ protocol.Revision) error {
	var out server.Output
	t.s, out = t.h.Receive(t.s, time.Now(), o.Message)
	for _, o := range out.Send {
		t.in <- links.Arrival{Message: o.Message}
	}
	return nil
}

func (t *memory) Receive(ctx context.Context) (links.Arrival, error) {
	select {
	case a := <-t.in:
		return a, nil
	case <-ctx.Done():
		return links.Arrival{}, io.EOF
	}
}

func (t *memory) Close(context.Context) error { return nil }

func Example() {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("hello"), nil
		})
	catalog, _ := h.Catalog()
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve()}, time.Now())
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx := context.Background()
	cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}
	c, err := session.Connect(ctx, cfg, &memory{s: s, h: &h, in: make(chan links.Arrival, 10)}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close(ctx)
	tools, err := c.Tools(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := c.CallTool(ctx, protocol.CallToolParams{Name: tools[0].Name}, session.RequestOptions{})
	fmt.Println(tools[0].Name, protocol.TextOf(r.Content), err)
	// Output: greet hello <nil>
}
