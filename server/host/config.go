package host

import (
	"crypto/rand"
	"errors"

	"github.com/sansmcp/mcp/server"
)

// ErrServed says that Serve was called before.
var ErrServed = errors.New("host: Serve was called before: a Host serves one session, once; make another one")

// ErrHandlers says that there are no Handlers at all, not even empty ones.
var ErrHandlers = errors.New("host: the Handlers are nil; pass new(server.Handlers) for none")

// Config returns cfg with what follows from h, and from the process, filled in where it is
// empty: Catalog and Serve, which h has, and HashKey, which is random. Errors: those of
// Handlers.Catalog, ErrHandlers.
func Config(cfg server.Config, h *server.Handlers) (server.Config, error) {
	if h == nil {
		return cfg, ErrHandlers
	}
	if cfg.Catalog == nil {
		catalog, err := h.Catalog()
		if err != nil {
			return cfg, err
		}
		cfg.Catalog = catalog
	}
	if len(cfg.Serve) == 0 {
		cfg.Serve = h.Serve()
	}
	if cfg.HashKey == [16]byte{} {
		_, _ = rand.Read(cfg.HashKey[:]) // it never fails
	}
	return cfg, nil
}
