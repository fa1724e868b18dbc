package host

import (
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
)

// push queues a message, if there is any use in that.
func (k *link) push(o queued) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.phase != linkOpen:
	case k.out.bytes-k.flying < QueueFactor*k.l.opt.QueueBytes:
		k.out.push(o.out, o.rev)
		if !k.sending {
			k.sending = true
			k.runs.Go(k.send)
		}
	case o.out.Message.Kind == jsonrpc.KindRequest:
		k.refused = append(k.refused, o.out.Req)
		if len(k.refused) == 1 {
			k.runs.Go(k.refuse)
		}
	default:
		go k.fail(ErrStalled)
	}
}

// refuse reports requests for which the queue had no room.
func (k *link) refuse() {
	for {
		k.mu.Lock()
		if len(k.refused) == 0 {
			k.mu.Unlock()
			return
		}
		req := k.refused[0]
		if k.refused = k.refused[1:]; len(k.refused) == 0 {
			k.refused = nil
		}
		k.mu.Unlock()
		k.unanswered(req, ErrQueueFull)
	}
}

// send sends what is queued.
func (k *link) send() {
	watch := time.AfterFunc(time.Hour, func() { k.fail(ErrStalled) })
	defer watch.Stop()
	watch.Stop()
	for {
		k.mu.Lock()
		if k.ctx.Err() != nil {
			k.out.clear()
		}
		next, ok := k.out.pop()
		if !ok {
			k.sending = false
			k.change()
			k.mu.Unlock()
			return
		}
		k.flying = next.bytes
		k.mu.Unlock()
		if k.l.opt.Stall > 0 {
			watch.Reset(k.l.opt.Stall)
		}
		err := k.t.Send(k.ctx, next.out, next.rev)
		watch.Stop()
		k.sent(next, err)
	}
}

// sent takes in that a message was sent, or why it was not.
func (k *link) sent(o queued, err error) {
	k.mu.Lock()
	full := k.out.full()
	k.out.bytes -= o.bytes
	k.flying = 0
	room := full && !k.out.full()
	if room {
		k.change()
	}
	k.mu.Unlock()
	if room && k.l.opt.Room != nil {
		k.l.opt.Room(k.id)
	}
	if err != nil && o.out.Message.Kind == jsonrpc.KindRequest && k.ctx.Err() == nil {
		k.unanswered(o.out.Req, err)
	}
}

// unanswered reports a request that no answer will come to. The error says how far it came.
func (k *link) unanswered(req client.Req, err error) {
	kind := manager.ResponseLost
	if lifecycle.DeliveryOf(err).Repeatable() {
		kind = manager.SendFailed
	}
	k.report(manager.Report{Kind: kind, Req: req, Err: err})
}
