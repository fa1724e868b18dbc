package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// New returns the client's end of Streamable HTTP: a Transport to the server of an http or https url. It
// sends nothing before the first Send. The caller must close it. Errors: an invalid url, a
// *lifecycle.ConfigError.
func New(server string, opt Options) (links.Transport, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(server)
	switch {
	case err != nil:
		return nil, unreadable(err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("remote: %s: want a url with http or https and a host", u.Redacted())
	}
	u.Fragment = ""
	t := &transport{url: u.String(), opt: opt, in: make(chan arrival), learned: map[string][]headers.Param{}}
	if t.blank, err = http.NewRequest(http.MethodPost, t.url, nil); err != nil {
		return nil, unreadable(err)
	}
	t.workers.hand = make(chan runner, promises)
	t.hc, t.redirect, t.own = newClient(opt.Client)
	if t.hc.Jar == nil && u.User == nil {
		t.pool, _ = t.hc.Transport.(*http.Transport)
	}
	t.ctx, t.end = context.WithCancel(context.Background())
	t.safe = opt.InsecureToken || u.Scheme == "https" || headers.Loopback(u.Hostname())
	if t.auth = opt.Auth; opt.Token != nil {
		t.auth = &tokens{ask: opt.Token, ctx: t.ctx, start: t.runs.Go}
	}
	return t, nil
}

// unreadable returns the error of a url that cannot be parsed.
func unreadable(err error) error {
	var bad *url.Error
	if errors.As(err, &bad) { // its text has the whole url, with any password
		err = bad.Err
	}
	return fmt.Errorf("remote: the url cannot be read: %w", err)
}

// Send implements links.Transport: the message is posted as soon as the server has accepted
// the messages that must precede it. Send waits while too many notifications and answers
// are in flight.
func (t *transport) Send(ctx context.Context, o client.Outgoing, rev protocol.Revision) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		switch {
		case t.closed:
			return errClosed
		case ctx.Err() != nil:
			return lifecycle.Unsent(context.Cause(ctx))
		case begins(o.Message), t.s == nil && single(o.Message):
			t.follow()
			t.s = t.newSession()
		case t.s == nil:
			return lifecycle.Unsent(links.ErrSessionGone)
		case t.s.busy() >= t.opt.MaxPosts && o.Message.Kind != jsonrpc.KindRequest:
			t.changed.Wait(ctx, &t.mu)
			continue
		}
		if !begins(o.Message) {
			t.dropProbe()
		}
		if !t.s.unasks(o) {
			t.s.add(o, rev)
		}
		return nil
	}
}

// TrySend is Send for a request of an open session, which never waits.
func (t *transport) TrySend(o client.Outgoing, rev protocol.Revision) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.s == nil || o.Message.Kind != jsonrpc.KindRequest || begins(o.Message) {
		return false
	}
	t.dropProbe()
	t.s.add(o, rev)
	return true
}

// add posts a message as soon as the Order lets it, with the lock held.
func (s *serverSession) add(o client.Outgoing, rev protocol.Revision) {
	s.of.Revision = rev
	s.order = s.order.Add(o)
	s.pump()
}

// follow ends the session before another one, with the lock held. A probe without answer continues: a server
// without sessions that was slow to start may still answer it, and refuse initialize (client.State).
func (t *transport) follow() {
	t.dropProbe()
	if t.s == nil {
		return
	}
	for _, p := range t.s.calls { // the only call without a session before initialize is the probe
		if p.single {
			t.asked = t.s
			return
		}
	}
	t.s.end()
}

// dropProbe ends a probe whose answer is no longer needed, with the lock held.
func (t *transport) dropProbe() {
	if t.asked != nil {
		t.asked.end()
		t.asked = nil
	}
}

// unasks ends a cancelled request that waits for a token, with the lock held: the server has not received it,
// or has refused it, so the cancellation is not sent either.
func (s *serverSession) unasks(o client.Outgoing) bool {
	if o.Message.Kind != jsonrpc.KindNotification || !protocol.Withdraws(o.Message.Method) {
		return false
	}
	call := s.calls[o.Req]
	if call == nil || !call.asks || call.head {
		return false
	}
	call.end()
	return true
}

// Receive implements links.Transport.
func (t *transport) Receive(ctx context.Context) (links.Arrival, error) {
	if t.last != nil { // the caller has handled it
		close(t.last)
		t.last = nil
	}
	for {
		select {
		case next := <-t.in:
			if next.gone != nil {
				return links.Arrival{}, next.gone
			}
			if t.Current(next.of) {
				t.last = next.handled
				return next.a, nil
			}
			if next.handled != nil {
				close(next.handled)
			}
		case <-ctx.Done():
			return links.Arrival{}, context.Cause(ctx)
		case <-t.ctx.Done():
			return links.Arrival{}, errClosed
		}
	}
}

// Current reports whether arrivals of a session are still wanted.
func (t *transport) Current(of any) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, _ := of.(*serverSession)
	return s == t.s || s == t.asked
}

// Direct makes take get most arrivals, and Receive the rest; see client/session. It is called before the
// first Send.
func (t *transport) Direct(take func(of any, a links.Arrival) bool) { t.take = take }

// Close implements links.Transport: notifications and answers in flight have until the
// end of ctx, or HeaderTimeout; then everything else is cut, and a DELETE ends the
// session (HTTP-048). Close returns when all its goroutines have ended.
func (t *transport) Close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	s := t.s
	t.s = nil
	t.changed.Wake()
	if s != nil {
		within, stop := context.WithTimeout(ctx, t.opt.HeaderTimeout)
		for s.busy() > 0 && within.Err() == nil {
			t.changed.Wait(within, &t.mu)
		}
		stop()
		s.end() // under the lock, so that nothing begins after it
	}
	t.mu.Unlock()
	if s != nil {
		s.delete(ctx)
	}
	t.end()
	t.dismiss()
	t.runs.Wait()
	if t.own {
		t.hc.CloseIdleConnections()
	}
	return nil
}
