package stdio_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	handshake "github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// A result that breaks the outputSchema of its tool is logged, once, with the tool and the path.
func TestLogOfResults(t *testing.T) {
	h := new(server.Handlers)
	for name, text := range map[string]protocol.Raw{"broken": `{"n":"secret"}`, "fine": `{"n":1}`} {
		h.Tool(protocol.Tool{Name: name, OutputSchema: `{"type":"object","properties":{"n":{"type":"integer"}}}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return &protocol.CallToolResult{StructuredContent: text}, nil
		})
	}
	in := handshake.InitializeLine("2025-06-18", "{}") + "\n" + handshake.Initialized + "\n"
	for _, name := range []string{"fine", "broken"} {
		in += `{"jsonrpc":"2.0","id":"` + name + `","method":"tools/call","params":{"name":"` + name + `"}}` + "\n"
	}
	for _, logged := range []bool{true, false} {
		var out, lines bytes.Buffer
		var opt stdio.Options
		if logged {
			opt.Log = slog.New(slog.NewTextHandler(&lines, nil))
		}
		if err := stdio.Serve(context.Background(), server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, h, strings.NewReader(in), &out, opt); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), `output schema does not allow: the value at \"/n\" fails type`) || strings.Contains(out.String(), "secret") {
			t.Error(out.String())
		}
		const want = `msg="host: a result breaks the output schema of its tool" err="server: tool \"broken\": structuredContent: schema: the value at \"/n\" fails type"`
		if got := lines.String(); strings.Count(got, "\n") != strings.Count(got, want) || strings.Contains(got, want) != logged {
			t.Error(got)
		}
	}
}

// A result that does not fit its method is "internal error" for the client, and is logged with what was
// called and the path.
func TestLogOfMisfits(t *testing.T) {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "odd"}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		return &protocol.CallToolResult{Content: []protocol.Content{{Type: "text", Text: "x"}, {Text: "no type"}}}, nil
	})
	h.Resource(protocol.Resource{URI: "a:b", Name: "r"}, func(context.Context, server.Caller, protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
		return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{{Text: "no uri"}}}, nil
	})
	in := handshake.InitializeLine("2025-06-18", "{}") + "\n" + handshake.Initialized + "\n" +
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"odd"}}` + "\n" + `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"a:b"}}` + "\n"
	var out, lines bytes.Buffer
	opt := stdio.Options{Log: slog.New(slog.NewTextHandler(&lines, nil))}
	if err := stdio.Serve(context.Background(), server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, h, strings.NewReader(in), &out, opt); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), `"message":"internal error"`) != 2 {
		t.Error(out.String())
	}
	for _, want := range []string{`tools/call \"odd\": `, "content[1].type is missing", `resources/read \"a:b\": `, "contents[0].uri has no allowed value"} {
		if strings.Count(lines.String(), `msg="host: a result does not fit its method"`) != 2 || !strings.Contains(lines.String(), want) {
			t.Errorf("%s: %s", want, lines.String())
		}
	}
}
