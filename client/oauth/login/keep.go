package login

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/client/oauth"
	"github.com/sansmcp/mcp/client/oauth/store"
)

// maxSaves is how often a Record is saved that others change meanwhile.
const maxSaves = 5

// begun returns what the Store has when the Runner begins.
func (r *Runner) begun(resource string) (rec oauth.Record, err error) {
	if r.opt.Store == nil {
		return rec, nil
	}
	r.kept.key = r.opt.Principal + "\n" + resource
	rec, r.kept.version, err = r.opt.Store.Load(context.Background(), r.kept.key)
	r.kept.is(rec, r.kept.version)
	return rec, err
}

// open begins a run with what the Store has by now, which is locked until a person is asked: of those who
// have the same refresh token one uses it, and the others find what it has become (SEC-112).
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

// adopt takes what the Store has by now, unless that is what is known: ours may be newer than what could be saved.
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

// close saves the Record of a Flow, if it has changed, and unlocks its key. A token that cannot be saved is good all
// the same. A login that waits for its person stays in the Store; parks takes its place if it is one that we would go on with.
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
		case errors.Is(err, store.ErrChanged): // by a login, which needs no lock: the last one counts
			is, r.kept.version, err = r.opt.Store.Load(ctx, r.kept.key)
			r.kept.pending = is.Pending
		case parks != "": // it may have been saved
			if is, version, bad := r.opt.Store.Load(ctx, r.kept.key); bad == nil && is.Pending == parks {
				r.kept.is(is, version)
			}
		}
		if err != nil {
			r.opt.Log.Warn("the token could not be saved", "err", err)
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

// shares reports whether any process takes the answer of a person.
func (r *Runner) shares() bool { return r.opt.Detached && r.opt.Store != nil }

// resumes reports whether a run goes on with a login that waits for its person, rather than with a token.
func (r *Runner) resumes(x *run) bool {
	if !r.shares() || x.need.Status == 0 {
		return false
	}
	t, ok := r.f.Token(time.Now())
	return x.looks || !ok || t.Access == x.need.Used
}
