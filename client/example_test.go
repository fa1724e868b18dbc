package client_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A client opens a session and calls a tool: lines out, lines in.
func Example() {
	now := time.Unix(1, 0)
	s, err := client.New(client.Config{Info: protocol.Implementation{Name: "example", Version: "1.0.0"}}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	send := func(out client.Output) {
		for _, o := range out.Send {
			fmt.Println("->", string(jsonrpc.Append(nil, o.Message)))
		}
	}
	s, out, _ := s.Initialize(now)
	send(out)
	s, out = s.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`))
	send(out)
	s, out, err = s.Request(now, protocol.CallToolParams{Name: "greet"}, client.RequestOptions{})
	fmt.Println(err)
	send(out)
	req := out.Req

	_, out = s.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hello!"}]}}`))
	for _, ev := range out.Events {
		if ev.Kind == lifecycle.ResponseReceived && ev.Req == req {
			r, err := protocol.Decode[protocol.CallToolResult](ev.Body)
			fmt.Println(r.Content[0].Text, err)
		}
	}
	// Output:
	// -> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"example","version":"1.0.0"}}}
	// -> {"jsonrpc":"2.0","method":"notifications/initialized"}
	// <nil>
	// -> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet"}}
	// Hello! <nil>
}

// A Pager walks a list once, page by page. Next asks, and Page takes the answer.
func ExamplePager() {
	now := time.Unix(1, 0)
	s, err := client.New(client.Config{Info: protocol.Implementation{Name: "example", Version: "1.0.0"}}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _, _ = s.Initialize(now)
	s, _ = s.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"prompts":{}},"serverInfo":{"name":"s","version":"1"}}}`))
	p, err := client.NewPager("prompts/list")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":2,"result":{"prompts":[{"name":"a"},{"name":"b"}],"nextCursor":"more"}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"prompts":[{"name":"c"}]}}`,
	} {
		var out client.Output
		if p, s, out, err = p.Next(s, now, client.RequestOptions{}); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("->", string(jsonrpc.Append(nil, out.Send[0].Message)))
		s, out = s.Receive(now, jsonrpc.DecodeString(line))
		for _, ev := range out.Events {
			next, items, mine, err := p.Page(ev)
			if !mine {
				continue // it is about another request
			}
			p = next
			fmt.Println(items, p.Done(), err)
		}
	}
	// Output:
	// -> {"jsonrpc":"2.0","id":2,"method":"prompts/list"}
	// [{"name":"a"} {"name":"b"}] false <nil>
	// -> {"jsonrpc":"2.0","id":3,"method":"prompts/list","params":{"cursor":"more"}}
	// [{"name":"c"}] true <nil>
}

// A Mirror reads the tools when the session is ready, page by page, and again after a
// change. The schema that it has seen is what a result is held against.
func ExampleMirror() {
	now := time.Unix(1, 0)
	s, err := client.New(client.Config{Info: protocol.Implementation{Name: "example", Version: "1.0.0"}}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := client.NewMirror("tools/list")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _, _ = s.Initialize(now)
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"add","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["sum"]}}]}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
	} {
		now = now.Add(client.DefaultMinInterval) // a list is not read again sooner
		var out client.Output
		m, s, out = m.Handle(s.Receive(now, jsonrpc.DecodeString(line)))
		for _, o := range out.Send {
			fmt.Println("->", string(jsonrpc.Append(nil, o.Message)))
		}
		for _, ev := range out.Events {
			if ev.Kind == client.ListRead {
				items, fresh := m.Items(ev.Method)
				fmt.Println(ev.Method, len(items), fresh)
			}
		}
	}
	schema, _ := m.OutputSchema("add")
	s, _, _ = s.Request(now, protocol.CallToolParams{Name: "add"}, client.RequestOptions{OutputSchema: schema})
	_, out := s.Receive(now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":4,"result":{"content":[],"structuredContent":{}}}`))
	fmt.Println(out.Events[len(out.Events)-1].Failure())
	// Output:
	// -> {"jsonrpc":"2.0","method":"notifications/initialized"}
	// -> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
	// tools/list 1 true
	// -> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
	// invalid response: schema: the value at "/sum" fails required
}
