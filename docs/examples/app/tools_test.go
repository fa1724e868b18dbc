package app

import (
	"context"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A tool reads what its schema has checked, letter for letter, and answers no wrong number.
func TestTools(t *testing.T) {
	a, err := New()
	if err != nil {
		t.Fatal(err)
	}
	h := a.Handlers()
	for _, tt := range []struct {
		tool string
		args jsonrpc.Raw
		want string
	}{
		{"echo", `{"text":"a"}`, `"text":"a"`},
		{"echo", `{"text":"a","TEXT":"b"}`, `"isError":true`},
		{"echo", `{"te\u0078t":"a"}`, `"text":"a"`},
		{"echo", `{"text":"a","text":"b"}`, `"isError":true`},
		{"sum", `{"a":1,"b":2.5}`, `{"sum":3.5}`},
		{"sum", `{"a":1,"b":2.5,"A":7}`, `"isError":true`},
		{"sum", `{"a":1e308,"b":1e308}`, `"isError":true`},
		{"sum", `{"a":1e400,"b":1}`, `"isError":true`},
		{"slow", `{"ms":0,"steps":0,"ms":1}`, `"isError":true`},
	} {
		params, err := protocol.EncodeParams(protocol.CallToolParams{Name: tt.tool, Arguments: tt.args})
		if err != nil {
			t.Fatal(err)
		}
		job, ok := h.Job(server.Event{Kind: lifecycle.RequestReceived, Method: "tools/call", Body: params})
		if !ok {
			t.Fatal("no tool", tt.tool)
		}
		raw, err := protocol.EncodeResult(job.Run(context.Background(), nil).Result)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(raw), tt.want) {
			t.Errorf("%s %s: %s", tt.tool, tt.args, raw)
		}
	}
}
