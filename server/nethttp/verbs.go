package nethttp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// ErrContext is what HangUp returns for a context that is none of a function that a Handler
// runs.
var ErrContext = errors.New("nethttp: not the context of a call")

// HangUp closes the connection on which the client waits for the answer of the call that ctx
// belongs to, and keeps the answer and all before it: the client comes back after retry,
// zero means streams.Options.Retry, and again if the connection is closed again (HTTP-104,
// HTTP-105). What takes long costs no connection so. Errors: ErrContext, lifecycle.ErrGone
// where the call has ended, lifecycle.ErrRevision where the client does not know of this,
// before 2025-11-25.
func HangUp(ctx context.Context, retry time.Duration) error {
	r, ok := ctx.Value(callKey{}).(*running)
	if !ok {
		return ErrContext
	}
	return gone(r.h.turn(context.WithoutCancel(ctx), r.id, func(t *turn) error {
		if !t.State.Revision().Polling() { // HTTP-017
			return fmt.Errorf("nethttp: the client does not poll: %w", lifecycle.ErrRevision)
		}
		x, s, eff, err := t.Streams.HangUp(t.State, t.now, t.State.Call(r.seq, r.key), retry)
		if err == nil {
			t.moved(x, s, eff)
		}
		return err
	}))
}

// gone is err for those who know the errors of package lifecycle.
func gone(err error) error {
	if errors.Is(err, ErrNoSession) || errors.Is(err, errForeign) {
		return lifecycle.ErrGone
	}
	return err
}

// Notify sends a notification to a session outside of any call: by a GET stream, for which it
// waits if there is none. Errors: those of server.State.Notify, lifecycle.ErrGone for a
// session that does not exist, and those of the Store.
func (h *Handler) Notify(ctx context.Context, session string, n protocol.Params) error {
	return gone(h.turn(ctx, session, func(t *turn) error {
		s, out, err := t.State.Notify(t.now, n, server.Call{})
		if err == nil {
			t.stepped(s, out)
		}
		return err
	}))
}

// Broadcast sends a notification to all sessions that this Handler knows: those that began
// here or were served here. One for which State.Notify has an error, as a client that is not
// ready has, is left out; of an update of a resource only those hear who subscribed to it.
// The error is that of the Store, or of ctx.
func (h *Handler) Broadcast(ctx context.Context, n protocol.Params) error {
	return h.all(ctx, func(id string) error { return h.Notify(ctx, id, n) })
}

// all runs f for all sessions. Errors of package lifecycle are those of one session.
func (h *Handler) all(ctx context.Context, f func(id string) error) (failed error) {
	for _, id := range h.due.ids() {
		if err := ctx.Err(); err != nil {
			return err
		}
		var verb *lifecycle.OpError
		if err := f(id); err != nil && !errors.As(err, &verb) && !errors.Is(err, lifecycle.ErrGone) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}

// Sessions returns the ids of the sessions that this Handler knows, in no order.
func (h *Handler) Sessions() []string { return h.due.ids() }

// Status is what a Handler does at the moment.
type Status struct {
	Sessions    int // that it knows
	Connections int // responses under way
	Running     int // functions that have not returned
	Waiting     int // calls that wait for their turn
}

// Status returns what the Handler does at the moment.
func (h *Handler) Status() Status {
	w := h.work.Status()
	return Status{Sessions: h.due.len(), Connections: int(h.conns.Load()), Running: w.Running, Waiting: w.Waiting}
}

// End ends a session: its calls are given up, its client hears 404 from now on. Errors: those
// of the Store.
func (h *Handler) End(ctx context.Context, session string) error {
	err := h.turn(ctx, session, func(t *turn) error {
		t.end(errShutdown)
		return nil
	})
	if errors.Is(err, ErrNoSession) {
		return nil
	}
	return err
}

// StepNow has the Companion of a session make a step, because something has come for it from
// elsewhere. It waits for the turn. Errors: lifecycle.ErrGone for a session that does not exist,
// and those of the Store: then no step was made.
func (h *Handler) StepNow(ctx context.Context, session string) error {
	return gone(h.turn(ctx, session, func(t *turn) error {
		t.same, t.woken = true, true
		return nil
	}))
}

// StepAll is StepNow for all sessions that this Handler knows: after what they are offered has
// changed, so that their clients hear of it at once. The error is that of the Store, or of ctx.
func (h *Handler) StepAll(ctx context.Context) error {
	return h.all(ctx, func(id string) error { return h.StepNow(ctx, id) })
}

// Idle returns since when nobody listens to a session and no call of it runs, as far as this Handler
// knows; ok is false while somebody does, and for a session that it does not know. Such a session
// gives way to a new one when there is no room, so a Companion may free what it holds for it.
func (h *Handler) Idle(session string) (since time.Time, ok bool) { return h.due.idle(session) }
