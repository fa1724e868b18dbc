package nethttp

import (
	"context"
	"errors"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// Turn implements host.Turner.
func (l *live) Turn(f func(s server.State, now time.Time) (server.State, server.Output, error)) error {
	err := l.h.turn(context.Background(), l.id, func(t *turn) error {
		s, out, err := f(t.State, t.now)
		if err != nil && out.IsZero() {
			return err
		}
		if l.as != nil && !l.as.may(t, out) {
			return lifecycle.ErrGone
		}
		t.stepped(s, out)
		return err
	})
	if errors.Is(err, ErrNoSession) {
		return lifecycle.ErrGone
	}
	return err
}

// State returns the current session, for server.Caller; the zero State after its end.
func (l *live) State() server.State {
	r, err := l.h.opt.Store.Get(context.Background(), l.id)
	if err != nil {
		return server.State{}
	}
	return r.State
}

// Idle is called when the last function has returned.
func (l *live) Idle() {
	st := l.h.lock(l.id)
	defer l.h.unlock(l.id, st)
	l.tidy(st)
}
