package gateway

import (
	"testing"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
)

// A connection waits exactly from QueueBytes on, whatever the messages are, and goes on below; each
// connection counts by itself, and what was taken in counts no more.
func TestInboxBytes(t *testing.T) {
	a, b := manager.Link{Server: "a", Epoch: 1}, manager.Link{Server: "a", Epoch: 2}
	note := func(n int) jsonrpc.Message {
		return jsonrpc.Message{Kind: jsonrpc.KindNotification, Body: jsonrpc.Raw(make([]byte, n))}
	}
	base := size(manager.Report{Message: note(0)})
	for _, less := range []int{1, 0} {
		var in inbox
		in.push(manager.Report{Link: a, Message: note(queueBytes/2 - base)})
		in.push(manager.Report{Link: a, Message: note(queueBytes/2 - base - less)})
		if in.full(a) != (less == 0) || in.full(b) {
			t.Error(less, in.full(a), in.full(b))
		}
		in.push(manager.Report{Link: b, Message: note(2 * queueBytes)})
		if in.full(a) != (less == 0) || !in.full(b) {
			t.Error(less, in.full(a), in.full(b))
		}
		in.drop(1)
		if in.full(a) || !in.full(b) {
			t.Error(less, in.full(a), in.full(b))
		}
		in.push(manager.Report{Link: a, Message: note(queueBytes/2 - base + less)})
		if !in.full(a) {
			t.Error(less, "what is left does not count")
		}
		in.drop(3)
		if in.full(b) || len(in.load) != 0 || in.reports != nil {
			t.Errorf("%+v", in)
		}
	}
	// A batch counts as its messages do, with their ids, methods and bodies, each exactly.
	batch := jsonrpc.Decode([]byte(`[{"jsonrpc":"2.0","method":"ab","params":{"c":1}},{"jsonrpc":"2.0","id":"xyz","method":"d"},{"jsonrpc":"2.0","method":"e"}]`))
	of := size(manager.Report{Message: jsonrpc.Message{Kind: batch.Kind, Body: batch.Body}}) - len(batch.Body)
	sum := of + len(batch.Body)
	for _, m := range batch.Batch() {
		id, _ := m.ID.Str()
		sum += of + len(id) + len(m.Method) + len(m.Body)
	}
	if got := size(manager.Report{Message: batch}); got != sum {
		t.Errorf("a batch counts %d, want %d", got, sum)
	}
}

// What was handed out stays as it was when more comes and when it is taken out of the inbox.
func TestInboxAliasing(t *testing.T) {
	link := manager.Link{Server: "a"}
	var in inbox
	for _, m := range []string{"1", "2", "3"} {
		in.push(manager.Report{Link: link, Message: jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: m}})
	}
	head := in.head(2)
	_ = append(head, manager.Report{})
	in.push(manager.Report{Link: link, Message: jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: "4"}})
	if got := in.head(4); got[2].Message.Method != "3" || got[3].Message.Method != "4" {
		t.Error(got)
	}
	if head[0].Message.Method != "1" || head[1].Message.Method != "2" {
		t.Error(head)
	}
}
