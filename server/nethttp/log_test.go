package nethttp_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A result that breaks the outputSchema of its tool is logged, with the tool and the path.
func TestLogOfResults(t *testing.T) {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "broken", OutputSchema: `{"type":"object","required":["n"]}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{StructuredContent: `{}`}, nil
	})
	h.Tool(protocol.Tool{Name: "odd"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{Content: []protocol.Content{{Text: "no type"}}}, nil
	})
	var lines bytes.Buffer
	handler, err := nethttp.NewHandler(serverConfig, h, nethttp.Options{Log: slog.New(slog.NewTextHandler(&lines, nil))})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler)
	p := open(t, s.URL, "2025-06-18")
	p.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"broken"}}`).want(200, `at \"/n\" fails required`)
	p.post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"odd"}}`).want(200, `"message":"internal error"`)
	s.Close()
	handler.Close()
	for _, want := range []string{`msg="nethttp: a result does not fit its method"`, `tools/call \"odd\": `, "content[0].type is missing"} {
		if strings.Count(lines.String(), want) != 1 {
			t.Errorf("%s: %s", want, lines.String())
		}
	}
	if want := `msg="nethttp: a result breaks the output schema of its tool" err="server: tool \"broken\": structuredContent: schema: the value at \"/n\" fails required"`; strings.Count(lines.String(), want) != 1 {
		t.Error(lines.String())
	}
}
