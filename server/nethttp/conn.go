package nethttp

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
)

// record returns the newest record for a connection.
func (x *exchange) record(id string) (r Record, err error) {
	err = x.h.insist(x.r.Context(), func() error {
		r, err = x.h.opt.Store.Get(x.ctx, id)
		return err
	})
	return r, err
}

// insist does what has to do with the Store, and again for three seconds if that fails, as
// long as ctx goes on: a client waits for it that has no way to ask again.
func (h *Handler) insist(ctx context.Context, f func() error) error {
	for wait := firstRetry; ; wait *= 2 {
		err := f()
		if err == nil || errors.Is(err, ErrNoSession) || wait > lastRetry || ctx.Err() != nil {
			return err
		}
		pause(ctx, wait)
	}
}

// once does it once.
func once(_ context.Context, f func() error) error { return f() }

const (
	firstRetry = 50 * time.Millisecond
	lastRetry  = 1600 * time.Millisecond
)

// detach takes in that a connection is gone. It cancels nothing (HTTP-020).
func (h *Handler) detach(ctx context.Context, id string, c *conn) {
	detach := func() error { return h.turn(ctx, id, func(t *turn) error { return t.detached(c) }) }
	insist := h.insist
	select {
	case <-c.over: // others do it
		insist = once
	default:
	}
	err := insist(h.ctx, detach)
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
// session is gone, it is an empty stream: 404 would tell the client that the call did not begin.
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
		x.streamHead()
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

// streamHead writes the head of a stream.
func (x *exchange) streamHead() {
	head := x.w.Header()
	head["Content-Type"] = typeStream
	head["Cache-Control"] = noCache
	head["X-Accel-Buffering"] = noBuffer // proxies pass on what comes, when it comes (HTTP-213)
	x.w.WriteHeader(http.StatusOK)
}

var (
	typeStream = []string{headers.EventStream}
	noCache    = []string{"no-cache, no-transform"}
	noBuffer   = []string{"no"}
)
