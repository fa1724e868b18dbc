package nethttp

import (
	"context"
	"errors"
	"time"
)

// shrink gives up what sessions keep for their clients until Options.KeptBytes holds: first of those
// without a connection here, and of those first of the one that was not heard for longest.
func (h *Handler) shrink(ctx context.Context) {
	h.shrinking.Lock() // so that each one takes what is still too much
	defer h.shrinking.Unlock()
	for {
		id, kept, ok := h.due.keeper(h.opt.KeptBytes)
		if !ok {
			return
		}
		err := h.turnAlone(ctx, id, func(t *turn) error {
			x, s, eff := t.Streams.Shrink(t.State, t.now, kept)
			t.Streams, t.State = x, s
			t.add(eff)
			return nil
		})
		if err != nil && !errors.Is(err, ErrNoSession) {
			h.opt.Log.Error("nethttp: the store failed", "err", err)
			return
		}
	}
}

// keeper returns the session that has to give something up for all to keep no more than most, and how
// much of it may stay; false if none has to. One alone may have it all: it has bounds of its own.
func (s *schedule) keeper(most int) (id string, kept int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	more := int(s.kept.Load()) - most
	if more <= 0 || s.away.n+s.linked.n < 2 {
		return "", 0, false
	}
	e := s.away.first
	if e == nil {
		e = s.linked.first
	}
	in := e.links[byKept].in // behind the others, in case that it has nothing to give
	e.leave(byKept)
	in.push(e)
	return e.id, max(e.kept-more, 0), true
}

// Idle returns since when nobody listens to a session and no call of it runs, as far as this Handler
// knows; ok is false while somebody does, and for a session that it does not know. Such a session
// gives way to a new one when there is no room, so a Companion may free what it holds for it.
func (h *Handler) Idle(session string) (since time.Time, ok bool) { return h.due.idle(session) }
