package nethttp

import (
	"errors"
	"net/http"
	"runtime/debug"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
)

// errPanic means that a function of the application panicked, which Options.Recover has reported.
var errPanic = errors.New("nethttp: a function of the application panicked")

// recovered reports a panic, if Recover is set, and converts it to an error. It must be deferred.
func (h *Handler) recovered(err *error) {
	if h.recover == nil {
		return
	}
	if v := recover(); v != nil {
		h.recover(v, debug.Stack())
		*err = errPanic
	}
}

// authenticate calls Options.Authenticate.
func (h *Handler) authenticate(r *http.Request) (who Principal, err error) {
	defer h.recovered(&err)
	return h.opt.Authenticate(r) // HTTP-004
}

// broken is the answer if a function of the application panicked.
func broken() *headers.Refusal {
	return headers.Refuse(http.StatusInternalServerError, "the server failed")
}

// storeFailed logs that a turn was not made, and what to do if that is known.
func (h *Handler) storeFailed(err error) {
	what := "nethttp: the store failed"
	switch {
	case errors.Is(err, lifecycle.ErrSnapshot):
		what = "nethttp: a session cannot be read: want the same HashKey, Config and version of this module in all processes"
	case errors.Is(err, ErrLease):
		what = "nethttp: nothing is begun without a lease"
	}
	h.opt.Log.Error(what, "err", err)
}
