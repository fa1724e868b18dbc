package nethttp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Transport is the client's end of Streamable HTTP: a links.Transport. Each message is a
// request of its own on a goroutine of its own.
type Transport struct {
	url string
	opt Options
	hc  *http.Client
	own bool // the connection pool is ours
	// redirect is what the caller's http.Client says of redirects; nil if nothing.
	redirect func(*http.Request, []*http.Request) error
	h2       atomic.Bool // the server speaks HTTP/2
	tok      tokens

	ctx  context.Context
	end  context.CancelFunc
	runs sync.WaitGroup
	in   chan arrival

	mu      sync.Mutex
	s       *session      // nil if there is none
	old     bool          // the server is one of HTTP+SSE
	changed chan struct{} // closed and replaced when who waits to send may look again; nil if nobody waits
	closed  bool
}

// arrival is what Receive returns, if it belongs to the session of that time.
type arrival struct {
	of *session
	a  links.Arrival
	// gone says that the session is.
	gone error
}

var _ links.Transport = (*Transport)(nil)

// New returns a Transport to the server of a url, which is http or https. It says nothing
// before the first Send. It has to be closed. Errors: a url that is none, a *lifecycle.ConfigError.
func New(server string, opt Options) (*Transport, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(server)
	switch {
	case err != nil:
		var bad *url.Error
		if errors.As(err, &bad) { // its text has all of the url, and a password with it
			err = bad.Err
		}
		return nil, fmt.Errorf("nethttp: the url cannot be read: %w", err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("nethttp: %s is no http url", u.Redacted())
	}
	u.Fragment = ""
	t := &Transport{url: u.String(), opt: opt, in: make(chan arrival)}
	t.hc, t.redirect, t.own = newClient(opt.Client)
	t.tok = tokens{ask: opt.Token, safe: opt.InsecureToken || u.Scheme == "https" || loopback(u.Hostname()), turn: make(chan struct{}, 1)}
	t.ctx, t.end = context.WithCancel(context.Background())
	return t, nil
}

// Send implements links.Transport: the message is posted as soon as what has to come before
// it was taken by the server. It waits while too many notifications and answers are on
// their way.
func (t *Transport) Send(ctx context.Context, o client.Outgoing, rev protocol.Revision) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		switch {
		case t.closed:
			return ErrClosed
		case ctx.Err() != nil:
			return lifecycle.Unsent(context.Cause(ctx))
		case begins(o.Message):
			if t.s != nil {
				t.s.end()
			}
			t.s = t.newSession()
		case t.s == nil:
			return lifecycle.Unsent(links.ErrSessionGone)
		case t.s.busy() >= t.opt.MaxPosts && o.Message.Kind != jsonrpc.KindRequest:
			t.wait(ctx)
			continue
		}
		t.s.of.Revision = rev
		t.s.order = t.s.order.Add(o)
		t.s.pump()
		return nil
	}
}

// begins reports whether a message opens a session.
func begins(m jsonrpc.Message) bool { return m.Kind == jsonrpc.KindRequest && protocol.Opens(m.Method) }

// begun reports whether a message says that a session is open.
func begun(m jsonrpc.Message) bool {
	return m.Kind == jsonrpc.KindNotification && protocol.Opens(m.Method)
}

// wait waits for a change, or the end of ctx, without the lock.
func (t *Transport) wait(ctx context.Context) {
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	changed := t.changed
	t.mu.Unlock()
	select {
	case <-changed:
	case <-ctx.Done():
	}
	t.mu.Lock()
}

func (t *Transport) change() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// Receive implements links.Transport.
func (t *Transport) Receive(ctx context.Context) (links.Arrival, error) {
	for {
		select {
		case next := <-t.in:
			if next.gone != nil {
				return links.Arrival{}, next.gone
			}
			t.mu.Lock()
			current := next.of == t.s
			t.mu.Unlock()
			if current {
				return next.a, nil
			}
		case <-ctx.Done():
			return links.Arrival{}, context.Cause(ctx)
		case <-t.ctx.Done():
			return links.Arrival{}, ErrClosed
		}
	}
}

// deliver hands something to Receive, unless ctx ends before.
func (t *Transport) deliver(ctx context.Context, a arrival) {
	select {
	case t.in <- a:
	case <-ctx.Done():
	}
}

// lose ends a session that the server has ended, once. p is the message that it was found out with,
// nil for none. The others that are on their way have a moment to find it out too: those did not
// begin.
func (t *Transport) lose(s *session, p *post, cause error) {
	t.mu.Lock()
	if p != nil && lifecycle.DeliveryOf(cause).Repeatable() {
		p.head = true
		if p.o.Message.Kind == jsonrpc.KindRequest {
			s.refused = append(s.refused, p.o.Req)
		}
	}
	t.change()
	if t.s != s || s.lost {
		t.mu.Unlock()
		return
	}
	s.lost = true
	within, stop := context.WithTimeout(s.ctx, linger)
	for t.s == s && s.open() && within.Err() == nil {
		t.wait(within)
	}
	stop()
	current := t.s == s
	gone := &links.SessionGone{Err: cause}
	if current {
		t.s = nil
		gone.NotBegun = s.notBegun()
		t.change()
	}
	s.end()
	t.mu.Unlock()
	if current {
		t.deliver(t.ctx, arrival{gone: gone})
	}
}

// Close implements links.Transport: notifications and answers that are on their way have
// until the end of ctx, or HeaderTimeout; then all else is cut, and the session ended by
// DELETE (HTTP-048). It returns when nothing runs any more.
func (t *Transport) Close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	s := t.s
	t.s = nil
	t.change()
	if s != nil {
		within, stop := context.WithTimeout(ctx, t.opt.HeaderTimeout)
		for s.busy() > 0 && within.Err() == nil {
			t.wait(within)
		}
		stop()
		s.end() // with the lock: nothing begins after it
	}
	t.mu.Unlock()
	if s != nil {
		s.delete(ctx)
	}
	t.end()
	t.runs.Wait()
	if t.own {
		t.hc.CloseIdleConnections()
	}
	return nil
}

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
