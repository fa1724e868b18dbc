package main

import (
	"context"
	"os"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

const (
	note   = "crowd://note"
	schema = `{"type":"object"}`
)

// serve is the program behind the gateway: a server with sessions, one of whose tools asks the user.
func serve() error {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "ask", InputSchema: schema},
		func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
			body, err := c.Request(ctx, protocol.ElicitParams{
				Message:         "Which number?",
				RequestedSchema: protocol.ElicitSchema{Properties: []protocol.Property{{Name: "n", Schema: protocol.PrimitiveSchema{Type: protocol.TypeInteger}}}},
			}, server.RequestOptions{})
			if err != nil {
				return nil, err
			}
			return protocol.TextResult(string(body)), nil
		})
	var s *stdio.Server
	h.Tool(protocol.Tool{Name: "write", InputSchema: schema},
		func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("written"), s.Notify(server.Call{}, protocol.ResourceUpdatedParams{URI: note})
		})
	h.Resource(protocol.Resource{URI: note, Name: "note"},
		func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(p.URI, "text/plain", "a note")}}, nil
		})
	s, err := stdio.New(server.Config{
		Info: protocol.Implementation{Name: "crowd", Version: "1.0.0"}, Declare: protocol.CapResourcesSubscribe,
	}, &h, os.Stdin, os.Stdout, stdio.Options{})
	if err != nil {
		return err
	}
	return s.Serve(context.Background())
}
