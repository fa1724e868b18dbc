package stdio_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/stdio"
)

// When a call is cancelled, what was asked within it is given up and what was asked
// within another is not.
func TestCancelledCall(t *testing.T) {
	in, peer := io.Pipe()
	lines, out := io.Pipe()
	ended := make(chan error, 2)
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "ask", InputSchema: `{"type":"object"}`}, func(ctx context.Context, c server.Caller, _ protocol.CallToolParams) (*protocol.CallToolResult, error) {
		_, err := c.Request(ctx, protocol.CreateMessageParams{Messages: []protocol.SamplingMessage{}, MaxTokens: 1}, server.RequestOptions{})
		ended <- err
		return protocol.TextResult("done"), nil
	})
	host, err := stdio.New(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, &h, in, out, stdio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- host.Serve(context.Background()) }()
	scan := bufio.NewScanner(lines)
	next := func(want string) {
		t.Helper()
		if !scan.Scan() || !strings.Contains(scan.Text(), want) {
			t.Fatalf("got %s, want %s", scan.Text(), want)
		}
	}
	say := func(format string, args ...any) { fmt.Fprintf(peer, format+"\n", args...) }

	say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	next(`"id":0`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i := 1; i <= 2; i++ {
		say(`{"jsonrpc":"2.0","id":"call %d","method":"tools/call","params":{"name":"ask"}}`, i)
		next(fmt.Sprintf(`"id":%d,"method":"sampling/createMessage"`, i))
	}
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"call 1"}}`)
	next(`"method":"notifications/cancelled","params":{"requestId":1,`)
	if err := <-ended; err == nil {
		t.Error("the handler of the cancelled call got an answer")
	}
	say(`{"jsonrpc":"2.0","id":2,"result":{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}}`)
	next(`"id":"call 2","result"`)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	peer.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
