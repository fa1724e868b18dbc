package remote

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// newSession returns a session that has not begun, with the lock held.
func (t *transport) newSession() *serverSession {
	s := &serverSession{t: t, old: t.old, calls: map[client.Req]*post{}, ids: map[jsonrpc.ID]*post{}, reached: make(chan struct{}, 1)}
	s.ctx, s.end = context.WithCancel(t.ctx)
	s.timer = time.AfterFunc(time.Hour, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		s.due = time.Time{}
		s.pump()
	})
	s.timer.Stop()
	return s
}

// pump posts the messages that may be posted now, with the lock held.
func (s *serverSession) pump() {
	if s.ctx.Err() == nil && !s.lost {
		for now := time.Now(); ; {
			next, ticket, o, ok := s.order.Next(now)
			s.order = next
			if !ok {
				break
			}
			s.post(ticket, o)
		}
		s.wait()
	} else {
		s.timer.Stop()
	}
	s.t.changed.Wake()
}

// wait schedules pump for the next deadline of the Order, with the lock held.
func (s *serverSession) wait() {
	if at, ok := s.order.NextDeadline(); ok && (s.due.IsZero() || at.Before(s.due)) {
		s.due = at
		s.timer.Reset(time.Until(at))
	}
}

// post posts a message, on a goroutine that does nothing else until it ends.
func (s *serverSession) post(ticket exchange.Ticket, o client.Outgoing) {
	if s.single && o.Message.Kind == jsonrpc.KindNotification && protocol.Withdraws(o.Message.Method) {
		if call := s.calls[o.Req]; call != nil { // otherwise its stream has ended
			call.end() // which tells the server (CANC-206)
		}
		s.order = s.order.Ended(ticket)
		return
	}
	p := &post{s: s, o: o, ticket: ticket, single: single(o.Message)}
	p.ctx, p.end = context.WithCancel(s.ctx)
	if o.Message.Kind == jsonrpc.KindRequest {
		s.single = p.single
		s.calls[o.Req], s.ids[o.Message.ID] = p, p
	} else {
		p.quiet = true
		s.quiet++
	}
	s.t.launch(p)
}

// run sends the message and passes on the result.
func (p *post) run() {
	s := p.s
	if s.old {
		p.runOld(nil)
		return
	}
	s.t.mu.Lock()
	k := &talk{s: s, p: p, by: p, waits: p, ctx: p.ctx, x: exchange.Post(s.t.opt.Exchange, s.of, p.o.Message, s.t.params(p.o.Message)...)}
	s.t.mu.Unlock()
	first := k.x // a copy, because k is on the heap
	for tries := 0; ; tries++ {
		k.run()
		if !p.again(k, tries) {
			break
		}
		pause(p.ctx, firstWait<<tries)
		k.x, k.err = first, nil
	}
	switch reason := k.lost(); {
	case reason == exchange.Legacy && !s.t.opt.NoFallback:
		p.runOld(k.failure())
		return
	case reason == exchange.SessionGone:
		s.t.lose(s, p, k.failure())
	case reason != 0 && begun(p.o.Message) && k.x.Failure().Temporary() && !errors.Is(k.err, errIdle):
		// The server waits for it, and may refuse everything else until then. A message that the
		// server is silent about has reached it.
		s.t.lose(s, p, k.failure())
	case reason != 0:
		p.failed(k.failure())
	}
	if begun(p.o.Message) && s.listens != nil {
		select {
		case <-s.listens:
		case <-time.After(listenWait):
		case <-p.ctx.Done():
		}
	}
	p.over()
}

// runOld is run for HTTP+SSE, the transport of 2024-11-05: all messages of the server
// arrive on one stream, which names the endpoint for messages (HTTP-055, HTTP-110). before
// is the reason to try HTTP+SSE, if there is one.
func (p *post) runOld(before error) {
	defer p.over()
	s, t := p.s, p.s.t
	if begins(p.o.Message) {
		ready := make(chan error, 1)
		t.runs.Go(func() { s.streamOld(p, ready) })
		var err error
		select {
		case err = <-ready:
		case <-p.ctx.Done():
			return
		}
		t.mu.Lock()
		s.old, t.old = err == nil, err == nil
		t.mu.Unlock()
		if err != nil {
			if before != nil { // which tells more
				t.opt.Log.Debug("HTTP+SSE failed too", "err", err)
				err = before
			}
			p.failed(err)
			return
		}
	}
	t.mu.Lock()
	endpoint := s.endpoint
	t.mu.Unlock()
	k := &talk{s: s, p: p, by: p, waits: p, ctx: p.ctx}
	for tries := 0; ; tries++ {
		err := k.postOld(endpoint, jsonrpc.Append(nil, p.o.Message))
		if err == nil || p.ctx.Err() != nil {
			return
		}
		var f exchange.Failure
		if !errors.As(err, &f) || !f.Temporary() || !begun(p.o.Message) || tries == maxAgainBegun {
			p.failed(err)
			return
		}
		pause(p.ctx, firstWait<<tries)
	}
}

// How often a message may be posted again, and the pause before the first repetition, which
// doubles each time.
const (
	maxAgain      = 2
	maxAgainBegun = 5 // of notifications/initialized
	firstWait     = 200 * time.Millisecond
)

// again reports whether a lost message is posted again automatically. A request is if the server
// reported, below HTTP, that it did nothing with it. Repeating other messages is harmless.
func (p *post) again(k *talk, tries int) bool {
	switch reason := k.lost(); {
	case reason == 0:
		return false
	case p.request():
		return reason == exchange.Rejected && tries < maxAgain
	case k.fatal != nil, k.gone != nil, !k.x.Failure().Temporary(), reason == exchange.SessionGone:
		return false
	}
	return !errors.Is(k.err, errIdle) && (tries < maxAgain || begun(p.o.Message) && tries < maxAgainBegun)
}

// failed reports that a message was lost. The error says how far it got. The message leaves the
// order before the report: a cancellation that follows is then sent at once, and before a following
// Close.
func (p *post) failed(err error) {
	p.s.t.mu.Lock()
	p.s.order = p.s.order.Ended(p.ticket)
	p.s.t.mu.Unlock()
	if !p.request() {
		p.s.t.opt.Log.Warn("message could not be sent", "method", p.o.Message.Method, "err", err)
		return
	}
	p.report(links.Arrival{Req: p.o.Req, Err: err})
}

// wrote records that the message was written to the server.
func (p *post) wrote() {
	p.s.t.mu.Lock()
	defer p.s.t.mu.Unlock()
	p.s.order = p.s.order.Sent(time.Now(), p.ticket)
	p.s.wait()
}

// accepted records that the server has accepted the message.
func (p *post) accepted(sessionID string) {
	s := p.s
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if sessionID != "" {
		s.of.ID = sessionID
	}
	select {
	case s.reached <- struct{}{}:
	default:
	}
	if begun(p.o.Message) && !s.old && !s.t.opt.NoListen && s.ctx.Err() == nil {
		s.listens = make(chan struct{})
		s.t.runs.Go(s.listen)
	} else {
		s.order = s.order.Accepted(p.ticket)
	}
	p.head = true
	p.o.Message.Body, p.o.Message.Err = "", nil // it is not posted again
	p.unquiet()
	s.pump()
}

// listenWait is how long requests wait until the GET stream is open. Some servers drop
// messages before that, and others open the stream with the first message.
const listenWait = 250 * time.Millisecond

func (p *post) unquiet() {
	if p.quiet {
		p.quiet = false
		p.s.quiet--
	}
}

// over records that the message has ended.
func (p *post) over() {
	s := p.s
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	p.end()
	s.order = s.order.Ended(p.ticket)
	p.unquiet()
	if s.ids[p.o.Message.ID] == p {
		delete(s.ids, p.o.Message.ID)
	}
	if s.calls[p.o.Req] == p { // not if the request is being repeated
		delete(s.calls, p.o.Req)
	} else if c := s.calls[p.o.Req]; c != nil && !p.request() {
		c.end() // this message cancelled it
	}
	s.pump()
}

// listen keeps the GET stream open, as long as the server offers one.
func (s *serverSession) listen() {
	open := sync.OnceFunc(func() { close(s.listens) })
	defer open()
	s.t.mu.Lock()
	k := &talk{s: s, ctx: s.ctx, x: exchange.Listen(s.t.opt.Exchange, s.of), headed: open}
	s.t.mu.Unlock()
	k.run()
	switch k.lost() {
	case 0, exchange.NotServed:
	case exchange.SessionGone:
		s.t.lose(s, nil, k.failure())
	default:
		s.t.opt.Log.Warn("the server has no stream for messages outside of calls", "err", k.failure())
	}
}

// delete tells the server that the session has ended, and ignores the answer.
func (s *serverSession) delete(ctx context.Context) {
	if s.of.ID == "" {
		return
	}
	ctx, end := context.WithTimeout(ctx, min(s.t.opt.HeaderTimeout, 5*time.Second))
	defer end()
	k := &talk{s: s, ctx: ctx}
	if !k.authorize() {
		return
	}
	if resp, err := k.do(ctx, headers.OpEnd.Method(), s.t.url, nil, headers.RequestFields(headers.OpEnd, s.of.ID, s.of.Revision, "")); err == nil {
		_ = resp.Body.Close()
	}
}
