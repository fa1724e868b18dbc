package host

import (
	"context"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

func makeCalls(w *Work, owner string) *Calls {
	c := new(Calls)
	w.Init(c, nil, owner)
	return c
}

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
	c := makeCalls(NewWork(WorkOptions{}), "")
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

// The owner of a session that got no place is kept no longer than those that have some.
func TestOwnersAreForgotten(t *testing.T) {
	h := new(server.Handlers)
	h.Tool(protocol.Tool{Name: "t", InputSchema: `{"type":"object"}`}, func(context.Context, server.Caller, protocol.CallToolParams) (*protocol.CallToolResult, error) {
		t.Error("it runs")
		return nil, nil
	})
	ev := server.Event{Kind: lifecycle.RequestReceived, Method: "tools/call", Body: `{"name":"t"}`}
	found, ok := h.Job(ev)
	if !ok {
		t.Fatal("there is no function")
	}
	w := NewWork(WorkOptions{MaxRunning: 1, MaxWaiting: 1})
	w.running, w.waiting = 1, 1
	c := makeCalls(w, "ada")
	for name, refused := range map[string]func() bool{
		"StartEarly": func() bool { return c.StartEarly(t.Context(), found, jsonrpc.Message{}, nil) == nil },
		"Start":      func() bool { return c.Start(t.Context(), h, ev) != nil },
	} {
		if !refused() || len(w.owners) != 0 || c.owner != nil {
			t.Errorf("%s: %d owners are kept, or it has a place", name, len(w.owners))
		}
	}
}
