package server_test

import (
	"errors"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// cost is what a verb may allocate at most.
type cost struct {
	name string
	want float64
	run  func()
}

func guard(t *testing.T, costs []cost) {
	t.Helper()
	for _, c := range costs {
		if got := testing.AllocsPerRun(100, c.run); got > c.want {
			t.Errorf("%s: %v allocations, at most %v", c.name, got, c.want)
		} else if testing.Verbose() {
			t.Logf("%-40s %v", c.name, got)
		}
	}
}

// No verb allocates more than what it returns needs and the path in a table that it
// copies: State and Output stay on the stack.
func TestAllocationsOfVerbs(t *testing.T) {
	h := echoHandlers(2)
	catalog, err := h.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	other, err := echoHandlers(3).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	fresh, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(), Logging: true,
		ListChanged: protocol.CapToolsListChanged, Timeouts: lifecycle.Timeouts{Inbound: time.Minute},
	}, t0)
	if err != nil {
		t.Fatal(err)
	}
	hello := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true},"sampling":{}},"clientInfo":{"name":"c","version":"1"}}}`)
	initialized := jsonrpc.DecodeString(lines[1])
	greeted, _ := fresh.Receive(t0, hello)
	s, _ := greeted.Receive(t0, initialized)

	call := jsonrpc.DecodeString(smallCall)
	named := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","_meta":{"progressToken":"t"}}}`)
	open, out := s.Receive(t0, call)
	handle := out.Opened
	asked, out, err := open.Request(t0, protocol.ListRootsParams{}, server.RequestOptions{Progress: true})
	if err != nil {
		t.Fatal(err)
	}
	req := out.Req
	watched, out := s.Receive(t0, named)
	token := out.Opened
	gone, _ := asked.Disconnected(t0, nil)
	progress := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`)
	changed := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	unknown := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/who/knows"}`)
	list := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"tools/list"}`)
	nobody := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":9,"method":"who/knows"}`)
	nonsense := jsonrpc.DecodeString(`{`)
	answer := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
	var (
		raw    protocol.Result = jsonrpc.Raw(`{"content":[{"type":"text","text":"hello"}]}`)
		text   protocol.Result = protocol.TextResult("hello")
		ping   protocol.Params = protocol.PingParams{}
		roots  protocol.Params = protocol.RawRequest{Name: "roots/list"}
		log    protocol.Params = &protocol.LoggingMessageParams{Level: "info", Data: `"x"`}
		failed                 = jsonrpc.Error{Code: -1, Message: "m"}
		cause                  = errors.New("cause")
		minute                 = t0.Add(time.Minute)
	)
	guard(t, []cost{
		{"receive initialize", 8, func() { fresh.Receive(t0, hello) }},
		{"receive initialized", 1, func() { greeted.Receive(t0, initialized) }},
		{"receive tools/call", 2, func() { s.Receive(t0, call) }},
		{"receive tools/call, string id and token", 5, func() { s.Receive(t0, named) }},
		{"receive tools/list", 1, func() { s.Receive(t0, list) }},
		{"receive an unknown method", 2, func() { s.Receive(t0, nobody) }},
		{"receive a notification", 1, func() { s.Receive(t0, changed) }},
		{"receive an unknown notification", 1, func() { s.Receive(t0, unknown) }},
		{"receive nonsense", 1, func() { s.Receive(t0, nonsense) }},
		{"receive progress", 2, func() { asked.Receive(t0, progress) }},
		{"receive a response", 2, func() { asked.Receive(t0, answer) }},
		{"receive after the end", 0, func() { gone.Receive(t0, call) }},

		{"respond with raw", 2, func() { _, _, _ = open.Respond(t0, handle, raw) }},
		{"respond with text", 2, func() { _, _, _ = open.Respond(t0, handle, text) }},
		{"finish with text", 2, func() { _, _, _ = open.Finish(t0, server.Answer{Call: handle, Result: text}) }},
		{"fail", 2, func() { _, _, _ = open.Fail(t0, handle, failed) }},
		{"progress without a token", 0, func() { _, _, _ = open.Progress(t0, handle, protocol.ProgressParams{Progress: 1}) }},
		{"progress", 6, func() { _, _, _ = watched.Progress(t0, token, protocol.ProgressParams{Progress: 1}) }},
		{"notify", 3, func() { _, _, _ = s.Notify(t0, log, server.Call{}) }},
		{"request", 4, func() { _, _, _ = s.Request(t0, ping, server.RequestOptions{}) }},
		{"request with progress", 6, func() { _, _, _ = s.Request(t0, roots, server.RequestOptions{Progress: true}) }},
		{"cancel", 5, func() { _, _, _ = asked.Cancel(t0, req, "") }},
		{"send failed", 2, func() { asked.SendFailed(t0, req, cause) }},
		{"abandon", 2, func() { open.Abandon(t0, handle) }},
		{"set catalog", 1, func() { _, _, _ = s.SetCatalog(t0, other) }},
		{"tick, nothing due", 0, func() { asked.Tick(t0) }},
		{"tick, one of each due", 13, func() { asked.Tick(minute) }},
		{"shutdown", 3, func() { s.Shutdown(t0, time.Second) }},
		{"input closed", 4, func() { asked.InputClosed(t0) }},
		{"disconnected", 6, func() { asked.Disconnected(t0, cause) }},
		{"abort", 6, func() { asked.Abort(t0, cause) }},
		{"reset", 1, func() { _, _ = gone.Reset(t0) }},
		{"another", 1, func() { _, _ = s.NewSession(t0) }},

		{"next deadline", 0, func() { asked.NextDeadline() }},
		{"status", 0, func() { _ = asked.Status() }},
		{"phase, revision, peer, capabilities", 0, func() {
			_, _, _, _, _ = s.Phase(), s.Revision(), s.Peer(), s.PeerCapabilities(), s.Capabilities()
		}},
		{"a refused verb", 1, func() { _, _, _ = gone.Request(t0, ping, server.RequestOptions{}) }},
		{"a verb that comes too late", 0, func() { _, _, _ = gone.Respond(t0, handle, raw) }},
	})
}
