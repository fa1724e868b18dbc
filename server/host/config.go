package host

import (
	"crypto/rand"

	"github.com/sansmcp/mcp/server"
)

// Config returns cfg with what follows from h, and from the process, filled in where it is
// empty: Catalog and Serve, which h has, and HashKey, which is random. Errors: those of
// Handlers.Catalog.
func Config(cfg server.Config, h *server.Handlers) (server.Config, error) {
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
