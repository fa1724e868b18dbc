package nethttp

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// read reads the record of a session, and before that its branch: the record was read there, if it can be stored there.
// The stripe is locked.
func (h *Handler) read(ctx context.Context, st *stripe, id string) (r Record, branch uint64, err error) {
	if branch, err = h.epoch(ctx, id); err == nil {
		r, err = h.opt.Store.Get(ctx, id)
	}
	h.readAs(ctx, st, id, err)
	return r, branch, err
}

// readAs notes what became of a look at the Store. The stripe is locked.
func (h *Handler) readAs(ctx context.Context, st *stripe, id string, err error) {
	if err != nil && !h.few(id) && !errors.Is(err, ErrNoSession) && ctx.Err() == nil {
		st.unread, st.why = time.Now(), err
	}
}

// maxTries bounds retries; each failed try means another process stored a turn.
const maxTries = 1000

// backOff waits before another try, longer with each, so that other processes finish their turns.
func backOff(tries int) {
	if tries > 3 {
		time.Sleep(rand.N(min(time.Duration(tries)*100*time.Microsecond, 10*time.Millisecond)))
	}
}

// later runs f on a goroutine of its own, which Close waits for. It reports false after Close.
func (h *Handler) later(f func()) bool {
	h.locks.mu.Lock() // Close takes it after it has begun, and before it waits
	defer h.locks.mu.Unlock()
	if h.ctx.Err() != nil {
		return false
	}
	h.wg.Go(f)
	return true
}

// isClosed reports whether a channel is closed on which nothing is sent; nil never is.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// pause waits, unless ctx ends before.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// asked returns a context for one question to the Cluster.
func (m *member) asked(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, m.lease/3)
}
