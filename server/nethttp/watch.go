package nethttp

import (
	"context"
	"errors"
	"time"
)

// watch takes in what other processes do to the session, from now on until nothing of it is
// left here. Where nobody else has the Store there are none.
func (h *Handler) watch(id string) {
	if h.alone {
		return
	}
	st := h.lock(id)
	defer h.unlock(id, st)
	if l := st.live[id]; l != nil {
		l.watch()
	}
}

// watch is Handler.watch. The stripe is locked.
func (l *live) watch() {
	h := l.h
	if h.alone || l.watched != nil || h.ctx.Err() != nil {
		return
	}
	var ctx context.Context
	ctx, l.watched = context.WithCancel(h.ctx)
	step := l.seen.Step
	h.wg.Go(func() { l.look(ctx, step) })
}

// look is the goroutine of watch.
func (l *live) look(ctx context.Context, step uint64) {
	for ctx.Err() == nil {
		before := step
		var err error
		step, err = l.lookOnce(ctx, step)
		switch {
		case errors.Is(err, ErrNoSession):
			return
		case err != nil:
			pause(ctx, storeRetry)
		case step == before: // Wait returned early, and may do so again
			pause(ctx, lookPause)
		}
	}
}

func (l *live) lookOnce(ctx context.Context, step uint64) (_ uint64, err error) {
	defer l.h.recovered(&err)
	if err := l.h.opt.Store.Wait(ctx, l.id, step); err != nil {
		return step, err
	}
	return l.catchUp(ctx, step)
}

// catchUp takes in the turns that other processes have made.
func (l *live) catchUp(ctx context.Context, step uint64) (uint64, error) {
	st := l.h.lock(l.id)
	defer l.h.unlock(l.id, st)
	if l.seen.Step > step { // turns of this process
		step = l.seen.Step
	}
	r, err := l.h.opt.Store.Get(ctx, l.id)
	l.h.readAs(ctx, st, l.id, err)
	switch {
	case errors.Is(err, ErrNoSession):
		l.h.lost(st, l.id)
		return step, err
	case err != nil || r.mark() == l.seen:
		return step, err
	}
	if l.h.member != nil {
		if l.h.tenured(st, l.id, r); st.live[l.id] != l {
			return step, ErrNoSession // nothing of it is here any more
		}
	}
	if st.doubts[l.id] != nil {
		if err := l.h.turnLocked(ctx, st, l.id, unchanged); err != nil {
			return step, err
		}
	}
	if r.epoch != l.seen.Epoch || r.Step < l.seen.Step { // what is here may be of turns that are lost
		err := l.h.turnLocked(ctx, st, l.id, l.h.confirm(l.id))
		return l.seen.Step, err
	}
	if l.hasMail(&r) {
		// It sees what was missed, too.
		return l.seen.Step, l.h.turnLocked(ctx, st, l.id, func(*turn) error { return nil })
	}
	if r.over { // its record goes soon
		l.h.due.at(l.id, time.Now().Add(overTimeout))
	}
	l.seen = r.mark()
	l.calls.Reconcile(r.State)
	l.signal()
	return r.Step, nil
}

// lookPause is how long a Store that had no news is left alone.
const lookPause = 10 * time.Millisecond
