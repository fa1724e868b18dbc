package nethttp

import (
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// sessionUse returns how a session is used after a turn. The stripe is locked.
func (t *turn) sessionUse(h *Handler, st *stripe, id string) sessionUse {
	is := sessionUse{
		ready: t.over || t.State.Phase() == lifecycle.Ready,
		busy:  st.live[id] != nil, heard: t.Active.Equal(t.now),
		linked: len(st.live[id].connections()) > 0, kept: t.Streams.Bytes(),
	}
	if st.sides[id].busy(t.State) {
		is.busy, is.asked = true, calls(t.State)
	}
	if h.opt.Authenticate != nil {
		is.who = t.Principal
	}
	return is
}

// calls returns how many requests of the client wait for an answer. A subscription does not count: it is open
// as long as the client listens.
func calls(s server.State) int {
	n := s.Status().Inbound
	if n > 0 {
		for range s.Listens() {
			n--
		}
	}
	return n
}

// next returns when a session must be looked at again; l and sd are this process's part of it.
func (h *Handler) next(r Record, l *live, sd *side) time.Time {
	idle := h.idle(r)
	if l != nil || sd.busy(r.State) {
		idle /= 2
	}
	at := r.Active.Add(idle)
	if t, ok := sd.due(); ok && t.Before(at) {
		at = t
	}
	if t, ok := r.State.NextDeadline(); ok && t.Before(at) {
		at = t
	}
	if t, ok := r.Streams.NextDeadline(); ok && t.Before(at) {
		at = t
	}
	return at
}

// idle is how long the session may be idle.
func (h *Handler) idle(r Record) time.Duration {
	switch {
	case r.over:
		return min(h.opt.IdleTimeout, overTimeout)
	case r.State.Phase() != lifecycle.Ready:
		return min(h.opt.IdleTimeout, handshakeTimeout)
	}
	return h.opt.IdleTimeout
}

// overTimeout is how long the rest of a session that has ended can be read.
const overTimeout = 5 * time.Second
