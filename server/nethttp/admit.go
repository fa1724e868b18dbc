package nethttp

import "errors"

// create stores the first record of a session, which no other session replaces until it rests.
func (x *exchange) create(id string, r Record) (_ string, err error) {
	if err = x.admitSession(id, r); err != nil {
		return "", err
	}
	stored := false
	defer func() { // also if the Store panics
		if !stored {
			x.h.due.forget(id)
		}
	}()
	defer x.h.recovered(&err)
	for range 2 { // ErrStep means that the Store began an epoch in between
		if r.epoch, err = x.h.epoch(x.ctx, id); err != nil {
			return "", err
		}
		if err = x.h.opt.Store.Put(x.ctx, id, r, 0); !errors.Is(err, ErrStep) {
			break
		}
	}
	stored = err == nil
	return id, err
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
