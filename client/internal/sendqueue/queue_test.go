package sendqueue

import (
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// What waits to be sent counts the id that the server gave it.
func TestSizeOfAnswers(t *testing.T) {
	if n := Size(jsonrpc.Message{Kind: jsonrpc.KindResult, ID: jsonrpc.String("12345"), Body: "{}"}); n != 128+5+2 {
		t.Error(n)
	}
	if n := Size(jsonrpc.Message{Kind: jsonrpc.KindError, Err: &jsonrpc.Error{Message: "m", Data: "{}"}}); n != 128+1+2 {
		t.Error(n)
	}
}

// A message counts until it has been sent, exactly at the limit the Queue is full, and the messages
// come out in order.
func TestQueue(t *testing.T) {
	q := Queue{Limit: 2 * 129}
	push := func(method string) {
		q.Push(client.Outgoing{Message: jsonrpc.Message{Kind: jsonrpc.KindRequest, Method: method}}, protocol.Revision{})
	}
	push("a")
	if q.Full() {
		t.Error("full below the limit")
	}
	push("b")
	a, _ := q.Pop()
	if a.Out.Message.Method != "a" || !q.Full() {
		t.Errorf("%+v, full: %v", a, q.Full())
	}
	push("c")
	if q.Sent(a) || !q.Full() {
		t.Error("room at the limit")
	}
	b, _ := q.Pop()
	if !q.Sent(b) || q.Full() {
		t.Error("no room below the limit")
	}
	if list := q.Clear(); len(list) != 1 || q.Bytes != 0 {
		t.Errorf("%d dropped, %d bytes left", len(list), q.Bytes)
	}
	if _, ok := q.Pop(); ok {
		t.Error("something is left")
	}
}
