package nethttp

import (
	"context"
	"errors"
	"time"
)

// clock makes the turns that are due, until Close.
func (h *Handler) clock() {
	timer := time.NewTimer(time.Hour)
	pressed, relieved := h.pressed, make(chan struct{}, 1)
	free := make(chan struct{}, ticks) // a slow Store holds up so many
	for {
		id, ok, wait := h.due.due(time.Now(), h.opt.IdleTimeout)
		if ok {
			select {
			case free <- struct{}{}:
			case <-h.ctx.Done():
				return
			}
			h.wg.Go(func() {
				defer func() { <-free }()
				h.tick(id)
			})
			continue
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-h.due.moved:
		case <-pressed:
			pressed = nil // what comes meanwhile stays in it
			h.wg.Go(func() {
				defer poke(relieved)          // also if a function ends the goroutine
				for least := 1; ; least = 0 { // a call may have been refused
					h.relieve(h.ctx, least)
					select {
					case <-h.pressed:
					default:
						return
					}
				}
			})
		case <-relieved:
			pressed = h.pressed
		case <-h.ctx.Done():
			return
		}
	}
}

// ticks is how many sessions are looked at at the same time.
const ticks = 8

// tick lets time pass in a session, and ends it if it is idle.
func (h *Handler) tick(id string) {
	next, returned := time.Time{}, false
	defer func() {
		if !returned { // a function has ended the goroutine
			h.due.at(id, time.Now().Add(storeRetry))
		}
	}()
	err := h.turn(context.Background(), id, func(t *turn) error {
		sd := h.stripe(id).sides[id]
		busy := t.live != nil || sd.busy(t.State)
		idle := t.now.Sub(t.Active)
		away := h.here(&t.Record) != nil // its home lets time pass in it
		if !h.alone && !single(id) {     // clocks of others may be behind this one: by its own it saw no turn for so long
			idle = min(idle, h.due.unchanged(id, t.Step, t.now))
		}
		state, ok := t.State.NextDeadline()
		tick := ok && !state.After(t.now)
		if stream, ok := t.Streams.NextDeadline(); ok && !stream.After(t.now) {
			tick = true
		}
		wake, waits := sd.due()
		t.woken = waits && !wake.After(t.now)
		tick = tick && !away
		switch limit := h.idle(t.Record); {
		case !busy && idle >= limit, t.over && idle >= limit:
			t.end(errIdle)
			return nil
		case busy && idle >= limit/2:
			t.Active = t.now // so that no other process ends it
		case !tick && t.woken:
			t.same = true // unless the Companion does something
			return nil
		case !tick:
			r := t.Record
			r.Active = t.now.Add(-idle)
			next = h.next(r, t.live, sd)
			if away {
				next = r.Active.Add(limit)
			}
			return errSame
		}
		if tick {
			t.step(t.State.Tick(t.now))
			t.moved(t.Streams.Tick(t.State, t.now))
		}
		return nil
	})
	returned = true
	switch {
	case err == nil, errors.Is(err, ErrNoSession):
	case errors.Is(err, errSame):
		h.due.at(id, next)
	default:
		h.storeFailed(err)
		h.due.at(id, time.Now().Add(storeRetry))
	}
}

// errSame says that there is nothing to do.
var errSame = errors.New("nethttp: nothing is due")
