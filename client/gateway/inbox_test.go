package gateway

import (
	"testing"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
)

// An inbox is full for the connection that filled it, and keeps nothing of what was taken out.
func TestInbox(t *testing.T) {
	a, b := manager.Link{Server: "a", Epoch: 1}, manager.Link{Server: "b", Epoch: 2}
	var in inbox
	for i := range queueMessages {
		if in.full(a) {
			t.Fatal("full after", i)
		}
		in.push(manager.Report{Kind: manager.Received, Link: a})
	}
	if !in.full(a) || in.full(b) {
		t.Error(in.full(a), in.full(b))
	}
	in.push(manager.Report{Kind: manager.Received, Link: b, Message: jsonrpc.Message{Kind: jsonrpc.KindNotification, Body: jsonrpc.Raw(make([]byte, queueBytes))}})
	if !in.full(b) {
		t.Error("a large one does not fill it")
	}
	batch := jsonrpc.Decode([]byte(`[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}]`))
	if n := size(manager.Report{Message: batch}); n < 3*128 {
		t.Errorf("a batch of two takes %d", n)
	}
	if n := size(manager.Report{Message: jsonrpc.Message{Kind: jsonrpc.KindError, Err: &jsonrpc.Error{Message: "12345"}}}); n != 133 {
		t.Errorf("an error takes %d", n)
	}
	if n := size(manager.Report{Message: jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.String("12345")}}); n != 133 {
		t.Errorf("an id takes %d", n)
	}
	head := in.head(3)
	if len(head) != 3 || cap(head) != 3 {
		t.Error(len(head), cap(head))
	}
	in.drop(1)
	if in.full(a) {
		t.Error("full with one less")
	}
	in.push(manager.Report{Kind: manager.Ended, Link: a})
	if len(in.head(1000)) != queueMessages+1 {
		t.Error(len(in.head(1000)))
	}
	in.drop(queueMessages + 1)
	if len(in.reports) != 0 || in.reports != nil || len(in.load) != 0 {
		t.Errorf("%+v", in)
	}
	in.drop(0)
}
