package nethttp

import (
	"errors"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server"
)

// errPanic says that a function of the application panicked, which Options.Recover has reported.
var errPanic = errors.New("nethttp: a function of the application panicked")

// recovered reports a panic, where that is wanted, and makes an error of it. It is deferred.
func (h *Handler) recovered(err *error) {
	if h.recover == nil {
		return
	}
	if v := recover(); v != nil {
		h.recover(v, debug.Stack())
		*err = errPanic
	}
}

// authenticate asks Options.Authenticate.
func (h *Handler) authenticate(r *http.Request) (who Principal, err error) {
	defer h.recovered(&err)
	return h.opt.Authenticate(r)
}

// lastStep lets a Companion take part in the last turn of its session, which it cannot put off: what
// panics has no part in it.
func (h *Handler) lastStep(sd *side, t *turn, out server.Output) (s server.State, _ server.Output, wake time.Time) {
	s = t.State
	var err error
	defer h.recovered(&err)
	return sd.c.Step(t.State, t.now, out)
}

// part tells a Companion that its session is gone.
func (h *Handler) part(sd *side) {
	var err error
	defer h.recovered(&err)
	sd.lost()
}

// broken answers for a function of the application that panicked.
func broken() *headers.Refusal {
	return headers.Refuse(http.StatusInternalServerError, "the server failed")
}
