package nethttp

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/internal/cluster"
)

// turn makes a turn of a session: f on the newest record, the next one stored in its place, then
// the effects. Turns of one session follow each other in this process, and so do their effects. The
// error is that of f, or of the Store: then nothing has happened.
//
// f must not make a turn itself. It may run several times.
func (h *Handler) turn(ctx context.Context, id string, f func(*turn) error) error {
	err := h.turnAlone(ctx, id, f)
	if h.due.kept.Load() > int64(h.opt.KeptBytes) {
		h.shrink(ctx)
	}
	return err
}

// turnAlone is turn without shrink. A caller that has waited for the session while its record could not be read does
// not wait for the Store too: the Store may be silent, and many callers wait for the session one after the other.
func (h *Handler) turnAlone(ctx context.Context, id string, f func(*turn) error) error {
	var began time.Time
	if !h.few(id) {
		began = time.Now()
	}
	st := h.lock(id)
	defer h.unlock(id, st)
	if st.unread.After(began) {
		return st.why
	}
	return h.turnLocked(ctx, st, id, f)
}

// turnLocked is turnAlone with the stripe locked. Turns that were delayed come first.
func (h *Handler) turnLocked(ctx context.Context, st *stripe, id string, f func(*turn) error) error {
	if len(st.early) > 0 {
		st.enterAll(id)
	}
	return h.turnOf(ctx, st, id, nil, f)
}

// enter makes the turn that was delayed. The stripe is locked.
func (e *early) enter(st *stripe) {
	e.leave(st, isEntered)
	defer e.entered(st) // even if a Companion panics, or ends the goroutine, which may belong to another request
	if err := e.by.keep(e); err != nil {
		e.err = err
	} else {
		e.err = e.h.turnOf(e.in, st, e.id, e, func(t *turn) error { return e.by.takeIn(e, t) })
	}
}

// enterAll makes the delayed turns of a session, in the order of arrival.
func (st *stripe) enterAll(id string) {
	for {
		i := slices.IndexFunc(st.early, func(e *early) bool { return e.id == id })
		if i < 0 {
			return
		}
		st.early[i].enter(st)
	}
}

// turnOf is turnLocked for e, a request whose turn was delayed, or nil.
func (h *Handler) turnOf(ctx context.Context, st *stripe, id string, e *early, f func(*turn) error) (err error) {
	defer h.recovered(&err)
	var (
		sent   *turn // the last try
		failed error // what Put said of it
	)
	for tries := 0; ; tries++ {
		r, branch, err := h.read(ctx, st, id)
		leap := err == nil && h.enter(st, id, &r, branch)
		switch {
		case errors.Is(err, ErrNoSession):
			h.lost(st, id)
			return err
		case err != nil && sent != nil:
			return h.doubt(st, id, failed)
		case err != nil:
			return err
		}
		if h.member != nil {
			h.tenured(st, id, r)
		}
		if t := st.doubts[id]; t != nil {
			outcome, err := h.settle(ctx, id, t, r)
			switch {
			case errors.Is(err, ErrStep) && tries < maxTries: // of the turn in its place: another process was faster
				backOff(tries)
				continue
			case err != nil && t == sent:
				return h.doubt(st, id, failed)
			case err != nil:
				return err
			}
			delete(st.doubts, id)
			if outcome == cluster.Unknown { // no process runs the calls that it may have opened
				if err := h.turnOf(ctx, st, id, nil, h.confirm(id)); err != nil && !errors.Is(err, ErrNoSession) {
					st.doubts[id] = t // it stays open until this succeeds
					if gone := h.doubt(st, id, failed); t == sent {
						return gone
					}
					return err
				}
			}
			switch {
			case outcome == cluster.Stored && t == sent: // although Put returned an error
				return h.done(ctx, st, id, t)
			case outcome == cluster.Stored:
				h.doneLate(ctx, st, id, t)
				continue
			case t == sent && outcome == cluster.Unknown:
				return unknown(failed)
			case t == sent && (tries >= maxTries || !errors.Is(failed, ErrStep)):
				return failed
			case r.Step < t.Step, outcome == cluster.Unknown: // the record has changed since
				continue
			}
		}
		if leap {
			if err := h.entered(ctx, st, id, r); err != nil && (!errors.Is(err, ErrStep) || tries >= maxTries) {
				return err
			}
			backOff(tries)
			continue
		}
		t, err := h.try(ctx, st, id, r, e, f)
		if t == nil {
			return err
		}
		if t.as != nil && !t.as.alive(time.Now()) { // others may have looked already
			t.free()
			return errLapsed
		}
		if sent, failed = t, h.put(ctx, id, t, r); failed == nil {
			return h.done(ctx, st, id, t)
		}
		if errors.Is(failed, lifecycle.ErrLimit) { // it is not stored
			t.free()
			return failed
		}
		if st.doubts == nil {
			st.doubts = map[string]*turn{}
		}
		st.doubts[id] = t // until the next Get shows what became of it
		backOff(tries)
	}
}

// try makes a turn up to the point of storing it. Together with an error of the function there may
// be a turn, as for server.State.Finish.
func (h *Handler) try(ctx context.Context, st *stripe, id string, r Record, e *early, f func(*turn) error) (*turn, error) {
	t := turns.Get().(*turn)
	t.Record, t.now, t.live = r, time.Now(), st.live[id]
	t.missed = t.live != nil && t.live.seen != r.mark()
	if t.early = e; e == nil { // otherwise it came before the current offer
		h.offer(st.sides[id], t)
	}
	t.err = f(t)
	t.same = t.same && !t.news && !t.live.hasMail(&r)
	switch {
	case t.err != nil && t.out.IsZero() && t.touched == nil:
		err := t.err
		t.free()
		return nil, err
	case t.same && !t.woken:
		return t, t.err
	}
	if h.stepAside(ctx, st, id, t); t.same {
		return t, t.err
	}
	t.answerPosts(id)
	t.mail(r)
	if h.member != nil && !single(id) {
		if err := h.own(ctx, id, t, r); err != nil { // nothing has happened
			t.free()
			return nil, err
		}
	}
	if t.State.Step() != r.State.Step() {
		t.at = t.now
	}
	t.over = t.over || t.gone
	t.follow(h.turnID())
	return t, t.err
}

// put stores the record of a turn, in place of r.
func (h *Handler) put(ctx context.Context, id string, t *turn, r Record) (err error) {
	defer h.recovered(&err)
	if t.same {
		return nil
	}
	return h.opt.Store.Put(ctx, id, t.Record, r.Step)
}

// done does what a stored turn asks for, and returns the error of its function.
func (h *Handler) done(ctx context.Context, st *stripe, id string, t *turn) error {
	if t.gone && !t.same { // no process makes a turn of it any more
		if failed := h.opt.Store.Delete(ctx, id); failed != nil {
			h.opt.Log.Error("nethttp: an ended session could not be removed from the store", "err", failed)
		}
	}
	err := t.err
	h.commit(ctx, st, id, t)
	t.free()
	return err
}

// doneLate does what a turn asks for after its caller was told that the outcome is unknown.
func (h *Handler) doneLate(ctx context.Context, st *stripe, id string, t *turn) {
	c := t.attach
	t.live, t.missed = st.live[id], true
	_ = h.done(ctx, st, id, t)
	if c == nil {
		return
	}
	// Its request is over.
	err := h.turnLocked(ctx, st, id, func(t *turn) error { return t.detached(c) })
	if err != nil && !errors.Is(err, ErrNoSession) {
		h.opt.Log.Error("nethttp: a connection could not be detached from its stream", "err", err)
	}
}

// commit does what a turn asks for, once it is stored.
func (h *Handler) commit(ctx context.Context, st *stripe, id string, t *turn) {
	l := t.live
	if l == nil && (t.attach != nil || hasRequest(t.out)) {
		l = h.newLive(st, id)
		l.as = t.as
	}
	if t.attach != nil {
		t.attach.epoch = t.epoch
		l.conns = append(l.conns, t.attach)
		h.suspect(id, t.owners)
	}
	for _, a := range t.answers {
		a.to.waits = false
		a.to.answer <- a.body
	}
	told := false
	defer func() { // even if Options.Event panics: what is stored has its effects
		if !told && t.attach != nil {
			t.detach = t.attach // its request is over
		}
		if l != nil {
			l.effects(ctx, st, t)
		}
		if t.gone {
			h.due.forget(id)
		} else {
			h.due.turned(id, h.next(t.Record, l, st.sides[id]), t.now, t.sessionUse(h, st, id))
		}
		h.again(ctx, st, id, t)
	}()
	h.aside(st, id, t)
	h.tell(id, t.out.Events)
	told = true
}

// tell passes events to the application.
func (h *Handler) tell(id string, events []server.Event) {
	for _, ev := range events {
		if ev.Kind == lifecycle.LocalViolation && ev.Cause != nil {
			h.opt.Log.Warn("nethttp: "+host.Misfit(ev), "err", ev.Cause.Err)
		}
	}
	if h.opt.Event == nil {
		return
	}
	var err error
	defer h.recovered(&err) // as for functions
	for _, ev := range events {
		h.opt.Event(id, ev)
	}
}

// again shows the Companion the results of its own messages, in a turn that follows.
func (h *Handler) again(ctx context.Context, st *stripe, id string, t *turn) {
	if len(t.left) == 0 || t.gone {
		return
	}
	if err := h.turnLocked(ctx, st, id, stepNow); err != nil { // they are shown with what comes next
		h.storeFailed(err)
	}
}

// effects does what a turn asks for on this process's part of the session.
func (l *live) effects(ctx context.Context, st *stripe, t *turn) {
	l.held++
	l.seen = t.mark()
	for _, ev := range t.claimed {
		l.calls.Deliver(ev)
	}
	l.calls.Handle(t.out)
	for _, call := range t.failed { // their answers are in the streams, not in the Output
		l.calls.Handle(server.Output{Send: []server.Outgoing{{Call: call, Final: true}}})
	}
	if t.missed {
		l.calls.Reconcile(t.State)
	}
	for _, c := range l.conns {
		if t.missed || t.gone || t.over || slices.Contains(t.touched, c.at.Stream) {
			c.signal()
		}
	}
	if t.detach != nil {
		l.drop(t.detach)
	}
	for _, ev := range t.out.Events {
		if ev.Kind == lifecycle.RequestReceived && (t.as == nil || t.as.alive(time.Now())) { // otherwise others answer it
			l.start(ctx, st, t, ev)
		}
	}
	l.held--
	if l.empty(st) { // commit tells the schedule
		l.remove(st)
	}
}

// start runs the function of a request, or refuses it.
func (l *live) start(ctx context.Context, st *stripe, t *turn, ev server.Event) {
	if t.early != nil { // it runs
		t.early.takenIn(l, ev.Call)
		return
	}
	values := t.ctx
	if values == nil { // no request caused it
		values = ctx
	}
	run := &running{Context: values, h: l.h, id: l.id, seq: ev.Call.Seq(), key: ev.Call.Key()}
	functions := st.sides[l.id].handlers()
	if functions == nil {
		functions = l.h.app.Load().handlers
	}
	refused := l.calls.Start(run, functions, ev)
	if refused == nil {
		return
	}
	err := l.h.turnLocked(ctx, st, l.id, func(t *turn) error {
		return t.fail(ev.Call, *refused)
	})
	if err != nil && !errors.Is(err, lifecycle.ErrGone) {
		l.h.opt.Log.Error("nethttp: a call could not be answered", "err", err)
	}
}

// lost handles a record that is gone: another process has ended the session.
func (h *Handler) lost(st *stripe, id string) {
	h.due.forget(id)
	delete(st.doubts, id)
	sd := st.sides[id]
	delete(st.sides, id)
	defer h.part(sd)
	if l := st.live[id]; l != nil {
		l.calls.Reconcile(server.State{})
		l.signal()
		l.tidy(st)
	}
}

// shrink drops what sessions keep for their clients until Options.KeptBytes holds: first sessions
// without a connection here, and of those first the one whose client was silent for longest.
func (h *Handler) shrink(ctx context.Context) {
	h.shrinking.Lock() // so that each caller frees only what is still too much
	defer h.shrinking.Unlock()
	for {
		id, kept, ok := h.due.keeper(h.opt.KeptBytes)
		if !ok {
			return
		}
		err := h.turnAlone(ctx, id, func(t *turn) error {
			t.moved(t.Streams.Shrink(t.State, t.now, kept))
			return nil
		})
		if err != nil && !errors.Is(err, ErrNoSession) {
			h.storeFailed(err)
			return
		}
	}
}
