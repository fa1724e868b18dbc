package nethttp

import (
	"errors"
	"net/http"
	"runtime/debug"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol/headers"
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
	return h.opt.Authenticate(r) // HTTP-004
}

// broken answers for a function of the application that panicked.
func broken() *headers.Refusal {
	return headers.Refuse(http.StatusInternalServerError, "the server failed")
}

// storeFailed says in the log that a turn was not made, and what to do where that is known.
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
