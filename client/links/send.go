package links

import (
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/sendqueue"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// push queues a message, if the link is open.
func (k *link) push(o client.Outgoing, rev protocol.Revision) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.phase != linkOpen:
	case k.out.Bytes-k.flying < queueFactor*k.l.opt.QueueBytes:
		k.out.Push(o, rev)
		if !k.sending {
			k.sending = true
			k.runs.Go(k.send)
		}
	case o.Message.Kind == jsonrpc.KindRequest:
		k.refused = append(k.refused, o.Req)
		if len(k.refused) == 1 {
			k.runs.Go(k.refuse)
		}
	default:
		go k.fail(fmt.Errorf("%w: %d bytes waiting, limit %d", ErrSendTimeout, k.out.Bytes, queueFactor*k.l.opt.QueueBytes))
	}
}

// refuse reports requests that the queue had no room for.
func (k *link) refuse() {
	for {
		k.mu.Lock()
		if len(k.refused) == 0 {
			k.mu.Unlock()
			return
		}
		req, waiting := k.refused[0], k.out.Bytes
		if k.refused = k.refused[1:]; len(k.refused) == 0 {
			k.refused = nil
		}
		k.mu.Unlock()
		k.unanswered(req, fmt.Errorf("%w: %d bytes waiting, limit %d", errQueueFull, waiting, queueFactor*k.l.opt.QueueBytes))
	}
}

// send sends the queue.
func (k *link) send() {
	watch := time.AfterFunc(time.Hour, func() {
		k.fail(fmt.Errorf("%w: one was not sent after %v", ErrSendTimeout, k.l.opt.SendTimeout))
	})
	defer watch.Stop()
	watch.Stop()
	for {
		k.mu.Lock()
		if k.ctx.Err() != nil {
			k.out.Clear()
		}
		next, ok := k.out.Pop()
		if !ok {
			k.sending = false
			k.mu.Wake()
			k.mu.Unlock()
			return
		}
		k.flying = next.Bytes
		k.mu.Unlock()
		if k.l.opt.SendTimeout != lifecycle.NoTimeout {
			watch.Reset(k.l.opt.SendTimeout)
		}
		err := k.t.Send(k.ctx, next.Out, next.Revision)
		watch.Stop()
		k.sent(next, err)
	}
}

// sent handles the end of a Send.
func (k *link) sent(o sendqueue.Item, err error) {
	k.mu.Lock()
	room := k.out.Sent(o)
	k.flying = 0
	if room {
		k.mu.Wake()
	}
	k.mu.Unlock()
	if room && k.l.opt.OnRoom != nil {
		k.l.opt.OnRoom(k.id)
	}
	if err != nil && o.Out.Message.Kind == jsonrpc.KindRequest && k.ctx.Err() == nil {
		k.unanswered(o.Out.Req, err)
	}
}
