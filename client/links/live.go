package links

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/internal/sendqueue"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
)

func newLink(l *Links, id manager.Link) *link {
	k := &link{l: l, id: id, out: sendqueue.Queue{Limit: l.opt.QueueBytes}, read: make(chan struct{})}
	k.ctx, k.end = context.WithCancel(context.Background())
	k.hurry, k.rush = context.WithCancel(context.Background())
	k.giveUp = time.AfterFunc(time.Hour, k.abandon)
	k.giveUp.Stop()
	return k
}

// live runs a link from its dial to its end.
func (k *link) live(endpoint any, by time.Time) {
	t, err := k.dialled(endpoint, by)
	k.mu.Lock()
	k.t = t
	phase := k.phase
	if phase == linkOpening && err != nil {
		k.phase = linkEnded
	} else if phase == linkOpening {
		k.phase = linkOpen
	}
	k.giveUp.Stop()
	k.mu.Unlock()
	switch {
	case err != nil && phase == linkOpening:
		close(k.read)
		k.report(manager.Report{Kind: manager.OpenFailed, Err: err})
		k.over()
	case phase != linkOpening: // it was closed or given up before
		close(k.read)
		k.rush()
		k.tidy()
		k.report(manager.Report{Kind: manager.Ended})
		k.over()
	default:
		k.report(manager.Report{Kind: manager.Opened})
		k.receive()
	}
}

// dialled calls Dial, which has until the deadline to succeed and CloseTimeout more to return.
func (k *link) dialled(endpoint any, by time.Time) (Transport, error) {
	ctx := k.ctx
	if !by.IsZero() {
		within, stop := context.WithDeadline(ctx, by)
		defer stop()
		ctx = within
		k.mu.Lock()
		if k.phase == linkOpening {
			k.giveUp.Reset(time.Until(by) + k.l.opt.CloseTimeout)
		}
		k.mu.Unlock()
	}
	t, err := k.l.dial(ctx, endpoint)
	if err == nil && t == nil {
		err = errDial
	}
	return t, err
}

// receive handles incoming messages until the end.
func (k *link) receive() {
	var err error
	for k.room() {
		var a Arrival
		if a, err = k.t.Receive(k.ctx); err != nil {
			break
		}
		switch {
		case a.Req.IsZero():
			k.report(manager.Report{Kind: manager.Received, Message: a.Message})
		case a.Paused, a.Resumed:
			k.report(manager.Report{Kind: manager.Paused, Req: a.Req, Resumed: a.Resumed})
		default:
			k.unanswered(a.Req, a.Err)
		}
	}
	close(k.read)
	if err == nil {
		err = io.EOF
	}
	if !k.ends(err) {
		return // shut does the rest
	}
	k.tidy()
	k.over()
}

// room waits until the next message may be read; false if the link has ended.
func (k *link) room() bool {
	err := k.mu.Until(k.ctx, func() bool { return k.phase == linkClosing || !k.out.Full() })
	k.mu.Unlock()
	return err == nil
}

// ends handles the end of a link that is not being closed on this side, and reports it at once;
// false if the link is being closed.
func (k *link) ends(err error) bool {
	k.mu.Lock()
	phase := k.phase
	var unsent []client.Req
	if phase == linkOpen {
		k.phase = linkEnded
		unsent = k.out.Clear()
		k.mu.Wake()
	}
	if k.cause != nil {
		err = k.cause
	}
	k.mu.Unlock()
	if phase == linkClosing {
		return false
	}
	var gone *SessionGone
	if errors.As(err, &gone) {
		unsent = append(unsent, gone.NotBegun...)
	}
	for _, req := range unsent {
		k.unanswered(req, lifecycle.Unsent(err))
	}
	k.report(manager.Report{Kind: manager.Ended, Err: err})
	return true
}

// close closes a link, gracefully until the deadline.
func (k *link) close(by time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch k.phase {
	case linkOpening:
		k.phase = linkClosing
		k.end()
		k.giveUp.Reset(k.l.opt.CloseTimeout)
	case linkOpen:
		k.phase = linkClosing
		go k.shut(by)
	}
}

// kill closes a link at once.
func (k *link) kill() {
	k.rush()
	k.close(time.Time{})
}

// shut closes a link on this side: it sends the queue, closes the Transport, and waits for the
// goroutines.
func (k *link) shut(by time.Time) {
	ctx := k.hurry
	if !by.IsZero() {
		within, stop := context.WithDeadline(ctx, by)
		defer stop()
		ctx = within
	}
	defer context.AfterFunc(ctx, func() { k.wait(k.l.opt.CloseTimeout) })()
	_ = k.mu.Until(ctx, func() bool { return !k.sending })
	k.mu.Unlock()
	err := k.t.Close(ctx)
	if ctx.Err() != nil {
		err = errKilled
	}
	k.end()
	k.runs.Wait()
	<-k.read
	k.report(manager.Report{Kind: manager.Ended, Err: err})
	k.over()
}

// abandon gives up waiting for the Transport.
func (k *link) abandon() {
	k.mu.Lock()
	if k.gone {
		k.mu.Unlock()
		return
	}
	k.leftOpen = true
	kind := manager.Ended
	if k.phase == linkOpening {
		kind, k.phase = manager.OpenFailed, linkEnded
	}
	k.mu.Unlock()
	k.rush()
	k.end()
	k.report(manager.Report{Kind: kind, Err: k.abandoned()})
	k.over()
}
