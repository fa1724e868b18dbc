package server_test

import (
	"context"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// A server with one tool: lines in, lines out.
func Example() {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "greet", InputSchema: `{"type":"object"}`},
		func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
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
		Info: protocol.Implementation{Name: "example", Version: "1.0.0"}, Serve: []string{"tools/call"}, Unlisted: true,
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
	// lifecycle: request is finished or cancelled
}

// Arguments are checked before the function runs; a template passes its variables.
func ExampleHandlers() {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "double", InputSchema: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`},
		func(_ context.Context, _ server.Caller, p protocol.CallToolParams) (*protocol.CallToolResult, error) {
			return protocol.TextResult("got " + string(p.Arguments)), nil
		})
	h.Template(protocol.ResourceTemplate{Name: "day", URITemplate: "log://{year}/{month}"},
		func(_ context.Context, _ server.Caller, p protocol.ReadResourceParams, vars uritemplate.Values) (*protocol.ReadResourceResult, error) {
			text := vars.Get("month").String() + " of " + vars.Get("year").String()
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(p.URI, "text/plain", text)}}, nil
		})
	catalog, err := h.Catalog()
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Unix(1, 0)
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "example", Version: "1.0.0"}, Catalog: catalog, Serve: h.Serve()}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"double","arguments":{"n":2}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"double","arguments":{"n":"2"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"log://2025/June"}}`,
	} {
		var out server.Output
		s, out = h.Handle(s.Receive(now, jsonrpc.DecodeString(line)))
		if i > 0 {
			fmt.Println(out.Send[0].Message.Body)
		}
	}
	// Output:
	// {"content":[{"type":"text","text":"got {\"n\":2}"}]}
	// {"content":[{"type":"text","text":"invalid arguments: \"/n\" is not an integer but a string"}],"isError":true}
	// {"contents":[{"uri":"log://2025/June","mimeType":"text/plain","text":"June of 2025"}]}
}

// A Roots asks the client for its roots once, and again after the client has announced a change.
func ExampleRoots() {
	now := time.Unix(1, 0)
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "example", Version: "1.0.0"}}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	var roots server.Roots
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"roots":{"listChanged":true}},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///home"}]}}`,
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
		`{"jsonrpc":"2.0","id":2,"result":{"roots":[]}}`,
	} {
		var out server.Output
		roots, s, out = roots.Handle(s.Receive(now, jsonrpc.DecodeString(line)))
		if s.Phase() == lifecycle.Ready {
			if roots, s, out, err = roots.Want(s, now, server.RequestOptions{}); err != nil {
				fmt.Println(err)
				return
			}
			list, fresh := roots.List()
			fmt.Println(len(list), fresh, len(out.Send))
		}
	}
	// Output:
	// 0 false 1
	// 1 true 0
	// 1 false 1
	// 0 true 0
}
