package client_test

import (
	"errors"
	"testing"
	"time"
	"unsafe"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/schema"
)

// connected returns a client that has spoken to a server with every capability.
func connected(t testing.TB, limits lifecycle.Limits) client.State {
	t.Helper()
	s, err := client.New(client.Config{
		Info: protocol.Implementation{Name: "c", Version: "1"}, Serve: []string{"sampling/createMessage"},
		Roots: []protocol.Root{{URI: "file:///a"}}, RootsListChanged: true, Limits: limits,
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = s.Initialize(t0); err != nil {
		t.Fatal(err)
	}
	s, _ = s.Receive(t0, jsonrpc.DecodeString(hello))
	if s.Phase() != lifecycle.Ready {
		t.Fatal("not ready")
	}
	return s
}

const hello = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"s","version":"1"}}}`

// No verb allocates more than what it returns needs and the path in a table that it
// copies: State and Output stay on the stack.
func TestAllocationsOfVerbs(t *testing.T) {
	s := connected(t, lifecycle.Limits{})
	fresh, err := client.New(client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, t0)
	if err != nil {
		t.Fatal(err)
	}
	asking, _, err := fresh.Initialize(t0)
	if err != nil {
		t.Fatal(err)
	}
	var params protocol.Params = &protocol.CallToolParams{Name: "echo", Arguments: `{"text":"hello world"}`}
	asked, out, err := s.Request(t0, params, client.RequestOptions{Progress: true})
	if err != nil {
		t.Fatal(err)
	}
	req := out.Req
	sampling := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`)
	open, out := s.Receive(t0, sampling)
	handle := out.Opened
	greeting := jsonrpc.DecodeString(hello)
	answer := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a"}]}}`)
	late := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	ping := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	rootsList := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":8,"method":"roots/list"}`)
	changed := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	message := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
	progress := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1}}`)
	limited := connected(t, lifecycle.Limits{Logs: lifecycle.Rate{PerSecond: 1}})
	limited, _ = limited.Receive(t0, message)
	gone, _ := s.Disconnected(t0, nil)
	var (
		raw   protocol.Result = jsonrpc.Raw(`{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}`)
		typed protocol.Result = protocol.CreateMessageResult{Role: protocol.RoleAssistant, Content: []protocol.Content{protocol.TextContent("x")}, Model: "m"}
		roots                 = []protocol.Root{{URI: "file:///b"}}
		cause                 = errors.New("cause")
		later                 = t0.Add(time.Hour)
	)
	for _, c := range []struct {
		name string
		want float64
		run  func()
	}{
		{"initialize", 4, func() { _, _, _ = fresh.Initialize(t0) }},
		{"receive the InitializeResult", 7, func() { asking.Receive(t0, greeting) }},
		{"request", 3, func() { _, _, _ = s.Request(t0, params, client.RequestOptions{}) }},
		{"receive its response", 2, func() { asked.Receive(t0, answer) }},
		{"request and response", 5, func() {
			next, _, _ := s.Request(t0, params, client.RequestOptions{})
			next.Receive(t0, answer)
		}},
		{"request with progress", 7, func() { _, _, _ = s.Request(t0, params, client.RequestOptions{Progress: true}) }},
		{"receive progress", 2, func() { asked.Receive(t0, progress) }},
		{"receive a late response", 1, func() { s.Receive(t0, late) }},
		{"receive ping", 1, func() { s.Receive(t0, ping) }},
		{"receive roots/list", 1, func() { s.Receive(t0, rootsList) }},
		{"receive a notification", 1, func() { s.Receive(t0, changed) }},
		{"receive a notification that is left out", 1, func() { limited.Receive(t0, message) }},
		{"receive sampling/createMessage", 2, func() { s.Receive(t0, sampling) }},
		{"receive after the end", 0, func() { gone.Receive(t0, sampling) }},

		{"respond with raw", 1, func() { _, _, _ = open.Respond(t0, handle, raw) }},
		{"respond with a typed result", 3, func() { _, _, _ = open.Respond(t0, handle, typed) }},
		{"fail", 2, func() { _, _, _ = open.Fail(t0, handle, jsonrpc.Error{Code: -1, Message: "m"}) }},
		{"progress without a token", 0, func() { _, _, _ = open.Progress(t0, handle, protocol.ProgressParams{Progress: 1}) }},
		{"notify", 3, func() { _, _, _ = s.Notify(t0, protocol.RootsListChangedParams{}, client.Call{}) }},
		{"cancel", 5, func() { _, _, _ = asked.Cancel(t0, req, "") }},
		{"send failed", 2, func() { asked.SendFailed(t0, req, cause) }},
		{"abandon", 2, func() { open.Abandon(t0, handle) }},
		{"set roots", 8, func() { _, _, _ = s.SetRoots(t0, roots) }},
		{"tick, nothing due", 0, func() { asked.Tick(t0) }},
		{"tick, a request due", 8, func() { asked.Tick(later) }},
		{"shutdown", 3, func() { asked.Shutdown(t0, time.Second) }},
		{"disconnected", 4, func() { asked.Disconnected(t0, cause) }},
		{"reset", 1, func() { _, _ = gone.Reset(t0) }},

		{"next deadline", 0, func() { asked.NextDeadline() }},
		{"status", 0, func() { _ = asked.Status() }},
		{"a refused verb", 1, func() { _, _, _ = gone.Request(t0, params, client.RequestOptions{}) }},
		{"a verb that comes too late", 0, func() { _, _, _ = gone.Respond(t0, handle, raw) }},
	} {
		if got := testing.AllocsPerRun(100, c.run); got > c.want {
			t.Errorf("%s: %v allocations, at most %v", c.name, got, c.want)
		} else if testing.Verbose() {
			t.Logf("%-40s %v", c.name, got)
		}
	}
	if n := unsafe.Sizeof(client.State{}); n > 144 {
		t.Errorf("a State is %d bytes, at most 144", n)
	} else if testing.Verbose() {
		t.Logf("a State is %d bytes", n)
	}
}

// An output schema that nobody checks costs the answer nothing.
func TestAllocationsBesideAnOutputSchema(t *testing.T) {
	s := session(t, client.Config{Schemas: schema.None{}})
	answer := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{}}}`)
	var without float64
	for i, opt := range []client.RequestOptions{{}, {OutputSchema: `{"type":"object"}`}} {
		asked, _ := request(t, s, protocol.CallToolParams{Name: "t"}, opt)
		n := testing.AllocsPerRun(100, func() { asked.Receive(t0, answer) })
		if i == 0 {
			without = n
		}
		if n != without {
			t.Errorf("%v allocations, %v without a schema", n, without)
		}
	}
}
