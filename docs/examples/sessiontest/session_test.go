package sessiontest

import (
	"context"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

// start is when every test begins. Any instant will do.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// ready returns the Handlers under test, and a session with a client that is ready.
func ready(t *testing.T) (*server.Handlers, server.State) {
	t.Helper()
	h := new(server.Handlers)
	typed.Tool(h, protocol.Tool{Name: "greet"}, func(_ context.Context, _ server.Caller, in struct {
		Name string `json:"name" schema:"minLength=1"`
	}) (string, error) {
		return "Hello, " + in.Name + "!", nil
	})
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(),
		Timeouts: lifecycle.Timeouts{Inbound: time.Minute},
	}, start)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		s, _ = s.Receive(start, jsonrpc.DecodeString(line))
	}
	return h, s
}

const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`

// sent returns what an Output sends, a line each.
func sent(out server.Output) (lines string) {
	for _, o := range out.Send {
		lines += string(jsonrpc.AppendLine(nil, o.Message))
	}
	return lines
}

// A tool: Handlers.Receive runs its function in place.
func TestTool(t *testing.T) {
	h, s := ready(t)
	_, out := h.Receive(s, start, jsonrpc.DecodeString(call))
	if got, want := sent(out), `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A timeout: the time of NextDeadline is handed to Tick.
func TestTimeout(t *testing.T) {
	_, s := ready(t)
	s, _ = s.Receive(start, jsonrpc.DecodeString(call)) // no function runs, so the call stays open
	due, ok := s.NextDeadline()
	if !ok || !due.Equal(start.Add(time.Minute)) {
		t.Fatalf("due at %v, %v", due, ok)
	}
	if _, out := s.Tick(due.Add(-time.Nanosecond)); sent(out) != "" {
		t.Errorf("too early it sends %s", sent(out))
	}
	_, out := s.Tick(due)
	if got, want := sent(out), `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no answer in time"}}`+"\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A race: two messages in both orders, from one kept State.
func TestCancelRace(t *testing.T) {
	_, s := ready(t)
	s, out := s.Receive(start, jsonrpc.DecodeString(call))
	opened := out.Opened
	cancel := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)

	answered, out, err := s.Respond(start, opened, protocol.TextResult("first"))
	if err != nil || len(out.Send) != 1 {
		t.Errorf("the answer: %s, %v", sent(out), err)
	}
	if _, out = answered.Receive(start, cancel); sent(out) != "" {
		t.Errorf("a late cancel is answered by %s", sent(out))
	}

	cancelled, _ := s.Receive(start, cancel)
	if _, out, err = cancelled.Respond(start, opened, protocol.TextResult("late")); err == nil || sent(out) != "" {
		t.Errorf("a late answer sends %s, %v", sent(out), err)
	}
}
