package remote

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/exchange"
	"github.com/sansmcp/mcp/client/internal/waits"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
)

// transport is a links.Transport. Each message is a request of its own, on a goroutine that does nothing else meanwhile.
type transport struct {
	url   string
	blank *http.Request // to url; those that are made begin as its copies
	opt   Options
	hc    *http.Client
	own   bool // the connection pool is ours
	// redirect is what the caller's http.Client says of redirects; nil if nothing.
	redirect func(*http.Request, []*http.Request) error
	h2       atomic.Bool  // the server speaks HTTP/2
	auth     Authorizer   // nil for no tokens
	safe     bool         // a token may go out
	taken    atomic.Value // oauth.Secret: the last token that the server took
	nonce    atomic.Value // string: the last nonce of the server

	ctx  context.Context
	end  context.CancelFunc
	runs sync.WaitGroup
	in   chan arrival

	readers sync.Pool // of *reader

	mu      sync.Mutex
	s       *serverSession             // nil if there is none
	asked   *serverSession             // the probe before s, which may be answered while initialize is on its way; nil if none
	old     bool                       // the server is one of HTTP+SSE
	changed waits.Change               // who waits may look again
	learned map[string][]headers.Param // by tool, the arguments that headers repeat
	closed  bool
	workers workers
}

// arrival is what Receive returns, if it belongs to the session of that time.
type arrival struct {
	of *serverSession
	a  links.Arrival
	// gone says that the session is.
	gone error
}

// serverSession is one session with the server. The lock of the Transport is held for all but
// the context.
type serverSession struct {
	t   *transport
	ctx context.Context
	end context.CancelFunc

	order exchange.Order
	of    exchange.Session
	quiet int // notifications and answers that the server has not answered
	calls map[client.Req]*post
	ids   map[jsonrpc.ID]*post
	timer *time.Timer // for the order

	listens chan struct{} // closed when the stream of the server is open, or is not going to be
	reached chan struct{} // has one if the server took a message since the last GET

	lost     bool         // the server does not know it any more, and nothing more is posted
	refused  []client.Req // for that
	single   bool         // the newest request is of no session
	old      bool         // HTTP+SSE
	endpoint string       // where its messages are posted
}

// workers are the goroutines that carry messages out. The lock of the Transport is held for idle, and for
// what is put into hand.
type workers struct {
	hand chan runner // to goroutines that wait
	idle int         // how many wait and are promised nothing
}

// runner is what a worker carries out: a post.
type runner interface{ run() }

// post is a message on its way, and the answer to it.
type post struct {
	s      *serverSession
	o      client.Outgoing
	ticket exchange.Ticket
	ctx    context.Context
	end    context.CancelFunc
	quiet  bool // it is counted in session.quiet
	head   bool // the server has taken it, or refused it as it does not know the session
	single bool // it belongs to no session: the end of its connection withdraws it
	asks   bool // it waits for a token
}

// request reports whether p is a message that the server answers; nil is none.
func (p *post) request() bool { return p != nil && p.o.Message.Kind == jsonrpc.KindRequest }

// talk carries out an exchange.
type talk struct {
	s *serverSession
	p *post // nil for the stream of the server
	// waits is the message that waits while a token is asked for; nil for none.
	waits *post
	by    sender // it is told what becomes of p
	ctx   context.Context
	x     exchange.Exchange
	// headed, if it is set, is called when the server has answered.
	headed func()

	token oauth.Token // of the last request
	trace httptrace.ClientTrace
	wrote atomic.Bool // the last request was written, or partly so
	taken bool        // the server has the message
	err   error       // of the last connection
	fatal error       // of the Authorizer
	gone  error       // nobody listens any more: Options.RefusedEnds
}

// sender is told what becomes of a message.
type sender interface {
	wrote()             // it was written to the server
	accepted(id string) // the server has taken it, and told the id of the session, or ""
}

// begins reports whether a message opens a session.
func begins(m jsonrpc.Message) bool { return m.Kind == jsonrpc.KindRequest && protocol.Opens(m.Method) }

// single reports whether a message belongs to no session.
func single(m jsonrpc.Message) bool {
	rev, ok := protocol.ParseRevision(protocol.MetaOf(m.Body, m.Span).Version())
	return ok && rev.Stateless()
}

// begun reports whether a message says that a session is open.
func begun(m jsonrpc.Message) bool {
	return m.Kind == jsonrpc.KindNotification && protocol.Opens(m.Method)
}

// deliver hands something to Receive, unless ctx ends before.
func (t *transport) deliver(ctx context.Context, a arrival) {
	select {
	case t.in <- a:
	case <-ctx.Done():
	}
}

// report hands on what is to be known of the message.
func (p *post) report(a links.Arrival) { p.s.t.deliver(p.ctx, arrival{of: p.s, a: a}) }

// lose ends a session that the server has ended, once. p is the message that it was found out with,
// nil for none. The others that are on their way have a moment to find it out too: those did not
// begin.
func (t *transport) lose(s *serverSession, p *post, cause error) {
	t.mu.Lock()
	if p != nil && lifecycle.DeliveryOf(cause).Repeatable() {
		p.head = true
		if p.request() {
			s.refused = append(s.refused, p.o.Req)
		}
	}
	t.changed.Wake()
	if t.s != s || s.lost {
		t.mu.Unlock()
		return
	}
	s.lost = true
	within, stop := context.WithTimeout(s.ctx, linger)
	for t.s == s && s.open() && within.Err() == nil {
		t.changed.Wait(within, &t.mu)
	}
	stop()
	current := t.s == s
	gone := &links.SessionGone{Err: cause}
	if current {
		t.s = nil
		gone.NotBegun = s.notBegun()
		t.changed.Wake()
	}
	s.end()
	t.mu.Unlock()
	if current {
		t.deliver(t.ctx, arrival{gone: gone})
	}
}

// linger is how long the end of a stream is waited for that has brought its answer: it is
// likely at hand, and the connection is of use then.
const linger = 100 * time.Millisecond

// busy returns how many messages nobody waits for but who sends.
func (s *serverSession) busy() int { return s.quiet + s.order.Waiting() }

// open reports whether there are calls that the server may still answer with 404, with the lock held.
func (s *serverSession) open() bool {
	for _, p := range s.calls {
		if !p.head {
			return true
		}
	}
	return false
}

// notBegun returns the requests that did not begin: those that were not posted, and those that the
// server refused since it does not know the session.
func (s *serverSession) notBegun() (list []client.Req) {
	for o := range s.order.Unposted() {
		if o.Message.Kind == jsonrpc.KindRequest {
			list = append(list, o.Req)
		}
	}
	list = append(list, s.refused...)
	slices.SortFunc(list, func(a, b client.Req) int { return cmp.Compare(a.Seq(), b.Seq()) })
	return list
}

// answered ends what waits for an answer that has come elsewhere.
func (s *serverSession) answered(id jsonrpc.ID, by *post) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if p := s.ids[id]; p != nil && p != by {
		p.end()
	}
}

// Error is why a message was lost.
type lostError struct {
	// Failure is what became of it.
	Failure exchange.Failure
	// Err is the error behind it, where there is one: of a connection, or of the Authorizer.
	Err error
}

// Error implements error.
func (e *lostError) Error() string {
	if e.Err != nil {
		return e.Failure.Error() + ": " + e.Err.Error()
	}
	return e.Failure.Error()
}

// Unwrap returns the errors behind e.
func (e *lostError) Unwrap() []error {
	list := []error{e.Failure}
	if e.Err != nil {
		list = append(list, e.Err)
	}
	return list
}

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
