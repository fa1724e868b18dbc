package nethttp

import (
	"fmt"
	"net/http"

	"github.com/sansmcp/mcp/protocol/headers"
	"github.com/sansmcp/mcp/server/internal/cluster"
)

// A session whose Companion lives in one process has a home: the process that the record names. The home makes the
// Companion, in the turn that names it. Other processes pass requests on to it. Once it is dead, the process that gets
// the next request becomes the home.

// homes reports whether sessions may have homes.
func (h *Handler) homes() bool { return h.member != nil && h.opt.Internal.URL != "" }

// isAt reports whether this process has the id now.
func (h *Handler) isAt(process string) bool {
	if h.member == nil {
		return false
	}
	a := h.member.now.Load()
	return a != nil && a.process == process
}

// elsewhere is why a turn is not made here: another process is the home of the session, or has issued the state that a
// request without a session brings back.
type elsewhere struct {
	home  cluster.Entry
	retry bool
}

func (e *elsewhere) Error() string {
	return fmt.Sprintf("nethttp: the home of the session is %s", e.home.Process)
}

// here returns an *elsewhere if another process is the home of the session.
func (h *Handler) here(r *Record) error {
	if !h.homes() {
		return nil
	}
	if home, ok := r.owners.Home(); ok && !h.isAt(home.Process) {
		return &elsewhere{home: home}
	}
	return nil
}

// homed reports whether the Companion lives in its process.
func (sd *side) homed() bool {
	c, ok := sd.c.(interface{ Homed() bool })
	return ok && c.Homed()
}

// becomesHome reports whether a turn makes this process the home of the session.
func (t *turn) becomesHome() bool {
	_, ok := t.owners.Home()
	return t.home && !ok
}

// misdirected is the answer to a request that another process has passed on if nothing was done: a third process is the
// home of its session.
func misdirected() *headers.Refusal {
	return headers.Refuse(http.StatusMisdirectedRequest, "the session is at another process")
}
