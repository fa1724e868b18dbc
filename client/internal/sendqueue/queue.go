// Package sendqueue holds the messages waiting to be sent over one Transport.
package sendqueue

import (
	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Queue is a queue of messages with a soft limit. It is not safe for concurrent use.
type Queue struct {
	Limit int // in bytes: at the limit the Queue is full
	Bytes int // of waiting messages and of the one being sent
	list  []Item
}

// Item is a waiting message.
type Item struct {
	Out      client.Outgoing   // what to send
	Revision protocol.Revision // the negotiated revision, zero before the handshake
	Bytes    int               // approximate memory
}

// Full reports whether no new messages should be made. Messages that result from earlier ones, and
// cancellations, are still queued.
func (q *Queue) Full() bool { return q.Bytes >= q.Limit }

// Push appends a message.
func (q *Queue) Push(o client.Outgoing, rev protocol.Revision) {
	n := Size(o.Message)
	q.list = append(q.list, Item{o, rev, n})
	q.Bytes += n
}

// Pop removes the first message. It counts in Bytes until Sent.
func (q *Queue) Pop() (next Item, ok bool) {
	if len(q.list) == 0 {
		q.list = nil
		return Item{}, false
	}
	next, q.list[0] = q.list[0], Item{}
	q.list = q.list[1:]
	return next, true
}

// Sent records that a popped message was sent, or will not be. It reports whether the Queue was
// full and no longer is.
func (q *Queue) Sent(o Item) (room bool) {
	full := q.Full()
	q.Bytes -= o.Bytes
	return full && !q.Full()
}

// Clear drops the messages that were not popped, and returns the requests among them.
func (q *Queue) Clear() (list []client.Req) {
	for _, o := range q.list {
		q.Bytes -= o.Bytes
		if o.Out.Message.Kind == jsonrpc.KindRequest {
			list = append(list, o.Out.Req)
		}
	}
	q.list = nil
	return list
}

// Size returns approximately how much memory a message holds, in bytes.
func Size(m jsonrpc.Message) int {
	id, _ := m.ID.Str() // of an answer, where the server chose it
	n := 128 + len(id) + len(m.Method) + len(m.Body)
	if m.Err != nil {
		n += len(m.Err.Message) + len(m.Err.Data)
	}
	return n
}
