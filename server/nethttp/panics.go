package nethttp

import (
	"errors"
	"net/http"
	"runtime/debug"

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
