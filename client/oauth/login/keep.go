package login

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// maxSaves is how often to try to save a Record that other processes change.
const maxSaves = 5

// begun returns the Record in the Store when the Runner is created.
func (r *Runner) begun(resource string) (rec oauth.Record, err error) {
	if r.opt.Store == nil {
		return rec, nil
	}
	r.kept.key = r.opt.Principal + "\n" + resource
	rec, r.kept.version, err = r.opt.Store.Load(context.Background(), r.kept.key)
	r.kept.is(rec, r.kept.version)
	return rec, err
}

// open begins a run with the current Record in the Store, which stays locked until the run waits for a
// person: of several processes with the same refresh token one uses it, and the others find its
// replacement (SEC-112).
func (r *Runner) open(x *run) error {
	if r.opt.Store != nil {
		r.mu.Unlock()
		rec, version, err := r.load(x.ctx)
		r.mu.Lock()
		if err != nil {
			return err
		}
		r.adopt(time.Now(), rec, version)
		if r.resumes(x) {
			if f, _, ok := r.f.Resume(time.Now(), rec); ok {
				r.f, x.parked, x.shared = f, f.Record().Pending, true
				return nil
			}
		}
	}
	if !x.looks {
		r.f = r.f.Want(time.Now(), random(), x.need)
	}
	return nil
}

// adopt adopts a Record from the Store, if its version is new: the Flow's own may be newer than the last one
// saved.
func (r *Runner) adopt(now time.Time, rec oauth.Record, version store.Version) {
	if version != r.kept.version {
		r.kept.is(rec, version)
		r.f = r.f.Adopt(now, rec)
	}
}

// load locks the key and returns its Record.
func (r *Runner) load(ctx context.Context) (rec oauth.Record, v store.Version, err error) {
	ctx, end := context.WithTimeout(ctx, oauth.DefaultPatience)
	defer end()
	if r.kept.unlock, err = r.opt.Store.Lock(ctx, r.kept.key); err != nil {
		return rec, v, fmt.Errorf("login: the store cannot be locked: %w", err)
	}
	if rec, v, err = r.opt.Store.Load(ctx, r.kept.key); err != nil {
		err = fmt.Errorf("login: the store cannot be read: %w", err)
	}
	return rec, v, err
}

// close saves the Record of a Flow, if it has changed, and unlocks its key. A token stays valid even if it
// cannot be saved. A login in the Store that waits for its person stays; parks replaces it if it is one that
// this Runner could continue.
func (r *Runner) close(f oauth.Flow, parks oauth.Secret) {
	if r.opt.Store == nil {
		return
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(r.ctx), requestTime)
	defer end()
	rec := f.Record()
	for tries := 0; tries < maxSaves; tries++ {
		now := time.Now()
		rec.Pending = r.kept.pending
		if _, live, ours := f.Resume(now, rec); ours && parks != "" || !live {
			rec.Pending = parks
		}
		if string(oauth.AppendRecord(nil, rec)) == r.kept.text {
			break
		}
		version, err := r.opt.Store.Save(ctx, r.kept.key, rec, r.kept.version)
		var is oauth.Record
		switch {
		case err == nil:
			r.kept.is(rec, version)
		case errors.Is(err, store.ErrChanged): // by a login, which needs no lock: the last save wins
			is, r.kept.version, err = r.opt.Store.Load(ctx, r.kept.key)
			r.kept.pending = is.Pending
		case parks != "": // it may have been saved
			if is, version, bad := r.opt.Store.Load(ctx, r.kept.key); bad == nil && is.Pending == parks {
				r.kept.is(is, version)
			}
		}
		if err != nil {
			r.opt.Log.Warn("token could not be saved", "err", err)
			break
		}
	}
	r.unlock()
}

// unlock unlocks the key, if it is locked.
func (r *Runner) unlock() {
	if r.kept.unlock != nil {
		r.kept.unlock()
		r.kept.unlock = nil
	}
}

// shares reports whether any process can handle a person's answer.
func (r *Runner) shares() bool { return r.opt.Detached && r.opt.Store != nil }

// resumes reports whether a run continues a login that waits for its person, rather than use a token.
func (r *Runner) resumes(x *run) bool {
	if !r.shares() || x.need.Status == 0 {
		return false
	}
	t, ok := r.f.Token(time.Now())
	return x.looks || !ok || t.Access == x.need.Used
}
