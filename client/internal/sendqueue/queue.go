// Package sendqueue holds the messages that wait to be sent over one Transport.
package sendqueue

import (
	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// Queue is a queue of messages with a soft limit. It is for one goroutine at a time.
type Queue struct {
	Limit int // in bytes: at the limit the Queue is full
	Bytes int // of what waits and of what is being sent
	list  []Item
}

// Item is a message that waits.
type Item struct {
	Out      client.Outgoing   // what to send
	Revision protocol.Revision // what was negotiated, zero before
	Bytes    int               // about how much memory it holds
}

// Full reports whether no more should be made. What follows from what was handled before, and
// cancellations, are queued all the same.
func (q *Queue) Full() bool { return q.Bytes >= q.Limit }

// Push adds a message at the end.
func (q *Queue) Push(o client.Outgoing, rev protocol.Revision) {
	n := Size(o.Message)
	q.list = append(q.list, Item{o, rev, n})
	q.Bytes += n
}

// Pop takes the first message out. It counts in Bytes until Sent.
func (q *Queue) Pop() (next Item, ok bool) {
	if len(q.list) == 0 {
		q.list = nil
		return Item{}, false
	}
	next, q.list[0] = q.list[0], Item{}
	q.list = q.list[1:]
	return next, true
}

// Sent notes that a message that was popped has been sent, or will not be. It reports whether
// the Queue was full and is no longer.
func (q *Queue) Sent(o Item) (room bool) {
	full := q.Full()
	q.Bytes -= o.Bytes
	return full && !q.Full()
}

// Clear drops what has not been popped, and returns the requests of it.
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

// Size returns about how much memory a message holds.
func Size(m jsonrpc.Message) int {
	id, _ := m.ID.Str() // of an answer: the server made it
	n := 128 + len(id) + len(m.Method) + len(m.Body)
	if m.Err != nil {
		n += len(m.Err.Message) + len(m.Err.Data)
	}
	return n
}
