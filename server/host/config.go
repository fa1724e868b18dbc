package host

import (
	"crypto/rand"
	"errors"
	"slices"
	"strconv"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// ErrServed says that Serve was called before.
var ErrServed = errors.New("host: Serve was called before: a Host serves one session, once; make another one")

// noHandlers is the error where there are no Handlers at all, not even empty ones.
var noHandlers = &lifecycle.ConfigError{Package: "host", Field: "Handlers", Value: "nil", Why: "pass new(server.Handlers) for none"}

// Config returns cfg with empty fields filled in: Catalog and Serve from h, and a random HashKey.
// Errors: those of Handlers.Catalog, lifecycle.ErrConfig for nil Handlers.
func Config(cfg server.Config, h *server.Handlers) (server.Config, error) {
	if h == nil {
		return cfg, noHandlers
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

// Answered returns a *lifecycle.ConfigError of a driver without a Companion for methods without an answer: a
// method of the specification in serve, the Config.Serve as given, that h does not answer; and, if serve is
// empty, an item of h without a function. A custom method may be a notification.
func Answered(driver string, serve []string, h *server.Handlers) error {
	for i, name := range serve {
		if protocol.Known(name) && !slices.Contains(h.Serve(), name) {
			return &lifecycle.ConfigError{Package: driver, Field: "Config.Serve[" + strconv.Itoa(i) + "]", Value: strconv.Quote(name), Why: "want a method that the Handlers answer"}
		}
	}
	if bare := h.Unbound(); len(serve) == 0 && bare != nil {
		return &lifecycle.ConfigError{Package: driver, Field: "Handlers", Value: strconv.Quote(bare[0]), Why: "it has no function, and no Companion answers it; give it one"}
	}
	return nil
}
