package host

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/sendqueue"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// queue holds what is to be sent. Only write takes out of it; the lock of the Client is
// held for all of it but the channels.
type queue struct {
	sendqueue.Queue
	wake   chan struct{}
	closed bool
	done   chan struct{} // closed when it is closed and empty
}

func newQueue(limit int) *queue {
	return &queue{Queue: sendqueue.Queue{Limit: limit}, wake: make(chan struct{}, 1), done: make(chan struct{})}
}

func (q *queue) push(o client.Outgoing, rev protocol.Revision) {
	if !q.closed {
		q.Push(o, rev)
		signal(q.wake)
	}
}

func (q *queue) close() {
	q.closed = true
	signal(q.wake)
}

// write sends what is queued, until that is closed.
func (c *Client) write() {
	defer c.loop.Done()
	defer close(c.out.done)
	watch := time.AfterFunc(time.Hour, func() {
		c.mu.Lock()
		c.out.Clear() // nobody reads it
		c.mu.Unlock()
		c.fail(links.ErrSendTimeout)
		c.end()
	})
	defer watch.Stop()
	watch.Stop()
	for range c.out.wake {
		c.mu.Lock()
		for next, ok := c.out.Pop(); ok; next, ok = c.out.Pop() {
			c.mu.Unlock()
			if c.opt.SendTimeout > 0 {
				watch.Reset(c.opt.SendTimeout)
			}
			err := c.t.Send(c.ctx, next.Out, next.Revision)
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
func (c *Client) sent(o sendqueue.Item, err error) {
	if c.out.Sent(o) {
		c.change()
	}
	if err != nil && o.Out.Message.Kind == jsonrpc.KindRequest {
		c.unanswered(time.Now(), o.Out.Req, err)
	}
}

// signal leaves a token for whoever waits, or comes to wait.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
