package fleet_test

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/calls"
	"github.com/sansmcp/mcp/client/fleet"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// memory is a Transport to a server in the same process. Package client/dial has Transports to real
// servers.
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

// greeter opens a server that answers with its endpoint.
func greeter(_ context.Context, endpoint any) (links.Transport, error) {
	text, ok := endpoint.(string)
	if !ok {
		return nil, fmt.Errorf("%v is no greeting", endpoint)
	}
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult(text), nil
		})
	catalog, err := h.Catalog()
	if err != nil {
		return nil, err
	}
	cfg := server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve()}
	s, err := server.New(cfg, time.Now())
	return &memory{s: s, h: h, in: make(chan links.Arrival, 10)}, err
}

func Example() {
	ctx := context.Background()
	cfg := client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}
	f, err := fleet.New(calls.Config{Manager: manager.Config{Client: cfg}}, fleet.Options{Dial: greeter})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close(ctx)

	// A server that cannot be connected does not affect the others.
	err = f.Set(ctx, []fleet.Definition{
		{Name: "english", Options: manager.Options{Endpoint: "hello"}},
		{Name: "broken", Options: manager.Options{Endpoint: 7}},
		{Name: "french", Options: manager.Options{Endpoint: "bonjour"}},
	})
	fmt.Println(err)
	for _, s := range statuses(f) {
		r, err := fleet.Do[protocol.CallToolResult](ctx, f.Server(s.Link.Server), protocol.CallToolParams{Name: "greet"}, fleet.RequestOptions{})
		fmt.Println(s.Link.Server, s.Condition, protocol.TextOf(r.Content), err != nil)
	}
	// Output:
	// manager: transport: server "broken": open: 7 is no greeting
	// english ready hello false
	// broken failed  true
	// french ready bonjour false
}
