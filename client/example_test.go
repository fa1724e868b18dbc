package client_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A client opens a session and calls a tool. In place of a transport, lines are printed and read.
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

// A Pager reads a list once, page by page. Next requests a page, and Page handles the answer.
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
				continue // another request's event
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
