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
	r.kept.text = string(oauth.AppendRecord(nil, rec))
	return rec, err
}

// open begins a run with what the Store has by now, which is locked until a person is asked: of those who
// have the same refresh token one uses it, and the others find what it has become (SEC-112).
func (r *Runner) open(ctx context.Context, need oauth.Need) error {
	if r.opt.Store != nil {
		r.mu.Unlock()
		rec, version, err := r.load(ctx)
		r.mu.Lock()
		if err != nil {
			return err
		}
		if version != r.kept.version { // ours may be newer than what could be saved
			r.kept.version, r.kept.text = version, string(oauth.AppendRecord(nil, rec))
			r.f = r.f.Adopt(time.Now(), rec)
		}
	}
	r.f = r.f.Want(time.Now(), random(), need)
	return nil
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

// close saves the Record, if it has changed, and unlocks its key. A token that cannot be saved is good all
// the same.
func (r *Runner) close(rec oauth.Record) {
	if r.opt.Store == nil {
		return
	}
	text := string(oauth.AppendRecord(nil, rec))
	ctx, end := context.WithTimeout(context.WithoutCancel(r.ctx), requestTime)
	defer end()
	for tries := 0; text != r.kept.text && tries < maxSaves; tries++ {
		version, err := r.opt.Store.Save(ctx, r.kept.key, rec, r.kept.version)
		if err == nil {
			r.kept.version, r.kept.text = version, text
		} else if errors.Is(err, store.ErrChanged) { // by a login, which needs no lock: the last one counts
			_, r.kept.version, err = r.opt.Store.Load(ctx, r.kept.key)
		}
		if err != nil {
			r.opt.Log.Warn("the token could not be saved", "err", err)
			break
		}
	}
	if r.kept.unlock != nil {
		r.kept.unlock()
		r.kept.unlock = nil
	}
}
