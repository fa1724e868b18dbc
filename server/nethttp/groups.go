package nethttp

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/registry"
)

// Replace puts other functions in the place of those that the Handler has. Lists that differ
// are announced to the sessions that it knows (server.State.SetCatalog). Handlers of other
// processes that share the Store need the same. Errors: those of Handlers.Catalog, of
// server.New, of the Store; ErrCapability of package lifecycle for a kind of list that was not
// declared. But for the last two nothing has changed. Times stay those of the View.
func (h *Handler) Replace(ctx context.Context, handlers *server.Handlers) error {
	return h.replace(ctx, handlers, nil)
}

// Offer is Replace for the groups of a view: beside that, calls have the times of its groups from
// now on, and those of groups that it has no more are ended (registry.Runs.Offer). Calls that a
// process began before it had a view are of no group. Errors: registry.ErrNil, those of Replace.
func (h *Handler) Offer(ctx context.Context, v *registry.View) error {
	if v == nil {
		return registry.ErrNil
	}
	return h.replace(ctx, v.Handlers(), v)
}

func (h *Handler) replace(ctx context.Context, handlers *server.Handlers, v *registry.View) error {
	cfg := h.cfg
	cfg.Catalog = nil // that of the first Handlers
	next, err := newApp(cfg, handlers)
	if err != nil {
		return err
	}
	h.app.Store(next)
	if v != nil {
		h.view.Store(v)
	}
	var refused error
	return errors.Join(h.all(ctx, func(id string) error {
		return gone(h.turn(ctx, id, func(t *turn) error {
			s, out, err := t.offer(next.cfg.Catalog, v)
			switch {
			case err != nil:
				refused = err
				return err
			case s.Step() == t.State.Step():
				t.same = true
			default:
				t.step(s, out)
			}
			return nil
		}))
	}), refused)
}

// offer gives the session another catalog. Of the functions here it ends those of groups that the
// view has no more.
func (t *turn) offer(c *server.Catalog, v *registry.View) (server.State, server.Output, error) {
	if v == nil || t.live == nil {
		return t.State.SetCatalog(t.now, c)
	}
	var runs registry.Runs
	if t.live.runs != nil {
		runs = *t.live.runs
	}
	runs, s, out, err := runs.Offer(t.State, t.now, v)
	if err == nil {
		t.runs = &runs
	}
	return s, out, err
}

// time takes in what a turn that is stored did to the calls here.
func (l *live) time(t *turn) {
	if t.runs != nil {
		l.runs = t.runs
	}
	if l.runs != nil && !t.out.IsZero() {
		runs := l.runs.Watch(t.now, t.out)
		l.runs = &runs
	}
}

// nextTimeout returns when the next function here has had its time. It is so long from now by a
// clock that nobody sets.
func (l *live) nextTimeout() (time.Time, bool) {
	if l == nil || l.runs == nil {
		return time.Time{}, false
	}
	due, ok := l.runs.NextDeadline()
	now := time.Now()
	return now.Add(due.Sub(now)), ok
}

// late reports whether a function here has had its time.
func (l *live) late(now time.Time) bool {
	if l == nil || l.runs == nil {
		return false
	}
	due, ok := l.runs.NextDeadline()
	return ok && !due.After(now)
}

// timeOut answers the calls whose functions here have had their time.
func (t *turn) timeOut() {
	runs, s, out := t.live.runs.Tick(t.State, t.now)
	t.runs = &runs
	if s.Step() != t.State.Step() {
		t.step(s, out)
	}
}
