package host

import (
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// What is known of calls that their own batch cancels is for the Starts of that turn, and does not pile up.
func TestBriefCallsAreForgotten(t *testing.T) {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, nil)
	cfg, err := Config(server.Config{Info: protocol.Implementation{Name: "s", Version: "1"}}, h)
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(cfg, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c := NewWork(WorkOptions{}).NewCalls(nil, "")
	for i, line := range []string{
		`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`,
		`[{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}]`,
		`{"jsonrpc":"2.0","id":3,"method":"ping"}`,
	} {
		var out server.Output
		s, out = s.Receive(time.Now(), jsonrpc.DecodeString(line))
		c.Handle(out)
		if want := []int{0, 0, 1, 1, 0}[i]; len(c.brief) != want {
			t.Errorf("after %s: %d calls are remembered, want %d", line, len(c.brief), want)
		}
	}
}
