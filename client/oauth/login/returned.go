package login

import (
	"context"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
)

// lookEvery is the shortest time between two checks in the Store whether a login still waits for
// its person.
const lookEvery = time.Second

// answered passes a person's answer to the run, or to a new run that continues a login of another process,
// and returns it once the login is claimed. Errors: errState, errClosed, those of the Store, the cause of
// ctx.
func (r *Runner) answered(ctx context.Context, query string) (*run, error) {
	for r.now != nil && (r.f.Phase() != oauth.Person || r.now.answer != nil) && ctx.Err() == nil && !r.closed {
		r.changed.Wait(ctx, &r.mu)
	}
	a := &answer{query: query}
	x := r.now
	switch {
	case r.closed:
		return nil, errClosed
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case x != nil:
		x.answer = a
		r.changed.Wake()
	default:
		x = r.start(&run{need: oauth.Need{Status: http.StatusUnauthorized}, renewal: true, answer: a})
	}
	for !a.done && ctx.Err() == nil {
		r.changed.Wait(ctx, &r.mu)
	}
	if !a.done {
		return nil, context.Cause(ctx)
	}
	return x, a.err
}

// stale ends a run whose person's answer another process has handled, and reports whether it did. It checks
// at most once in the duration while.
func (r *Runner) stale(ctx context.Context, x *run, while time.Duration) bool {
	if !x.shared || r.f.Phase() != oauth.Person || time.Since(r.looked) < while {
		return false
	}
	r.looked = time.Now()
	state, key := r.f.Page().State, r.kept.key
	r.mu.Unlock()
	ctx, end := context.WithTimeout(ctx, requestTime)
	rec, _, err := r.opt.Store.Load(ctx, key)
	end()
	r.mu.Lock()
	if err != nil || x.done || x.answer != nil || r.f.Page().State != state {
		return x.done
	}
	if is, _, ok := r.f.Resume(time.Now(), rec); ok && is.Page().State == state {
		return false
	}
	x.gone = true
	x.leave()
	for !x.done && !r.closed {
		r.changed.Wait(context.Background(), &r.mu)
	}
	return true
}

// look returns the page that a person must open, at any process; it is zero if there is none.
func (r *Runner) look(ctx context.Context) oauth.Page {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.now; x != nil {
		r.stale(ctx, x, 0)
	}
	if r.now == nil && r.shares() && !r.closed {
		r.wait(ctx, r.start(&run{need: oauth.Need{Status: http.StatusUnauthorized}, renewal: true, looks: true}))
	}
	return r.f.Page()
}
