package login

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// A person who comes back may come to another process than the one that sent her. So a Detached Runner with a Store leaves
// its login there while it waits for her. Others with the same key find it instead of beginning one of their own, and
// whoever gets the answer takes the login out, by a compare-and-set: one of them goes on with it. What the Store does not
// take, or has no room for beside a login with another redirect, is of one process.

// claim takes the login of an answer out of the Store, and goes on with it. The key stays locked until there is a token: who
// wants one meanwhile waits for that.
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
	case !ok || !taken(next): // it stays for the answer that it waits for
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

// unlocked unlocks the key. Nobody waits for that.
func (r *Runner) unlocked() {
	r.mu.Unlock()
	r.unlock()
	r.mu.Lock()
}
