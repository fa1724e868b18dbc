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

// transport is a links.Transport. Each message is a separate request, on a goroutine that does nothing else
// until it ends.
type transport struct {
	url   string
	blank *http.Request // to url; requests begin as copies of it
	opt   Options
	hc    *http.Client
	own   bool // the connection pool of hc is this transport's
	// pool sends the POSTs of hc; nil if hc has to.
	pool *http.Transport
	// redirect is the CheckRedirect of the caller's http.Client; nil if it has none.
	redirect func(*http.Request, []*http.Request) error
	h2       atomic.Bool  // the server speaks HTTP/2
	auth     Authorizer   // nil if there are no tokens
	safe     bool         // tokens may be sent
	taken    atomic.Value // oauth.Secret: the last token that the server accepted
	nonce    atomic.Value // string: the server's last nonce

	ctx  context.Context
	end  context.CancelFunc
	runs sync.WaitGroup
	in   chan arrival
	take func(of any, a links.Arrival) bool // of Direct; nil for none
	last chan struct{}                      // arrival.handled of the last result of Receive

	readers sync.Pool // of *reader

	mu      sync.Mutex
	s       *serverSession             // nil if no session is open
	asked   *serverSession             // the probe before s, which the server may still answer after initialize; nil if none
	old     bool                       // the server uses HTTP+SSE
	changed waits.Change               // wakes waiters to check again
	learned map[string][]headers.Param // by tool, the arguments that headers repeat
	closed  bool
	workers workers
}

// arrival is a result of Receive, valid if its session is still current.
type arrival struct {
	of *serverSession
	a  links.Arrival
	// gone is the reason that the session has ended.
	gone error
	// handled is closed once the caller of Receive has handled a.
	handled chan struct{}
}

// serverSession is one session with the server. The lock of the Transport guards all fields
// except the context.
type serverSession struct {
	t   *transport
	ctx context.Context
	end context.CancelFunc

	order exchange.Order
	of    exchange.Session
	quiet int // notifications and answers in flight
	calls map[client.Req]*post
	ids   map[jsonrpc.ID]*post
	timer *time.Timer // for the order
	due   time.Time   // when timer calls pump; zero if never

	listens chan struct{} // closed when the GET stream is open, or will not be
	reached chan struct{} // has a value if the server accepted a message since the last GET

	lost     bool         // the server no longer knows the session; nothing more is posted
	refused  []client.Req // requests refused for that reason
	single   bool         // the newest request belongs to no session
	old      bool         // HTTP+SSE
	endpoint string       // the url that messages are posted to
}

// workers are the goroutines that send messages. The lock of the Transport guards all fields and sends to
// hand.
type workers struct {
	hand  chan runner // to waiting goroutines; nil ends one
	idle  int         // how many wait without a promised post
	least int         // of idle since the timer was set
	timer *time.Timer // calls retire; nil if none has waited yet
	timed bool
}

// runner is what a worker runs: a post.
type runner interface{ run() }

// post is a message in flight, and its answer.
type post struct {
	s      *serverSession
	o      client.Outgoing
	ticket exchange.Ticket
	ctx    context.Context
	end    context.CancelFunc
	quiet  bool // counted in session.quiet
	head   bool // the server has accepted it, or refused it because it does not know the session
	single bool // belongs to no session: closing its connection cancels it
	asks   bool // waits for a token
}

// request reports whether p is a request; false for nil.
func (p *post) request() bool { return p != nil && p.o.Message.Kind == jsonrpc.KindRequest }

// talk runs an exchange.
type talk struct {
	s *serverSession
	p *post // nil for the GET stream
	// waits is the message that waits while a token is requested; nil for none.
	waits *post
	by    sender // informed of the progress of p
	ctx   context.Context
	x     exchange.Exchange
	// headed, if set, is called when the server has answered.
	headed func()

	token oauth.Token // of the last request
	trace httptrace.ClientTrace
	wrote atomic.Bool // the last request was written, at least partly
	taken bool        // the server has accepted the message
	err   error       // of the last connection
	fatal error       // of the Authorizer
	gone  error       // no server listens: Options.RefusedEnds
}

// sender is informed of the progress of a message.
type sender interface {
	wrote()             // it was written to the server
	accepted(id string) // the server has accepted it; id is the id of the session, or ""
}

// begins reports whether a message opens a session.
func begins(m jsonrpc.Message) bool { return m.Kind == jsonrpc.KindRequest && protocol.Opens(m.Method) }

// single reports whether a message belongs to no session.
func single(m jsonrpc.Message) bool {
	rev, ok := protocol.ParseRevision(protocol.MetaOf(m.Body, m.Span).Version())
	return ok && rev.Stateless()
}

// begun reports whether a message is notifications/initialized.
func begun(m jsonrpc.Message) bool {
	return m.Kind == jsonrpc.KindNotification && protocol.Opens(m.Method)
}

// deliver passes an arrival to the function of Direct, or to Receive, unless ctx ends first. The arrivals of a
// goroutine stay in order: if Receive gets one, deliver returns when it was handled.
func (t *transport) deliver(ctx context.Context, a arrival) {
	if t.take != nil && a.gone == nil {
		if t.take(a.of, a.a) {
			return
		}
		a.handled = make(chan struct{})
	}
	select {
	case t.in <- a:
	case <-ctx.Done():
		return
	}
	if a.handled == nil {
		return
	}
	select {
	case <-a.handled:
	case <-ctx.Done():
	}
}

// report passes on a report about the message.
func (p *post) report(a links.Arrival) { p.s.t.deliver(p.ctx, arrival{of: p.s, a: a}) }

// lose ends a session that the server has ended, once. p is the message that revealed it, nil for
// none. Other messages in flight get a moment to be refused too: these did not begin.
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

// linger is how long to wait for the end of a stream that has brought its answer. The end
// is probably near, and the connection can be reused after it.
const linger = 100 * time.Millisecond

// busy returns how many messages no request waits for.
func (s *serverSession) busy() int { return s.quiet + s.order.Waiting() }

// open reports whether calls are left that the server may still answer with 404, with the lock held.
func (s *serverSession) open() bool {
	for _, p := range s.calls {
		if !p.head {
			return true
		}
	}
	return false
}

// notBegun returns the requests that did not begin: those not posted, and those that the server
// refused because it does not know the session.
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

// answered ends the post whose answer has arrived elsewhere.
func (s *serverSession) answered(id jsonrpc.ID, by *post) {
	s.t.mu.Lock()
	defer s.t.mu.Unlock()
	if p := s.ids[id]; p != nil && p != by {
		p.end()
	}
}

// lostError is why a message was lost.
type lostError struct {
	// Failure is what happened to it.
	Failure exchange.Failure
	// Err is the underlying error of the connection or the Authorizer, if any.
	Err error
}

// Error implements error.
func (e *lostError) Error() string {
	if e.Err != nil {
		return e.Failure.Error() + ": " + e.Err.Error()
	}
	return e.Failure.Error()
}

// Unwrap returns Failure and Err.
func (e *lostError) Unwrap() []error {
	list := []error{e.Failure}
	if e.Err != nil {
		list = append(list, e.Err)
	}
	return list
}

// pause waits for d, or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
