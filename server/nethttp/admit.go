package nethttp

import (
	"context"
	"errors"
)

// create stores the first record of a session, which no other session replaces until it rests.
func (x *exchange) create(id string, r Record) (string, error) {
	if err := x.admitSession(id, r); err != nil {
		return "", err
	}
	return id, x.h.store(x.ctx, id, r)
}

// store stores the first record of a session that was admitted. On error the session is over.
func (h *Handler) store(ctx context.Context, id string, r Record) (err error) {
	stored := false
	defer func() { // also if the Store panics
		if !stored {
			h.due.forget(id)
		}
	}()
	defer h.recovered(&err)
	for range 2 { // ErrStep means that the Store began an epoch in between
		if r.epoch, err = h.epoch(ctx, id); err != nil {
			return err
		}
		if err = h.opt.Store.Put(ctx, id, r, 0); !errors.Is(err, ErrStep) {
			break
		}
	}
	stored = err == nil
	return err
}

// admitSession adds a new session, if need be in place of an idle one.
func (x *exchange) admitSession(id string, r Record) error {
	h := x.h
	for range maxVictims {
		victim, bare, ok := h.due.begin(id, h.next(r, nil, nil), x.owner(), h.opt.MaxSessionsPerPrincipal, h.opt.MaxSessions)
		if ok {
			return nil
		}
		if victim == "" {
			break
		}
		err := h.turn(x.ctx, victim, func(t *turn) error {
			st := h.stripe(victim)
			is := t.sessionUse(h, st, victim)
			// Its client is back, or it continues at another process.
			if is.busy || bare && is.ready || t.State.Status().Inbound > 0 || t.Streams.Listeners() > 0 {
				h.due.turned(victim, h.next(t.Record, t.live, st.sides[victim]), t.now, is)
				return errSame
			}
			t.end(errRoom)
			return nil
		})
		if err != nil && !errors.Is(err, errSame) && !errors.Is(err, ErrNoSession) {
			return err
		}
	}
	return errFull
}

// maxVictims is how many sessions a new one tries to replace: other new sessions may be faster, or
// the clients of the idle ones come back.
const maxVictims = 8

var errRoom = errors.New("nethttp: the session gave way to a new one")
