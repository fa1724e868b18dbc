package server_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
	"github.com/sansmcp/mcp/server"
)

// A tool that Handlers.Receive runs cannot ask the client, for nobody would take the answer
// in, and what it keeps of its Caller is no call once it has answered.
func TestCallersOfReceive(t *testing.T) {
	var h server.Handlers
	var kept server.Caller
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		if _, err := c.Request(ctx, protocol.PingParams{}, server.RequestOptions{}); !errors.Is(err, server.ErrInline) {
			t.Errorf("a request: %v", err)
		}
		if kept = c; c.Call().IsZero() {
			t.Error("it runs for no call")
		}
		return protocol.TextResult("x"), nil
	})
	items := h.Items()
	items.Schemas = schema.None{}
	s := offer(t, items, server.Config{Serve: h.Serve()}, "2025-11-25")
	_, out := h.Receive(s, t0, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`))
	if len(out.Send) != 1 || out.Send[0].Message.Kind != jsonrpc.KindResult || kept == nil {
		t.Fatalf("%+v", out)
	}
	if !kept.Call().IsZero() {
		t.Errorf("%v has been answered", kept.Call())
	}
}
