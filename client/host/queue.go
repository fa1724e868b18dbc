package host

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// queue holds what is to be sent. Only write takes out of it; the lock of the Client is
// held for all of it but the channels.
type queue struct {
	limit  int
	list   []queued
	bytes  int // of list and of what is being sent
	wake   chan struct{}
	closed bool
	done   chan struct{} // closed when it is closed and empty
}

type queued struct {
	out   client.Outgoing
	rev   protocol.Revision
	bytes int
}

func newQueue(limit int) *queue {
	return &queue{limit: limit, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

// full reports whether no more should be made. What follows from what was taken in before,
// and cancellations, are queued all the same.
func (q *queue) full() bool { return q.bytes >= q.limit }

func (q *queue) push(o client.Outgoing, rev protocol.Revision) {
	if q.closed {
		return
	}
	n := size(o.Message)
	q.list = append(q.list, queued{o, rev, n})
	q.bytes += n
	signal(q.wake)
}

// pop returns the next one; what was popped before has been sent.
func (q *queue) pop() (next queued, ok bool) {
	if len(q.list) == 0 {
		q.list = nil
		return queued{}, false
	}
	next, q.list[0] = q.list[0], queued{}
	q.list = q.list[1:]
	return next, true
}

// clear drops what has not been sent, and returns the requests of it.
func (q *queue) clear() (list []client.Req) {
	for _, o := range q.list {
		q.bytes -= o.bytes
		if o.out.Message.Kind == jsonrpc.KindRequest {
			list = append(list, o.out.Req)
		}
	}
	q.list = nil
	return list
}

func (q *queue) close() {
	q.closed = true
	signal(q.wake)
}

// size returns about how much memory a message holds.
func size(m jsonrpc.Message) int {
	id, _ := m.ID.Str() // of an answer: the server made it
	n := 128 + len(id) + len(m.Method) + len(m.Body)
	if m.Err != nil {
		n += len(m.Err.Message) + len(m.Err.Data)
	}
	return n
}

// write sends what is queued, until that is closed.
func (c *Client) write() {
	defer c.loop.Done()
	defer close(c.out.done)
	watch := time.AfterFunc(time.Hour, func() {
		c.mu.Lock()
		c.out.clear() // nobody reads it
		c.mu.Unlock()
		c.fail(ErrStalled)
		c.end()
	})
	defer watch.Stop()
	watch.Stop()
	for range c.out.wake {
		c.mu.Lock()
		for next, ok := c.out.pop(); ok; next, ok = c.out.pop() {
			c.mu.Unlock()
			if c.opt.Stall > 0 {
				watch.Reset(c.opt.Stall)
			}
			err := c.t.Send(c.ctx, next.out, next.rev)
			watch.Stop()
			c.mu.Lock()
			c.sent(next, err)
		}
		closed := c.out.closed
		c.mu.Unlock()
		if closed {
			return
		}
	}
}

// sent takes in that a message was sent, or why it was not.
func (c *Client) sent(o queued, err error) {
	full := c.out.full()
	c.out.bytes -= o.bytes
	if full && !c.out.full() {
		c.change()
	}
	if err != nil && o.out.Message.Kind == jsonrpc.KindRequest {
		c.unanswered(time.Now(), o.out.Req, err)
	}
}

// signal leaves a token for whoever waits, or comes to wait.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
