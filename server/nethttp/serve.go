package nethttp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// Serve serves h at a TCP address, such as ":8080", at every path, until ctx ends or it cannot continue.
// Then it ends as described at Handler.ServeOn, with host.DefaultDrain. Errors: those of NewHandler, of
// net.Listen and of ServeOn.
func Serve(ctx context.Context, addr string, cfg server.Config, h *server.Handlers, opt Options) error {
	handler, err := NewHandler(cfg, h, opt)
	if err != nil {
		return err
	}
	defer handler.Close()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	return handler.ServeOn(ctx, &http.Server{Handler: handler}, l, host.DefaultDrain)
}

// ServeOn runs an http.Server that has the Handler, perhaps with others, until ctx ends, and then shuts both
// down in order: the Handler first, because the http.Server waits for its streams. Calls have the time of
// drain to finish, and responses as much again; after that all is closed. A ReadHeaderTimeout of zero becomes
// 10 s, an IdleTimeout of zero 2 minutes: that is how long a silent client keeps a connection. The Handler is
// closed when ServeOn returns; a Handler that is closed already is not served. The listener is closed in any
// case. Errors: why the http.Server failed, that of Shutdown if calls were stopped, and lifecycle.ErrGone for
// a closed Handler.
func (h *Handler) ServeOn(ctx context.Context, srv *http.Server, l net.Listener, drain time.Duration) error {
	if h.draining.Load() {
		_ = l.Close()
		return fmt.Errorf("nethttp: the Handler is closed: %w", lifecycle.ErrGone)
	}
	defer h.Close()
	if srv.ReadHeaderTimeout == 0 {
		srv.ReadHeaderTimeout = headerTimeout
	}
	if srv.IdleTimeout == 0 {
		srv.IdleTimeout = connectionTimeout
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	err := h.Shutdown(end)
	end, cancel = context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if srv.Shutdown(end) != nil {
		_ = srv.Close() // connections that are still open have had their time
	}
	if failed := <-served; err == nil && !errors.Is(failed, http.ErrServerClosed) {
		err = failed
	}
	return err
}

// The defaults of an http.Server.
const (
	headerTimeout     = 10 * time.Second
	connectionTimeout = 2 * time.Minute
)
