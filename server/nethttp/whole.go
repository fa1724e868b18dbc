package nethttp

import (
	"net/http"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/streams"
)

// flushes reports whether what is written to w can be sent at once, as a stream needs it.
func flushes(w http.ResponseWriter) bool {
	for {
		switch v := w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = v.Unwrap()
		default:
			return false
		}
	}
}

// awaitWhole answers a POST with JSON, however long it takes: its client takes no stream, or none can
// be written. What else is sent within the call is left out.
func (x *exchange) awaitWhole(id string, c *conn) {
	h := x.h
	defer h.detach(x.ctx, id, c)
	h.watch(id)
	l := x.newLease()
	for last := false; ; {
		select {
		case body := <-c.answer:
			x.write(http.StatusOK, body)
			return
		default:
		}
		r, err := x.record(id, c)
		if err != nil {
			x.unanswered(id, c, err)
			return
		}
		body, end := r.Streams.Whole(c.at)
		if body != nil {
			x.write(http.StatusOK, body)
			return
		}
		if end != streams.Open || r.over || last || isClosed(l.revoked) {
			switch h.leave(id, c); {
			case len(c.answer) > 0: // the turn that took it was under way
				continue
			case end == streams.Ended && !r.over: // the call was cancelled
				x.write(http.StatusAccepted, nil)
			default:
				x.refuse(lost())
			}
			return
		}
		select {
		case body := <-c.answer:
			x.write(http.StatusOK, body)
			return
		case <-c.wake:
		case <-c.over:
			x.lapsed(id, c)
			return
		case <-l.revoked:
		case <-l.expired:
			last = !l.grace()
		case <-x.r.Context().Done():
			return
		case <-h.ctx.Done():
			last = true
		}
	}
}

// noStream says why the stream of a request cannot be had.
func (x *exchange) noStream() *headers.Refusal {
	if flushes(x.w) {
		return headers.Refuse(http.StatusNotAcceptable, "Accept has to list "+headers.EventStream)
	}
	x.h.opt.Log.Error("nethttp: a stream needs a ResponseWriter that can Flush, or Unwrap to one that can")
	return headers.Refuse(http.StatusInternalServerError, "the server cannot stream")
}
