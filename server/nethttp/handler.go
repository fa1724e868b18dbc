package nethttp

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/streams"
)

// Handler serves MCP over Streamable HTTP: an http.Handler for one path. NewHandler makes
// one; Close ends it.
type Handler struct {
	opt      Options
	alone    bool          // nobody else has the Store
	cfg      server.Config // as it was given, with a HashKey
	app      atomic.Pointer[app]
	rules    headers.Rules
	metadata *metadata
	decoder  jsonrpc.Decoder
	empty    streams.Streams
	single   streams.Streams
	pool     sync.Pool // of conns
	work     *host.Work
	pressed  chan struct{}             // calls wait that others have to give way to
	recover  func(v any, stack []byte) // nil: a panic ends the program

	stripes   [stripes]stripe
	due       *schedule
	turns     atomic.Uint64 // the last by of a Record; the first is random
	conns     atomic.Int64  // responses under way
	tally     tally         // those of each owner
	most      int           // calls that Companions may have open
	reading   atomic.Int64  // bytes of bodies
	writing   writing
	shrinking sync.Mutex
	draining  atomic.Bool
	open      sync.Once       // told that any Host is accepted
	ctx       context.Context // until Close
	cancel    context.CancelFunc
	wg        sync.WaitGroup
}

// app is what the server offers at the moment.
type app struct {
	cfg      server.Config
	handlers *server.Handlers
	fresh    server.State // of which sessions are made

	ready  map[protocol.Revision]server.State // of which stateless answers are made, by revision
	newest protocol.Revision                  // of these
}

// NewHandler returns a Handler that answers with the functions of h. Catalog, Serve and
// HashKey of cfg are filled in where they are empty. Errors: those of server.New and of
// Handlers.Catalog, a negative option, bad Metadata.
//
// It runs one goroutine until Close, for what is due.
func NewHandler(cfg server.Config, h *server.Handlers, opt Options) (*Handler, error) {
	alone := opt.Store == nil
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	d := &Handler{
		opt: opt, alone: alone, decoder: jsonrpc.Decoder{MaxBytes: opt.MaxBody},
		empty: streams.New(opt.Streams), single: streams.NewSingle(opt.Streams), due: newSchedule(),
		rules: headers.Rules{
			Hosts: opt.Hosts, Origins: opt.Origins, AnyHost: opt.AnyHost, AnyOrigin: opt.AnyOrigin,
			Revisions: cfg.Revisions, NoListen: opt.Streams.MaxListeners < 0 || opt.Stateless, NoEnd: opt.Stateless, NoSession: opt.Stateless,
		},
	}
	d.turns.Store(rand.Uint64())
	if d.metadata, err = newMetadata(opt.Metadata); err != nil {
		return nil, err
	}
	if cfg.HashKey == [16]byte{} {
		if _, shared := opt.Store.(*Shared); shared {
			return nil, errors.New("nethttp: Handlers that share sessions need a Config.HashKey in common")
		}
		filled, err := host.Config(cfg, h)
		if err != nil {
			return nil, err
		}
		cfg.HashKey = filled.HashKey
	}
	d.cfg = cfg
	a, err := newApp(cfg, h, !opt.Stateless)
	if err != nil {
		return nil, err
	}
	d.app.Store(a)
	work := opt.Work
	if opt.Recover && work.Recover == nil {
		work.Recover = func(v any, stack []byte) {
			opt.Log.Error("nethttp: a function panicked", "panic", v, "stack", string(stack))
		}
	}
	d.pressed = make(chan struct{}, 1)
	work.Pressed = d.press
	d.work, d.recover, d.most = host.NewWork(work), work.Recover, mostCalls(work)
	if s, ok := opt.Store.(*Shared); ok {
		if err := s.bind(d); err != nil {
			return nil, err
		}
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.wg.Add(1)
	go d.clock()
	return d, nil
}

func newApp(cfg server.Config, handlers *server.Handlers, sessions bool) (*app, error) {
	if !sessions {
		cfg = stateless(cfg)
	}
	cfg, err := host.Config(cfg, handlers)
	if err != nil {
		return nil, err
	}
	fresh, err := server.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	a := &app{cfg: cfg, handlers: handlers, fresh: fresh}
	if !sessions {
		if err := a.prepare(time.Now()); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Config returns the Config of the sessions at the moment, filled in: what RestoreRecord
// takes.
func (h *Handler) Config() server.Config { return h.app.Load().cfg }

// ServeHTTP answers one request: POST, GET or DELETE of the MCP endpoint, or of the metadata
// if there are any.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.metadata != nil && isMetadata(r) {
		h.serveMetadata(w, r)
		return
	}
	x := &exchange{h: h, w: w, r: r, rc: *http.NewResponseController(w)}
	x.reading()
	n := h.conns.Add(1)
	defer func() { // also if a hook of the application panics
		x.uncount()
		h.conns.Add(-1)
		// For the next request on the connection, which may be for another handler. All that
		// was written is out.
		_ = x.rc.SetWriteDeadline(time.Time{})
		x.hasRead()
	}()
	if h.ctx.Err() != nil || n > int64(h.opt.MaxConnections) {
		x.refuse(x.h.busy())
		return
	}
	x.serve()
}

// exchange is one HTTP request and its response.
type exchange struct {
	h        *Handler
	w        http.ResponseWriter
	r        *http.Request
	rc       http.ResponseController
	head     headers.Head
	who      Principal
	ctx      context.Context // of its turns: it has the values of the request and does not end with it
	legacy   bool            // HTTP+SSE of 2024-11-05
	bodyOpen bool            // the body is not read to its end
	whole    bool            // the answer is JSON, however long it takes

	counts  bool // the response counts for its owner
	counted party
}

// reading gives the body of a POST ReadTimeout to arrive, also where nobody reads it: then
// net/http does, before it writes the response. A body of another method is left where it is.
func (x *exchange) reading() {
	if x.r.ContentLength == 0 {
		return
	}
	if x.r.Method != http.MethodPost {
		// Nobody wants it, and it may never come. HTTP/1 would wait for it before the response.
		if x.r.ProtoMajor == 1 {
			x.w.Header().Set("Connection", "close")
		}
		return
	}
	_ = x.rc.SetReadDeadline(time.Now().Add(x.h.opt.ReadTimeout))
	x.bodyOpen = true
}

// hasRead says that the body was read.
func (x *exchange) hasRead() {
	if x.bodyOpen {
		_ = x.rc.SetReadDeadline(time.Time{})
		x.bodyOpen = false
	}
}

// deadline gives the client WriteTimeout for what is written next.
func (x *exchange) deadline() {
	d := x.h.opt.WriteTimeout
	if x.bodyOpen {
		d += x.h.opt.ReadTimeout
	}
	_ = x.rc.SetWriteDeadline(time.Now().Add(d))
}

func (x *exchange) serve() {
	h, r := x.h, x.r
	ctx := &origin{values: r.Context()}
	x.ctx = ctx
	x.head = headers.Read(r.Method, r.Host, r.Header.Values)
	rules := h.rules
	rules.Local = local(r)
	if bad := rules.Guard(x.head); bad != nil {
		h.opt.Log.Warn("nethttp: a request was refused for its Host or Origin", "host", cut64(x.head.Host), "origin", cut64(x.head.Origin), "site", cut64(x.head.FetchSite))
		x.refuse(bad)
		return
	}
	if !rules.Local && !rules.AnyHost && len(rules.Hosts) == 0 {
		h.open.Do(func() {
			h.opt.Log.Warn("nethttp: any Host is accepted on connections from other machines; set Options.Hosts")
		})
	}
	if x.cors(rules) {
		return
	}
	if h.opt.Authenticate != nil { // before anything is done for the request (AUTH-051)
		who, err := h.authenticate(r)
		if errors.Is(err, errPanic) {
			x.refuse(broken())
			return
		}
		if err != nil {
			x.unauthorized(err)
			return
		}
		x.who, ctx.who, ctx.known = who, who, true
	}
	if !x.count() {
		x.refuse(x.h.busy())
		return
	}
	if h.opt.LegacySSE && x.serveLegacy(rules) {
		return
	}
	op, bad := rules.Admit(x.head)
	if bad != nil {
		x.refuse(bad)
		return
	}
	x.whole = op == headers.OpPost && (!headers.Accepts(x.head.Accept, headers.EventStream) || !flushes(x.w))
	switch op {
	case headers.OpPost:
		x.post(rules)
	case headers.OpListen:
		x.listen(false)
	case headers.OpResume:
		x.listen(true)
	case headers.OpEnd:
		x.delete()
	}
}

// local reports whether the connection arrived on a loopback address.
func local(r *http.Request) bool {
	a, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && headers.Loopback(a.IP.String())
}

// cut64 bounds a text of a peer for the log.
func cut64(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// turn makes a turn of the session that the request names. The Store is asked for no id that no
// Handler ever gave: what stands in it may be a path, or a query.
func (x *exchange) turn(id string, f func(*turn) error) error {
	if !given(id) {
		return ErrNoSession
	}
	return x.h.turn(x.ctx, id, f)
}

// checkOwner reports whether the session goes on, belongs to who sent the request, and is one of
// its transport.
func (x *exchange) checkOwner(t *turn) error {
	if t.over || t.legacy != x.legacy || x.h.opt.Authenticate != nil && t.Principal != x.who.ID {
		return errForeign
	}
	return nil
}

// errForeign is ErrNoSession for somebody else.
var errForeign = errors.New("nethttp: the session of another principal, or one that is over")

// failed answers for a turn that was not made.
func (x *exchange) failed(err error) {
	switch {
	case errors.Is(err, ErrNoSession), errors.Is(err, errForeign), errors.Is(err, lifecycle.ErrPhase):
		x.refuse(headers.NoSession())
	case errors.Is(err, errFull):
		x.refuse(x.h.busy())
	case errors.Is(err, errPanic):
		x.refuse(broken())
	default:
		x.h.opt.Log.Error("nethttp: the store failed", "err", err)
		x.refuse(lost())
	}
}

// delete ends a session (HTTP-048).
func (x *exchange) delete() {
	err := x.turn(x.head.Session, func(t *turn) error {
		if err := x.checkOwner(t); err != nil {
			return err
		}
		t.end(errDeleted)
		return nil
	})
	if err != nil {
		x.failed(err)
		return
	}
	x.deadline()
	x.w.WriteHeader(http.StatusNoContent)
	_ = x.rc.Flush()
}

// The causes of an end.
var (
	errDeleted  = errors.New("nethttp: the client ended the session")
	errIdle     = errors.New("nethttp: the session was idle")
	errShutdown = errors.New("nethttp: the server ends")
	errSlow     = errors.New("nethttp: too much was being written")
)
