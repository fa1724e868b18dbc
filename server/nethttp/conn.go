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

// insist does what has to do with the Store, and again for three seconds if that fails, as
// long as ctx goes on and over is not closed: a client waits for it that has no way to ask again.
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

// detach takes in that a connection is gone. It cancels nothing (HTTP-020). The response ends when this returns, so that
// it does not wait for a Store that fails.
func (h *Handler) detach(ctx context.Context, id string, c *conn) {
	detach := func() error { return h.turn(ctx, id, func(t *turn) error { return t.detached(c) }) }
	if isClosed(c.over) { // others do it as well
		if h.later(func() { h.hasLeft(id, c, detach()) }) {
			return
		}
	}
	err := detach()
	if err != nil && !errors.Is(err, ErrNoSession) {
		if h.later(func() { h.hasLeft(id, c, insist(h.ctx, c.over, detach)) }) {
			return
		}
	}
	h.hasLeft(id, c, err)
}

// hasLeft ends detach.
func (h *Handler) hasLeft(id string, c *conn, err error) {
	if err != nil {
		h.leave(id, c)
		return
	}
	h.watch(id) // as leave does
}

// leave takes a connection from those of this process, without a turn: its stream has ended,
// or the session has.
func (h *Handler) leave(id string, c *conn) {
	st := h.lock(id)
	defer h.unlock(id, st)
	if l := st.live[id]; l != nil {
		l.drop(c)
		l.tidy(st)
		if st.live[id] == l { // what runs on is looked after
			l.watch()
		}
	}
}

// unanswered ends the response to a POST that was taken, and whose answer is not in the Store. If the
// session is gone, it is a stream that says so: 404 would tell the client that the call did not begin.
func (x *exchange) unanswered(id string, c *conn, err error) {
	if x.h.leave(id, c); len(c.answer) > 0 { // the turn that took it was under way
		x.write(http.StatusOK, <-c.answer)
		return
	}
	ended := errors.Is(err, ErrNoSession) || errors.Is(err, errForeign)
	switch {
	case errors.Is(err, errPanic):
		x.failed(err)
	case !ended: // what was done is done
		x.h.storeFailed(err)
		x.refuse(lost())
	case x.whole:
		x.refuse(lost())
	default:
		x.tellLost(c)
		x.starts(-1)
	}
}

// lapsed ends the response to a POST whose process has no lease any more. If others have answered its call, it has
// their answer.
func (x *exchange) lapsed(id string, c *conn) {
	r, err := x.h.opt.Store.Get(x.ctx, id)
	body, _ := r.Streams.Whole(c.at)
	switch {
	case len(c.answer) > 0: // the turn that took it was under way
		x.write(http.StatusOK, <-c.answer)
	case err == nil && body != nil:
		x.write(http.StatusOK, body)
	default:
		x.refuse(lost())
	}
}
