package login

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// A person may return to another process than the one that sent them to the page. So a Detached Runner with a
// Store leaves its login there while it waits. Other Runners with the same key find it instead of beginning
// their own, and the one that gets the answer takes the login out of the Store by compare-and-set, so that
// only one continues it. If the Store cannot save a login, or has another one with another redirect, the
// login belongs to one process.

// claim takes the login of an answer out of the Store, and continues it. The key stays locked until there is
// a token, so that other requests for one wait.
func (r *Runner) claim(x *run) {
	a := x.answer
	if next := r.f.Returned(time.Now(), random(), a.query); !x.shared && r.f.Page().URL != "" && taken(next) {
		r.f, a.done, x.answer = next, true, nil
		r.changed.Wake()
		return
	}
	r.mu.Unlock()
	rec, version, err := r.load(x.ctx)
	r.mu.Lock()
	now := time.Now()
	if err == nil && !r.f.Phase().Running() {
		r.adopt(now, rec, version)
	}
	f, _, ok := r.f.Resume(now, rec)
	next := f.Returned(now, random(), a.query)
	switch {
	case err != nil:
	case !ok || !taken(next): // it stays for its own answer
		err = errState
	default:
		err = r.takeOut(x.ctx, rec, version)
	}
	if err == nil {
		r.f = next
	} else {
		r.unlocked()
		if p := r.f.Page(); errors.Is(err, errState) && p.URL != "" && x.shared && !(ok && f.Page().State == p.State) {
			x.gone = true
			x.leave()
		}
	}
	a.done, a.err, x.answer = true, err, nil
	r.changed.Wake()
}

// takeOut saves a Record without its login.
func (r *Runner) takeOut(ctx context.Context, rec oauth.Record, version store.Version) error {
	rec.Pending = ""
	r.mu.Unlock()
	ctx, end := context.WithTimeout(ctx, requestTime)
	version, err := r.opt.Store.Save(ctx, r.kept.key, rec, version)
	end()
	r.mu.Lock()
	if errors.Is(err, store.ErrChanged) {
		return errState
	}
	if err == nil {
		r.kept.is(rec, version)
	}
	return err
}

// unlocked unlocks the key, without the lock of the Runner.
func (r *Runner) unlocked() {
	r.mu.Unlock()
	r.unlock()
	r.mu.Lock()
}
