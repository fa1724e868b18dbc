package main

import (
	"context"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/conformance/proxy"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol/headers"
)

// cutter is a proxy in front of the server that cuts exchanges as chaos says.
type cutter struct {
	*proxy.Proxy
	chaos chaos
	twice func(session string, id jsonrpc.ID) // called for answers that arrive twice; may be nil

	exchanges atomic.Int64
	cut       [fates]atomic.Int64
	mu        sync.Mutex
	answered  map[string]bool // by session and id
}

func newCutter(target string, seed uint64, c chaos, twice func(session string, id jsonrpc.ID)) (*cutter, error) {
	p := &cutter{chaos: c, twice: twice, answered: map[string]bool{}}
	var err error
	p.Proxy, err = proxy.New(proxy.Options{
		Target: target, KeepAlive: true,
		Serve: func(x *proxy.Exchange) { (&exchange{Exchange: x, cutter: p, link: x.Link.(*link)}).serve() },
		Accept: func(conn *net.TCPConn, n uint64) any {
			r := rand.New(rand.NewPCG(seed, n))
			l := &link{r, c.pace(r)}
			if l.pace.slow {
				proxy.Narrow(conn) // full early
			}
			return l
		},
	})
	return p, err
}

// cuts returns how many exchanges were cut.
func (p *cutter) cuts() (n int64) {
	for f := range p.cut {
		n += p.cut[f].Load()
	}
	return n
}

// link is what is drawn for one connection, whose exchanges are sequential.
type link struct {
	random *rand.Rand
	pace   pace
}

// exchange is one request and its answer.
type exchange struct {
	*proxy.Exchange
	cutter *cutter
	link   *link
	plan   plan
	left   int // bytes until the cut, once at the point of the plan; -1 before
}

// end cuts the exchange as its plan says.
func (x *exchange) end() {
	x.cutter.cut[x.plan.fate].Add(1)
	x.Cut(x.plan.reset)
}

// endIn cuts the exchange n bytes from here.
func (x *exchange) endIn(n int) {
	if x.left = n; n == 0 {
		x.end()
	}
}

func (x *exchange) serve() {
	x.cutter.exchanges.Add(1)
	x.plan, x.left, x.Slow = x.cutter.chaos.plan(x.link.random), -1, x.link.pace.slow
	ctx, cancel := context.WithCancel(x.Request.Context())
	defer cancel()
	x.pause(ctx)
	switch x.plan.fate {
	case unsent:
		x.end()
	case partly:
		x.plan.reset = false // with a reset the server would see nothing of it
		if x.SendPart(x.link.random.Float64()) == nil {
			x.end()
		}
	case late:
		defer time.AfterFunc(x.plan.pause, cancel).Stop()
	}
	resp, err := x.Send(ctx, x.Request.Method, x.Body)
	x.gone(ctx, err)
	defer func() { _ = resp.Body.Close() }()
	switch x.plan.fate {
	case unanswered:
		x.end()
	case headless:
		x.cutter.cut[headless].Add(1)
		x.HeadPart(resp, x.plan.bytes, x.plan.reset)
	}
	x.Head(resp)
	if x.plan.fate == afterHead {
		x.endIn(x.plan.bytes)
	}
	events := 0
	for piece, err := range proxy.Pieces(resp) {
		x.pause(ctx)
		x.give(ctx, piece)
		x.gone(ctx, err)
		x.note(piece)
		if x.plan.fate != afterEvent && x.plan.fate != stalled {
			continue
		}
		if _, ok := proxy.Field(piece, "id"); !ok {
			continue
		}
		switch events++; {
		case events != x.plan.events:
		case x.plan.pause == 0:
			x.endIn(x.plan.bytes)
		case x.plan.fate == stalled:
			wait(ctx, x.plan.pause)
			x.end()
		default: // whatever comes meanwhile goes through
			defer time.AfterFunc(x.plan.pause, cancel).Stop()
		}
	}
}

// gone ends the exchange if it has failed: by its plan, or because one side has disconnected.
func (x *exchange) gone(ctx context.Context, err error) {
	switch {
	case err == nil:
	case ctx.Err() != nil && x.Request.Context().Err() == nil:
		x.end()
	default:
		x.Cut(false)
	}
}

// give passes a piece on, up to its cut, if any.
func (x *exchange) give(ctx context.Context, b []byte) {
	if x.left >= 0 && x.left <= len(b) {
		x.Give(b[:x.left])
		x.end()
	}
	x.left = max(x.left-len(b), -1)
	for ; x.Slow && len(b) > 256; b = b[256:] {
		x.Give(b[:256])
		wait(ctx, 2*time.Millisecond)
	}
	x.Give(b)
}

// note records the answer in a piece that passed completely.
func (x *exchange) note(piece []byte) {
	session := x.Request.Header.Get(headers.Session)
	if data, ok := proxy.Field(piece, "data"); ok {
		piece = data
	}
	m := jsonrpc.Decode(piece)
	if x.cutter.twice == nil || session == "" || m.ID.IsZero() || m.Kind != jsonrpc.KindResult && m.Kind != jsonrpc.KindError {
		return
	}
	key := session + " " + m.ID.String()
	x.cutter.mu.Lock()
	defer x.cutter.mu.Unlock()
	if x.cutter.answered[key] {
		x.cutter.twice(session, m.ID)
	}
	x.cutter.answered[key] = true
}

// pause delays bytes on some connections.
func (x *exchange) pause(ctx context.Context) {
	if x.link.pace.delay {
		wait(ctx, time.Duration(x.link.random.IntN(4000))*time.Microsecond)
	}
}
