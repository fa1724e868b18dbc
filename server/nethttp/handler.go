package nethttp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/streams"
)

// NewHandler returns a Handler that answers with the functions of h. Empty fields Catalog, Serve and
// HashKey of cfg are filled in. Errors: those of server.New and of Handlers.Catalog, a negative
// option, LegacySSE without a revision that has sessions, invalid Metadata.
//
// It runs one goroutine until Close, for deadlines.
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
	d.modern = len(statelessOf(cfg.Revisions)) > 0
	if d.only = d.modern && !slices.ContainsFunc(cfg.Revisions, protocol.Revision.Handshake); d.only { // HTTP-210
		d.rules.NoListen, d.rules.NoEnd, d.rules.NoSession = true, true, true
		if opt.LegacySSE {
			return nil, &lifecycle.ConfigError{Package: "nethttp", Field: "LegacySSE", Value: "true", Why: "want false, because no revision of Config.Revisions has sessions"}
		}
	}
	d.process = rand.Uint64()
	d.turns.Store(rand.Uint64())
	if d.metadata, err = newMetadata(opt.Metadata); err != nil {
		return nil, err
	}
	if cfg.HashKey == [16]byte{} {
		if _, ok := opt.Store.(*shared); ok {
			return nil, errors.New("nethttp: Config.HashKey is empty: want the key that all processes with the Store share")
		}
		filled, err := host.Config(cfg, h)
		if err != nil {
			return nil, err
		}
		cfg.HashKey = filled.HashKey
	}
	d.cfg, d.internal = cfg, newInternal(opt.Internal, cfg.HashKey)
	a, err := newApp(cfg, h, &opt)
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
	work.Pressed = func() { poke(d.pressed) } // the clock makes room
	d.work, d.recover, d.most = host.NewWork(work), work.Recover, mostCalls(work)
	if s, ok := opt.Store.(*shared); ok {
		if err := s.bind(d); err != nil {
			return nil, err
		}
		d.shared = s
	}
	if d.modern && !alone {
		d.opt.Store = split{newMemory(), opt.Store}
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	if d.shared != nil && d.shared.cluster() != nil {
		if err := d.join(d.shared.cluster()); err != nil {
			d.cancel()
			return nil, err
		}
	}
	d.wg.Go(d.clock)
	return d, nil
}

func newApp(cfg server.Config, handlers *server.Handlers, opt *Options) (*app, error) {
	if opt.Stateless {
		cfg = stateless(cfg)
	}
	promised := cfg.Serve
	cfg, err := host.Config(cfg, handlers)
	if err == nil && opt.Companion == nil { // which may answer
		err = host.Answered("nethttp", promised, handlers)
	}
	if err != nil {
		return nil, err
	}
	fresh, err := server.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	a := &app{cfg: cfg, handlers: handlers, fresh: fresh}
	if cfg.Revisions = statelessOf(cfg.Revisions); len(cfg.Revisions) > 0 { // ERA-007
		cfg.Serve = slices.DeleteFunc(slices.Clone(cfg.Serve), func(name string) bool { return protocol.Known(name) && cfg.Revisions[0].Row(name) == nil })
		// A State without these methods does not declare from them what a client may listen to.
		cfg.Declare |= fresh.Capabilities() & (protocol.CapResourcesSubscribe | protocol.CapLogging)
		if a.single, err = server.New(cfg, time.Now()); err != nil {
			return nil, err
		}
	}
	if opt.Stateless {
		a.prepare(time.Now())
	}
	return a, nil
}

// ServeHTTP answers one request: POST, GET or DELETE of the MCP endpoint, or a GET of
// Options.Metadata.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.metadata != nil && isMetadata(r) {
		h.serveMetadata(w, r)
		return
	}
	h.serve(w, r, nil)
}

// serve answers a request, of another process if there is a ticket.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, via *ticket) {
	x := &exchange{h: h, w: w, r: r, rc: *http.NewResponseController(w), via: via}
	x.reading()
	n := h.conns.Add(1)
	defer func() { // even if a hook of the application panics
		x.uncount()
		h.conns.Add(-1)
		// For the next request on the connection, which may be for another handler. Everything is
		// written by now.
		_ = x.rc.SetWriteDeadline(time.Time{})
		x.hasRead()
	}()
	if h.ctx.Err() != nil || n > int64(h.opt.MaxConnections) {
		x.refuse(x.h.busy())
		return
	}
	x.serve()
}

func (x *exchange) serve() {
	h, r := x.h, x.r
	x.from.values = r.Context()
	x.ctx = &x.from
	x.head = headers.Read(r.Method, r.Host, func(name string) []string { return r.Header[name] }) // the names are in canonical form
	rules := h.rules
	rules.Local = local(r)
	if x.via != nil { // the other process has checked them
		rules.AnyHost, rules.AnyOrigin = true, true
		x.who = x.via.from()
		if !x.counting(x.party()) {
			return
		}
		x.dispatch(rules)
		return
	}
	if bad := rules.Guard(x.head); bad != nil {
		h.opt.Log.Warn("nethttp: request refused because of its Host or Origin", "host", rawjson.Clip(x.head.Host, 64), "origin", rawjson.Clip(x.head.Origin, 64), "site", rawjson.Clip(x.head.FetchSite, 64))
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
	if !x.admitted() {
		return
	}
	rules.AnyHost, rules.AnyOrigin = true, true // they are checked
	x.dispatch(rules)
	for tries := 1; x.away != nil && x.forward(tries < maxForwards); tries++ {
		x.r.Body = io.NopCloser(bytes.NewReader(x.body))
		x.dispatch(rules)
	}
}

// dispatch passes a request to the code that answers it, once it is accepted.
func (x *exchange) dispatch(rules headers.Rules) {
	x.from.who, x.from.known = x.who, x.h.opt.Authenticate != nil
	if x.h.opt.LegacySSE && x.serveLegacy(rules) {
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
	return ok && a.IP.IsLoopback()
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

// Metadata returns the handler that serves Options.Metadata, for a mux that gives the Handler only the path of
// its endpoint: clients look below /.well-known/oauth-protected-resource. Without Options.Metadata it answers
// 404.
func (h *Handler) Metadata() http.Handler { return http.HandlerFunc(h.serveMetadata) }

func (h *Handler) serveMetadata(w http.ResponseWriter, r *http.Request) {
	head := w.Header()
	// Clients in browsers read it before they have a token; it is not secret.
	head.Set("Access-Control-Allow-Origin", "*")
	switch {
	case h.metadata == nil || r.URL.Path != wellKnown && r.URL.Path != h.metadata.path:
		http.NotFound(w, r)
	case r.Method == http.MethodOptions:
		preflight(w, http.MethodGet, headers.Version)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		head.Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
	default:
		head.Set("Content-Type", "application/json")
		head.Set("Cache-Control", "max-age=300")
		head.Set("Content-Length", strconv.Itoa(len(h.metadata.body)))
		_, _ = w.Write(h.metadata.body) // net/http omits it from the answer to a HEAD
	}
}

// isMetadata reports whether a request is for the metadata.
func isMetadata(r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.URL.Path, wellKnown)
	return ok && (rest == "" || rest[0] == '/')
}
