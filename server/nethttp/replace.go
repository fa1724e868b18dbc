package nethttp

import (
	"context"
	"errors"

	"github.com/sansmcp/mcp/server"
)

// Replace replaces the functions of the Handler, and announces changed lists to the sessions that
// it knows (server.State.SetCatalog). Handlers of other processes that share the Store need the
// same. Errors: those of Handlers.Catalog, of server.New, of the Store; ErrCapability of package
// lifecycle for a kind of list that was not declared. Except for the last two, nothing has changed.
// Sessions whose Companion has Handlers keep those.
func (h *Handler) Replace(ctx context.Context, handlers *server.Handlers) error {
	cfg := h.cfg
	cfg.Catalog = nil // that of the first Handlers
	next, err := newApp(cfg, handlers, &h.opt)
	if err != nil {
		return err
	}
	h.app.Store(next)
	var refused error
	return errors.Join(h.all(ctx, func(id string) error {
		return gone(h.turn(ctx, id, func(t *turn) error {
			s, out, err := t.State.SetCatalog(t.now, next.cfg.Catalog)
			switch {
			case h.owns(ctx, id, t):
				t.same = true
			case err != nil:
				refused = err
				return err
			default:
				t.catalog = next.cfg.Catalog
				t.stepped(s, out)
			}
			return nil
		}))
	}), refused)
}

// owns reports whether the Companion of a session has functions of its own. The stripe is locked.
func (h *Handler) owns(ctx context.Context, id string, t *turn) bool {
	if h.opt.Companion == nil {
		return false
	}
	st := h.stripe(id)
	sd := st.sides[id]
	if sd == nil {
		sd = h.newSide(ctx, st, id, t)
	}
	return sd.handlers() != nil
}
