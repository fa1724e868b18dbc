package exchange_test

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/sse"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// A server closes the stream of a call, and the client resumes it for the answer.
func Example() {
	now := time.Now()
	call := jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"slow"}}`)
	x := exchange.Post(exchange.Options{}, exchange.Session{ID: "f3a", Revision: protocol.Revision20251125}, call)
	fmt.Println(x.Op().Method())

	x = x.Respond(now, exchange.Head{Status: 200, ContentType: headers.EventStream})
	x, _, ok := x.Event(now, sse.Event{ID: "1-0", HasID: true, Retry: 500 * time.Millisecond, HasRetry: true})
	fmt.Println("a message:", ok)
	x = x.Closed(now)
	fmt.Println("back after", x.At().Sub(now))

	x = x.Tick(x.At())
	for _, f := range x.Fields() {
		fmt.Printf("%s %s: %s\n", x.Op().Method(), f.Name, f.Value)
	}
	x = x.Respond(now, exchange.Head{Status: 200, ContentType: headers.EventStream})
	x, m, _ := x.Event(now, sse.Event{ID: "1-1", HasID: true, Data: `{"jsonrpc":"2.0","id":7,"result":{"content":[]}}`})
	fmt.Println(m.Kind, m.ID, x.Phase() == exchange.Done)
	// Output:
	// POST
	// a message: false
	// back after 500ms
	// GET Accept: text/event-stream
	// GET Last-Event-Id: 1-0
	// GET Mcp-Session-Id: f3a
	// GET Mcp-Protocol-Version: 2025-11-25
	// result 7 true
}

// After notifications/initialized nothing is posted until the server has accepted it.
func ExampleOrder() {
	send := []lifecycle.Outgoing{
		{Message: jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: protocol.MethodInitialized}},
		{Message: jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.Int(2), Method: protocol.MethodToolsList}},
	}
	o := exchange.Order{}.Add(send...)
	o, t, m, _ := o.Next(time.Now())
	fmt.Println(m.Message.Method)
	_, _, _, ok := o.Next(time.Now())
	fmt.Println(ok)
	_, _, m, _ = o.Accepted(t).Next(time.Now())
	fmt.Println(m.Message.Method)
	// Output:
	// notifications/initialized
	// false
	// tools/list
}
