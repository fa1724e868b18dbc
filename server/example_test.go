package server_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A server with one tool: lines in, lines out.
func Example() {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(_ server.Call, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("Hello!"), nil
		})
	catalog, err := h.Catalog()
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Unix(1, 0)
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "example", Version: "1.0.0"}, Catalog: catalog, Serve: h.Serve(),
	}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet"}}`,
	} {
		var out server.Output
		s, out = h.Handle(s.Receive(now, jsonrpc.DecodeString(line)))
		for _, o := range out.Send {
			fmt.Println(string(jsonrpc.Append(nil, o.Message)))
		}
	}
	fmt.Println(s.Phase())
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"example","version":"1.0.0"}}}
	// {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hello!"}]}}
	// ready
}

// States are values: a race is two lines from one kept State.
func ExampleState_Respond() {
	now := time.Unix(1, 0)
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "example", Version: "1.0.0"}, Serve: []string{"tools/call"},
	}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	var out server.Output
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}`,
	} {
		s, out = s.Receive(now, jsonrpc.DecodeString(line))
	}
	call := out.Opened
	cancel := jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)

	answered, _, err := s.Respond(now, call, protocol.TextResult("first"))
	fmt.Println(err)
	_, out = answered.Receive(now, cancel)
	fmt.Println(len(out.Send), out.Events[0].Kind)

	cancelled, out := s.Receive(now, cancel)
	fmt.Println(len(out.Send), out.Events[0].Kind)
	_, _, err = cancelled.Respond(now, call, protocol.TextResult("late"))
	fmt.Println(err)
	// Output:
	// <nil>
	// 0 ignored
	// 0 request cancelled
	// mcp: request is finished or cancelled
}
