package nethttp

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// record returns the newest record for a connection.
func (x *exchange) record(id string, c *conn) (r Record, err error) {
	err = insist(x.r.Context(), c.over, func() error {
		r, err = x.h.opt.Store.Get(x.ctx, id)
		return err
	})
	return r, err
}

// insist calls f, and again for three seconds if it fails, as long as ctx is not done and over is
// not closed: the client that waits has no way to ask again.
func insist(ctx context.Context, over <-chan struct{}, f func() error) error {
	for wait := firstRetry; ; wait *= 2 {
		err := f()
		if err == nil || errors.Is(err, ErrNoSession) || wait > lastRetry || ctx.Err() != nil || isClosed(over) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-over:
		case <-ctx.Done():
		}
	}
}

const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 1600 * time.Millisecond
)

// detach handles the end of a connection. It cancels nothing (HTTP-020). The response ends when this returns, so it
// does not wait for a Store that fails. It returns true if nothing is left to do.
func (h *Handler) detach(ctx context.Context, id string, c *conn) bool {
	detach := func() error { return h.turn(ctx, id, func(t *turn) error { return t.detached(c) }) }
	if isClosed(c.over) { // others do it too
		if h.later(func() { h.hasLeft(id, c, detach()) }) {
			return false
		}
	}
	err := detach()
	if err != nil && !errors.Is(err, ErrNoSession) {
		if h.later(func() { h.hasLeft(id, c, insist(h.ctx, c.over, detach)) }) {
			return false
		}
	}
	h.hasLeft(id, c, err)
	return err == nil
}

// hasLeft is the end of detach.
func (h *Handler) hasLeft(id string, c *conn, err error) {
	if err != nil {
		h.leave(id, c)
		return
	}
	h.watch(id) // as leave does
}

// leave removes a connection from those of this process, without a turn: its stream or the session
// has ended.
func (h *Handler) leave(id string, c *conn) {
	st := h.lock(id)
	defer h.unlock(id, st)
	if l := st.live[id]; l != nil {
		l.drop(c)
		l.tidy(st)
		if st.live[id] == l { // watch the session as long as functions run
			l.watch()
		}
	}
}

// unanswered ends the response to a POST that was accepted, and whose answer is not in the Store. If
// the session is gone, the response is a stream that says so: 404 would tell the client that the call
// did not begin.
func (x *exchange) unanswered(id string, c *conn, err error) {
	if x.h.leave(id, c); len(c.answer) > 0 { // the turn that accepted it was under way
		x.write(http.StatusOK, <-c.answer)
		return
	}
	ended := errors.Is(err, ErrNoSession) || errors.Is(err, errForeign)
	switch {
	case errors.Is(err, errPanic):
		x.failed(err)
	case !ended: // the message may have had effects
		x.h.storeFailed(err)
		x.refuse(lost())
	case x.whole:
		x.refuse(lost())
	default:
		x.tellLost(c)
		x.starts(-1)
	}
}

// lapsed ends the response to a POST whose process no longer has a lease. If another process has answered its
// call, the response has that answer.
func (x *exchange) lapsed(id string, c *conn) {
	r, err := x.h.opt.Store.Get(x.ctx, id)
	body, _ := r.Streams.Whole(c.at)
	switch {
	case len(c.answer) > 0: // the turn that accepted it was under way
		x.write(http.StatusOK, <-c.answer)
	case err == nil && body != nil:
		x.write(http.StatusOK, body)
	default:
		x.refuse(lost())
	}
}
