package headers_test

import (
	"fmt"
	"net/http"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// A server on this machine checks three requests: from a web page whose name was made to resolve
// to this machine, from a client without a session, and from one that opens a session.
func Example() {
	rules := headers.Rules{Local: true}
	accept := http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
	ping := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	initialize := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	for _, c := range []struct {
		host string
		m    jsonrpc.Message
	}{{"evil.example", ping}, {"localhost:8080", ping}, {"localhost:8080", initialize}} {
		h := headers.Read("POST", c.host, accept.Values)
		op, no := rules.Admit(h)
		if no == nil {
			no = rules.Check(h, c.m)
		}
		if no != nil {
			fmt.Println(no.Status, string(no.Body()))
			continue
		}
		fmt.Println(op == headers.OpPost)
	}
	// Output:
	// 403 {"jsonrpc":"2.0","error":{"code":-32600,"message":"the Host is not one of this server"}}
	// 400 {"jsonrpc":"2.0","error":{"code":-32600,"message":"Mcp-Session-Id is missing"}}
	// true
}

// A client resumes a stream. The negotiated revision determines which headers it sends.
func ExampleRequest() {
	for _, rev := range []protocol.Revision{protocol.Revision20250326, protocol.Revision20250618} {
		for _, f := range headers.RequestFields(headers.OpResume, "f3a", rev, "2-17") {
			fmt.Printf("%s: %s\n", f.Name, f.Value)
		}
		fmt.Println()
	}
	// Output:
	// Accept: text/event-stream
	// Last-Event-Id: 2-17
	// Mcp-Session-Id: f3a
	//
	// Accept: text/event-stream
	// Last-Event-Id: 2-17
	// Mcp-Session-Id: f3a
	// Mcp-Protocol-Version: 2025-06-18
}

// A client learns from a 401 answer where to get a token.
func ExampleParseChallenge() {
	c, ok := headers.ParseChallenge([]string{`Basic realm="x", Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource"`})
	fmt.Println(ok, c.ResourceMetadata)
	// Output: true https://mcp.example/.well-known/oauth-protected-resource
}
