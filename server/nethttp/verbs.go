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

// ErrContext is returned by HangUp for any context other than that of a function that a Handler
// runs.
var ErrContext = errors.New("nethttp: not the context of a call")

// HangUp closes the connection on which the client waits for the answer to the call of ctx, so that
// a long call costs no connection. The answer and everything before it is kept: the client comes
// back after retry, where zero means streams.Options.Retry (HTTP-104, HTTP-105). Errors: ErrContext,
// lifecycle.ErrGone if the call has ended, lifecycle.ErrRevision if the revision of the session is
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

// gone returns err as an error of package lifecycle.
func gone(err error) error {
	if errors.Is(err, ErrNoSession) || errors.Is(err, errForeign) {
		return lifecycle.ErrGone
	}
	return err
}

// Notify sends a notification to a session outside of any call: on a GET stream, or on the next one.
// Errors: those of server.State.Notify, lifecycle.ErrGone if the session does not exist, and those of
// the Store.
func (h *Handler) Notify(ctx context.Context, session string, n protocol.Params) error {
	return gone(h.turn(ctx, session, func(t *turn) error {
		s, out, err := t.State.Notify(t.now, n, server.Call{})
		if err == nil {
			t.stepped(s, out)
		}
		return err
	}))
}

// Broadcast sends a notification to all sessions that this Handler knows: those that began or were
// served here. It skips sessions for which State.Notify returns an error, such as those that are
// not ready. The update of a resource goes only to its subscribers. The error is that of the Store,
// or of ctx.
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

// Sessions returns the ids of the sessions that this Handler knows, in no particular order.
func (h *Handler) Sessions() []string { return h.due.ids() }

// Status is the current load of a Handler.
type Status struct {
	Sessions    int // known sessions
	Connections int // open responses
	Running     int // functions that have not returned
	Waiting     int // calls that wait to run
}

// Status returns the current load of the Handler.
func (h *Handler) Status() Status {
	w := h.work.Status()
	return Status{Sessions: h.due.len(), Connections: int(h.conns.Load()), Running: w.Running, Waiting: w.Waiting}
}

// End ends a session: its calls are lost, and its client gets 404 from now on. Errors: those of the
// Store.
func (h *Handler) End(ctx context.Context, session string) error {
	return h.end(ctx, session, errShutdown)
}

// end is End with a cause.
func (h *Handler) end(ctx context.Context, session string, cause error) error {
	err := h.turn(ctx, session, func(t *turn) error {
		t.end(cause)
		return nil
	})
	if errors.Is(err, ErrNoSession) {
		return nil
	}
	return err
}

// StepNow makes the Companion of a session take a step, because something for it has arrived from
// elsewhere. It waits for the turn. Errors: lifecycle.ErrGone if the session does not exist, and those
// of the Store: then no step was made.
func (h *Handler) StepNow(ctx context.Context, session string) error {
	return gone(h.turn(ctx, session, stepNow))
}

// StepAll is StepNow for all sessions that this Handler knows, after a change of what they are
// offered: their clients are notified at once. The error is that of the Store, or of ctx.
func (h *Handler) StepAll(ctx context.Context) error {
	return h.all(ctx, func(id string) error { return h.StepNow(ctx, id) })
}

// Idle returns since when a session has no connection and no running call, as far as this Handler
// knows; ok is false if it has one, or if the Handler does not know the session. A new session may
// replace an idle one, so a Companion may free what it holds for it.
func (h *Handler) Idle(session string) (since time.Time, ok bool) {
	if h.few(session) && h.stripe(session).putsOff(session) {
		return time.Time{}, false
	}
	return h.due.idle(session)
}
