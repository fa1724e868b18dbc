package ws

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// ServerOptions are the settings of a Server. A zero field means its default.
type ServerOptions struct {
	Options
	// Work bounds the functions of all connections together.
	Work host.WorkOptions
	// Drain is how long calls may continue after Shutdown. Default host.DefaultDrain.
	Drain time.Duration
	// Handshake is how long a connection may take until its session is ready; then it is
	// closed. Default one minute.
	Handshake time.Duration
	// MaxConns is how many connections there may be at a time; further ones get status 503. Default
	// 1000.
	MaxConns int
	// Hosts and Origins are as in headers.Rules.
	Hosts, Origins []string
}

// The defaults of ServerOptions.
const (
	DefaultHandshake = time.Minute
	DefaultMaxConns  = 1000
)

// DefaultKeepalive detects clients that have vanished, if the Config has none.
var DefaultKeepalive = lifecycle.Keepalive{Interval: 30 * time.Second, Misses: 2}

// Server serves a session on each connection.
type Server struct {
	first server.State // from which all sessions are made
	h     *server.Handlers
	work  *host.Work
	opt   ServerOptions

	drain context.Context // ended by Shutdown
	stop  context.CancelFunc

	mu    sync.Mutex
	links map[*link]bool // nil after Shutdown
	conns int
	empty chan struct{} // closed when no connection is left after Shutdown
}

// NewServer returns a Server. Empty fields of cfg are filled in by host.Config, and by
// DefaultKeepalive. Errors: those of host.Config and server.New.
func NewServer(cfg server.Config, h *server.Handlers, opt ServerOptions) (*Server, error) {
	cfg, err := host.Config(cfg, h)
	if err != nil {
		return nil, err
	}
	cfg.Keepalive = cmp.Or(cfg.Keepalive, DefaultKeepalive)
	first, err := server.New(cfg, time.Now())
	if err != nil {
		return nil, err
	}
	s := &Server{
		first: first, h: h, work: host.NewWork(opt.Work), opt: opt,
		links: map[*link]bool{}, empty: make(chan struct{}),
	}
	s.opt.Handshake = cmp.Or(opt.Handshake, DefaultHandshake)
	s.opt.MaxConns = cmp.Or(opt.MaxConns, DefaultMaxConns)
	s.drain, s.stop = context.WithCancel(context.Background())
	return s, nil
}

// ServeHTTP implements http.Handler. It returns at the end of the session.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rules := headers.Rules{Local: local(r), Hosts: s.opt.Hosts, Origins: s.opt.Origins}
	if no := rules.Guard(headers.Read(r.Method, r.Host, r.Header.Values)); no != nil {
		http.Error(w, no.Err.Message, no.Status)
		return
	}
	if !s.enter() {
		http.Error(w, "too many connections", http.StatusServiceUnavailable)
		return
	}
	defer s.leave()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		Subprotocols:       []string{Subprotocol},
		InsecureSkipVerify: true, // the rules have checked the Origin
	})
	if err != nil {
		return // it has answered
	}
	if conn.Subprotocol() != Subprotocol {
		_ = conn.Close(websocket.StatusPolicyViolation, "the subprotocol is "+Subprotocol)
		return
	}
	owner, _, _ := net.SplitHostPort(r.RemoteAddr)
	s.serve(r.Context(), conn, owner)
}

// serve runs the session of a connection, whose owner is the address of the client.
func (s *Server) serve(ctx context.Context, conn *websocket.Conn, owner string) {
	session, err := s.first.NewSession(time.Now())
	if err != nil {
		_ = conn.Close(websocket.StatusInternalError, "")
		return
	}
	l := newLink(conn, s.opt.Options)
	if !s.keep(l) {
		_ = l.end(0, websocket.StatusGoingAway)
		return
	}
	defer s.drop(l)
	// Functions get the values of the request; Shutdown ends the session.
	ctx, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	defer context.AfterFunc(s.drain, end)()
	d := host.New(session, s.h, l.out, host.Options{Work: s.work, Owner: owner, Drain: s.opt.Drain})
	defer time.AfterFunc(s.opt.Handshake, func() {
		if p := d.State().Phase(); p == lifecycle.Uninitialized || p == lifecycle.Initializing {
			_ = conn.CloseNow()
		}
	}).Stop()
	_ = d.Serve(ctx, l.in)
	_ = l.end(0, websocket.StatusGoingAway)
}

// Shutdown ends all sessions: open calls may finish for ServerOptions.Drain. Connections that are
// still open when ctx ends are closed, and the cause of ctx is returned.
func (s *Server) Shutdown(ctx context.Context) error {
	defer s.work.Close()
	s.mu.Lock()
	links := s.links
	s.links = nil
	if links != nil && s.conns == 0 {
		close(s.empty)
	}
	s.mu.Unlock()
	s.stop()
	select {
	case <-s.empty:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	for l := range links {
		_ = l.conn.CloseNow()
	}
	s.mu.Unlock()
	<-s.empty
	return context.Cause(ctx)
}

// enter counts a connection.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.links == nil || s.conns >= s.opt.MaxConns {
		return false
	}
	s.conns++
	return true
}

func (s *Server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns--; s.conns == 0 && s.links == nil {
		close(s.empty)
	}
}

// keep adds a link for Shutdown.
func (s *Server) keep(l *link) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.links != nil {
		s.links[l] = true
	}
	return s.links != nil
}

func (s *Server) drop(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.links, l)
}

// local reports whether the connection arrived on a loopback address.
func local(r *http.Request) bool {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return addr != nil && addr.IP.IsLoopback()
}
