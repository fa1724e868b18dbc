package typed_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/typed"
)

type division struct {
	A int64 `json:"a" doc:"What is divided."`
	B int64 `json:"b" doc:"By what." schema:"default=2"`
}

type quotient struct {
	Q int64 `json:"q"`
	R int64 `json:"r"`
}

func divide(_ context.Context, _ server.Caller, in division) (quotient, error) {
	if in.B == 0 {
		return quotient{}, errors.New("b must not be zero")
	}
	return quotient{in.A / in.B, in.A % in.B}, nil
}

func Example() {
	h := new(server.Handlers)
	typed.Tool(h, protocol.Tool{Name: "divide", Description: "Divides integers."}, divide)
	catalog, err := h.Catalog()
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := server.New(server.Config{Info: protocol.Implementation{Name: "calc", Version: "1"}, Catalog: catalog, Serve: h.Serve()}, now)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"divide","arguments":{"a":9007199254740993}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"divide","arguments":{"a":1,"b":0}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"divide","arguments":{"a":1e30}}}`,
	} {
		var out server.Output
		s, out = h.Receive(s, now, jsonrpc.DecodeString(line))
		for _, o := range out.Send {
			if id, _ := o.Message.ID.Int64(); id > 1 {
				fmt.Println(o.Message.Body)
			}
		}
	}
	// Output:
	// {"tools":[{"name":"divide","description":"Divides integers.","inputSchema":{"type":"object","properties":{"a":{"type":"integer","description":"What is divided."},"b":{"type":"integer","description":"By what.","default":2}},"required":["a"],"additionalProperties":false},"outputSchema":{"type":"object","properties":{"q":{"type":"integer"},"r":{"type":"integer"}},"required":["q","r"],"additionalProperties":false}}]}
	// {"content":[{"type":"text","text":"{\"q\":4503599627370496,\"r\":1}"}],"structuredContent":{"q":4503599627370496,"r":1}}
	// {"content":[{"type":"text","text":"b must not be zero"}],"isError":true}
	// {"content":[{"type":"text","text":"invalid arguments: \"/a\" is out of range: want an integer of 64 bits"}],"isError":true}
}
