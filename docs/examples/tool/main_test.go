package main

import (
	"context"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// It answers.
func TestProgram(t *testing.T) {
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada","times":2}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"greet","arguments":{"name":""}}}`, "",
	}, "\n")
	h := new(server.Handlers)
	register(h)
	var out strings.Builder
	cfg := server.Config{Info: protocol.Implementation{Name: "tool", Version: "1.0.0"}}
	if err := stdio.Serve(context.Background(), cfg, h, strings.NewReader(in), &out, stdio.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":2,"result":{"content":[{"type":"text","text":"Hello, Ada! Hello, Ada! "}]}`, `"id":3,"result":{"content":[{"type":"text","text":"invalid arguments: `} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %s", out.String())
		}
	}
}
