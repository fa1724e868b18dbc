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

// Serve serves h at a TCP address, as ":8080", at every path, until ctx ends or it cannot. Then it
// ends as Handler.ServeOn says, with host.DefaultDrain. Errors: those of NewHandler, of net.Listen and of
// ServeOn.
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

// ServeOn runs an http.Server that includes the Handler until ctx ends, and then shuts both down: the Handler
// first, because the http.Server waits for its streams. Calls have drain to finish, responses as long again;
// then everything is closed. A ReadHeaderTimeout of zero becomes 10 s, an IdleTimeout of zero 2 minutes.
// ServeOn always closes the Handler and the listener. Errors: that of the http.Server, that of Shutdown if
// calls were stopped, and lifecycle.ErrGone for a Handler that was closed before.
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
		_ = srv.Close() // whatever is still connected has had its time
	}
	if failed := <-served; err == nil && !errors.Is(failed, http.ErrServerClosed) {
		err = failed
	}
	return err
}

// The times of an http.Server that has none.
const (
	headerTimeout     = 10 * time.Second
	connectionTimeout = 2 * time.Minute
)
