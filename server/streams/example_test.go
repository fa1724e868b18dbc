package streams_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// A POST is answered on a stream after some progress, its connection is cut, and the client
// comes back for the rest.
func Example() {
	var h server.Handlers
	h.Tool(protocol.Tool{Name: "dig", InputSchema: `{"type":"object"}`}, nil) // answered below
	catalog, _ := h.Catalog()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s, err := server.New(server.Config{
		Info: protocol.Implementation{Name: "s", Version: "1"}, Catalog: catalog, Serve: h.Serve(),
	}, now)
	if err != nil {
		panic(err)
	}
	x := streams.New(streams.Options{})

	var out server.Output
	var reply streams.Reply
	post := func(text string) {
		m := jsonrpc.DecodeString(text)
		s, out = h.Receive(s, now, m)
		x, s, reply, _ = x.Post(s, now, m, out)
		fmt.Println("POST:", reply.Status, len(reply.Body) > 0)
	}
	read := func(c streams.Conn, after int) int {
		events, end := x.Read(c, after)
		for _, e := range events {
			fmt.Println(strings.TrimSpace("id: " + e.ID + " " + e.Data))
			after = e.N
		}
		fmt.Println(end)
		return after
	}

	post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	post(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"dig","_meta":{"progressToken":"t"}}}`)
	call, c := out.Opened, reply.Conn

	x, s, _ = x.Begin(s, now, c) // the answer takes long: SSE
	s, out, _ = s.Progress(now, call, protocol.ProgressParams{Progress: 1})
	x, s, _ = x.Handle(s, now, out)
	after := read(c, 0)

	// The connection is cut. The call continues.
	x = x.Wrote(now, c, after)
	x, s, _ = x.Detach(s, now, c)
	s, out, _ = s.Respond(now, call, protocol.TextResult("gold"))
	x, s, _ = x.Handle(s, now, out)

	x, s, c, after, _, err = x.Resume(s, now, "1-2")
	fmt.Println("GET:", err)
	read(c, after)
	// Output:
	// POST: 200 true
	// POST: 202 false
	// POST: 200 false
	// id: 1-1
	// id: 1-2 {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}
	// open
	// GET: <nil>
	// id: 1-3 {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"gold"}]}}
	// ended
}
