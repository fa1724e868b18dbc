package gateway

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/stdio"
)

// New returns a Gateway without sessions. Errors: lifecycle.ErrConfig for a time or Links in opt, and those
// of relay.New, relay.Config.Server and server.New.
func New(opt Options) (*Gateway, error) {
	opt, err := opt.filled()
	if err != nil {
		return nil, err
	}
	if _, err := relay.New(opt.Relay, opt.Servers, time.Now()); err != nil {
		return nil, err
	}
	cfg, err := opt.Relay.Server(opt.Server)
	if err != nil {
		return nil, err
	}
	if _, err := server.New(cfg, time.Now()); err != nil {
		return nil, err
	}
	g := &Gateway{opt: opt, cfg: cfg, servers: slices.Clone(opt.Servers), sessions: map[*session]struct{}{}, failing: map[string]*failing{}, homes: map[homeKey]*home{}}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g, nil
}

// Handler returns a Handler that serves sessions over HTTP until Close. There may be several. The Gateway
// sets opt.Companion. The links to servers belong to this process. If other processes share opt.Store, a
// nethttp.Cluster, set opt.Internal, and serve Handler.Internal there: then one process has the links of a
// session, and after its death another continues the session with new links (docs/cluster.md). Otherwise each
// process has its own links for a session, and answers the calls that reach it. Errors: those of
// nethttp.NewHandler, lifecycle.ErrClosed.
func (g *Gateway) Handler(opt nethttp.Options) (*nethttp.Handler, error) {
	var h *nethttp.Handler
	opt.Companion = func(p server.Peer) server.Companion {
		if p.Stateless {
			return &visitor{g: g, peer: p, wake: func(ctx context.Context) error { return h.StepNow(ctx, p.Session) }}
		}
		x := g.newSession("http", p, func(ctx context.Context) error { return h.StepNow(ctx, p.Session) })
		if x == nil { // return a nil interface, not a nil *session
			return nil
		}
		x.idle = func() (time.Time, bool) { return h.Idle(p.Session) }
		return x
	}
	h, err := nethttp.NewHandler(g.cfg, new(server.Handlers), opt)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	closing := g.closing
	g.handlers = append(g.handlers, h)
	g.mu.Unlock()
	if closing {
		h.Close()
		return nil, errClosed
	}
	return h, nil
}

// Serve serves one client over in and out, usually standard input and output, until the session and its
// servers have ended: see stdio.Server.Serve. The Gateway sets opt.Companion. Errors: those of
// stdio.Serve, lifecycle.ErrClosed.
func (g *Gateway) Serve(ctx context.Context, in io.Reader, out io.Writer, opt stdio.Options) error {
	var x *session
	opt.Companion = func(server.Peer) server.Companion { return x }
	srv, err := stdio.New(g.cfg, new(server.Handlers), in, out, opt)
	if err != nil {
		return err
	}
	x = g.newSession("stdio", server.Peer{}, func(context.Context) error { return srv.StepNow() })
	if x == nil {
		return errClosed
	}
	x.mu.Lock()
	x.shut = func(ctx context.Context) {
		srv.Shutdown()
		select {
		case <-srv.Done():
		case <-ctx.Done():
		}
	}
	x.mu.Unlock()
	err = srv.Serve(ctx)
	x.end()
	<-x.ended
	return err
}

// all returns the sessions.
func (g *Gateway) all() []*session {
	g.mu.Lock()
	defer g.mu.Unlock()
	list := make([]*session, 0, len(g.sessions))
	for x := range g.sessions {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b *session) int { return cmp.Compare(a.number, b.number) })
	return list
}

// SetServers replaces the servers in all sessions, without waiting for them. A server whose Name and
// Definition are unchanged keeps its links and its calls. With Options.ServersOf, each session calls
// that instead. Errors: those of relay.New; nothing has changed then.
func (g *Gateway) SetServers(servers []relay.Server) error {
	if _, err := relay.New(g.opt.Relay, servers, time.Now()); err != nil {
		return err
	}
	g.mu.Lock()
	g.servers = carried(g.servers, servers)
	g.gen++
	if g.opt.ServersOf == nil {
		for name := range g.failing {
			if !slices.ContainsFunc(servers, func(s relay.Server) bool { return s.Name == name }) {
				delete(g.failing, name)
			}
		}
	}
	g.mu.Unlock()
	for _, x := range g.all() {
		x.poke()
	}
	return nil
}

// SetNotes replaces the lines that Status shows in addition to the servers, such as invalid entries
// of a file. Everyone who may see the Status can read them.
func (g *Gateway) SetNotes(lines []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.notes = slices.Clone(lines)
}

// Restart closes the links to a server and opens new ones, in all sessions. It does not wait for
// them.
func (g *Gateway) Restart(name string) {
	for _, x := range g.all() {
		x.poke(restart{name: name})
	}
}

// Retry opens a server that is not ready at once, without its back-off, in the sessions of a principal,
// such as after a login there. It does not wait for the server.
func (g *Gateway) Retry(principal, name string) {
	for _, x := range g.all() {
		if x.peer.Principal == principal {
			x.poke(restart{name: name, unless: true})
		}
	}
}

// Close ends the Gateway. Calls may finish until ctx ends; then all servers have CloseTimeout to end
// before they are killed. No new session begins. The error says what could not be ended, and is the
// cause of ctx if calls were left. Close may be called more than once.
func (g *Gateway) Close(ctx context.Context) error {
	g.mu.Lock()
	g.closing = true
	handlers := slices.Clone(g.handlers)
	g.mu.Unlock()
	errs := make([]error, len(handlers))
	var wg sync.WaitGroup
	for i, h := range handlers {
		wg.Go(func() { errs[i] = h.Shutdown(ctx) })
	}
	for _, x := range g.all() {
		x.mu.Lock()
		shut := x.shut
		x.mu.Unlock()
		if shut != nil {
			wg.Go(func() { shut(ctx) })
		}
	}
	wg.Wait()
	g.cancel()
	g.closeHomes()
	for _, x := range g.all() {
		x.end()
	}
	g.wg.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	return errors.Join(append(errs, g.failed...)...)
}
