package relay_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// A client calls a tool of a server behind the relay. Literal messages stand in for what a driver
// reads from its connections.
func Example() {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	cfg := relay.Config{Info: protocol.Implementation{Name: "relay", Version: "1"}}
	down, _ := cfg.Server(server.Config{Info: cfg.Info})
	s, _ := server.New(down, now)
	r, _ := relay.New(cfg, []relay.Server{{Name: "files"}}, now)

	var eff relay.Effects
	show := func() {
		for _, a := range eff.Actions {
			if a.Kind == manager.ActSend {
				fmt.Println("to", a.Link.Server, a.Out.Message.Method, a.Out.Message.ID)
			}
		}
		for _, o := range eff.Send {
			fmt.Println("to the client:", string(jsonrpc.Append(nil, o.Message)))
		}
	}
	client := func(line string) {
		next, out := s.Receive(now, jsonrpc.DecodeString(line))
		r, s, eff = r.Handle(next, now, out)
		show()
	}
	link := manager.Link{Server: "files", Epoch: 1}
	files := func(line string) {
		r, s, eff = r.Report(s, now, manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.DecodeString(line)})
		show()
	}

	client(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	client(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	r, s, eff = r.Report(s, now, manager.Report{Kind: manager.Opened, Link: link})
	show()
	files(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"f","version":"1"}}}`)
	files(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`)
	client(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"mcp.files.read","arguments":{"path":"a"}}}`)
	files(`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"hello"}]}}`)
	// Output:
	// to the client: {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"logging":{},"completions":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tools":{"listChanged":true}},"serverInfo":{"name":"relay","version":"1"}}}
	// to files initialize 1
	// to files notifications/initialized absent
	// to files tools/list 2
	// to files tools/call 3
	// to the client: {"jsonrpc":"2.0","id":"call","result":{"content":[{"type":"text","text":"hello"}]}}
}
