package nethttp

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/streams"
)

// turn is one turn of a session while it is made: the function of it changes the Record, and
// says what is to be done once that is stored. If somebody else was faster it is made again
// from the start, so that a function has no other effects.
type turn struct {
	Record
	now  time.Time
	live *live // what this process has of the session; nil for nothing

	out     server.Output // what the State asked for, without Send
	touched []streams.ID
	attach  *conn // reads a stream from now on
	detach  *conn // does so no more
	same    bool  // nothing has changed
	missed  bool  // another process made turns since this one last looked
	err     error // of the function
	gone    bool  // the session ends, its record is deleted
	// ctx has what functions that this turn starts are to know.
	ctx context.Context

	claimed []server.Event // answers that came elsewhere, for functions here
	answers []answered     // of POSTs that wait here
	failed  []server.Call  // calls that were answered for their functions

	offered bool             // the State was given the catalog of its Companion
	news    bool             // another one than before
	own     *server.Handlers // whose it is
	woken   bool             // the Companion has something to do
	side    *side            // it has made a step
	then    aside            // what came of that
}

// answered is the answer of a POST, to be its body.
type answered struct {
	to   *conn
	body []byte
}

// add takes in the effects of a transition of the streams.
func (t *turn) add(eff streams.Effects) {
	if t.touched == nil {
		t.out, t.touched = eff.Output, eff.Touched
	} else {
		t.out.Merge(eff.Output)
		t.touched = append(t.touched, eff.Touched...)
	}
	if eff.Output.Close != nil {
		t.over, t.Active = true, t.now
	}
}

// step makes a transition of the State, and hands what it sends to the streams.
func (t *turn) step(s server.State, out server.Output) {
	var eff streams.Effects
	t.Streams, t.State, eff = t.Streams.Handle(s, t.now, out)
	t.add(eff)
}

// end ends the session.
func (t *turn) end(cause error) {
	t.step(t.State.Disconnected(t.now, cause))
	t.gone, t.Active = true, t.now
}

// turn makes a turn of a session: f on the newest record, the next one stored in its place,
// then the effects. Turns of one session follow each other in this process, and their effects
// with them. The error is that of f, or of the Store: then nothing has happened.
//
// f must not take a turn itself. It may run several times.
func (h *Handler) turn(ctx context.Context, id string, f func(*turn) error) error {
	err := h.turnAlone(ctx, id, f)
	if h.due.kept.Load() > int64(h.opt.KeptBytes) {
		h.shrink(ctx)
	}
	return err
}

// turnAlone is turn without a look at what others keep.
func (h *Handler) turnAlone(ctx context.Context, id string, f func(*turn) error) error {
	st := h.stripe(id)
	st.mu.Lock()
	defer st.mu.Unlock()
	return h.turnLocked(ctx, st, id, f)
}

func (h *Handler) turnLocked(ctx context.Context, st *stripe, id string, f func(*turn) error) (err error) {
	defer h.recovered(&err)
	var t, sent *turn
	for tries := 0; ; tries++ {
		r, err := h.opt.Store.Get(ctx, id)
		switch {
		case errors.Is(err, ErrNoSession):
			h.lost(st, id)
			return err
		case err != nil:
			return err
		case sent != nil && sent.produced(r): // our Put succeeded although it returned an error
			t, err = sent, sent.err
		default:
			if t, err = h.try(ctx, st, id, r, f); t == nil {
				return err
			}
			if failed := h.put(ctx, id, t, r); errors.Is(failed, ErrStep) && tries < maxTries {
				sent = t
				backOff(tries)
				continue
			} else if failed != nil {
				return failed
			}
		}
		h.commit(ctx, st, id, t)
		t.free()
		return err
	}
}

// maxTries bounds retries; each failed try means another process stored a turn.
const maxTries = 1000

// backOff waits before another try, longer with each, so that other processes finish their turns.
func backOff(tries int) {
	if tries > 3 {
		time.Sleep(rand.N(min(time.Duration(tries)*100*time.Microsecond, 10*time.Millisecond)))
	}
}

// produced reports whether r is the Record that the turn stored.
func (t *turn) produced(r Record) bool { return t.Step == r.Step && t.by == r.by }

// put stores what a turn came to, in place of r.
func (h *Handler) put(ctx context.Context, id string, t *turn, r Record) error {
	if t.same {
		return nil
	}
	err := h.opt.Store.Put(ctx, id, t.Record, r.Step)
	if err != nil && !errors.Is(err, ErrStep) {
		// It may be stored all the same.
		if r, failed := h.opt.Store.Get(ctx, id); failed == nil && t.produced(r) {
			err = nil
		}
	}
	if err == nil && t.gone { // nobody makes a turn of it any more
		if failed := h.opt.Store.Delete(ctx, id); failed != nil {
			h.opt.Log.Error("nethttp: a session that has ended is left in the store", "err", failed)
		}
	}
	return err
}

// turns are those that were made, to be used again: one is large, and a call takes a few.
var turns = sync.Pool{New: func() any { return new(turn) }}

func (t *turn) free() {
	*t = turn{}
	turns.Put(t)
}

// try makes a turn up to the point where it is to be stored. Beside an error of the function
// there may be a turn all the same, as that of server.State.Finish.
func (h *Handler) try(ctx context.Context, st *stripe, id string, r Record, f func(*turn) error) (*turn, error) {
	t := turns.Get().(*turn)
	t.Record, t.now, t.live = r, time.Now(), st.live[id]
	t.missed = t.live != nil && t.live.step != r.Step
	h.offer(st.sides[id], t)
	t.err = f(t)
	t.same = t.same && !t.news
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
	t.answerPosts()
	t.mail(r)
	if t.State.Step() != r.State.Step() {
		t.at = t.now
	}
	t.Step, t.over, t.by = r.Step+1, t.over || t.gone, h.turns.Add(1)
	return t, t.err
}

// answerPosts takes the answers of the POSTs that wait here for theirs to come alone, and
// notes what connections have written meanwhile.
func (t *turn) answerPosts() {
	conns := t.live.connections()
	if t.attach != nil && t.side != nil { // it may have its answer already
		conns = append(conns[:len(conns):len(conns)], t.attach)
	}
	for _, c := range conns {
		if n := int(c.written.Load()); n > 0 {
			t.Streams = t.Streams.Wrote(t.now, c.at, n)
		}
		if !c.waits || !slices.Contains(t.touched, c.at.Stream) {
			continue
		}
		if body, ok := t.Streams.Answer(c.at); ok {
			var eff streams.Effects
			t.Streams, t.State, eff = t.Streams.Answered(t.State, t.now, c.at)
			t.add(eff)
			t.answers = append(t.answers, answered{c, body})
		}
	}
}

// mail sorts what came to requests of ours: what a function here waits for stays an event,
// what one of another process waits for is parked in the record, and what another process
// has parked for one here is taken out. before is the record that the turn began with.
func (t *turn) mail(before Record) {
	for _, ev := range t.out.Events {
		if ev.Kind != lifecycle.ResponseReceived && ev.Kind != lifecycle.RequestFailed || t.live.awaits(ev.Req.Seq()) {
			continue
		}
		for info := range before.State.Outbound() {
			if info.Req.Seq() == ev.Req.Seq() && !info.Within.IsZero() {
				t.park(ev, info.Within.Seq())
				break
			}
		}
	}
	if len(t.inbox) == 0 {
		return
	}
	open := map[uint64]bool{}
	for info := range t.State.Inbound() {
		open[info.Call.Seq()] = true
	}
	var rest []parked
	for _, p := range t.inbox {
		switch {
		case t.live.awaits(p.Req):
			t.claimed = append(t.claimed, p.event(t.State))
		case open[p.Call]: // else its function was told to end
			rest = append(rest, p)
		}
	}
	t.inbox = rest
}

// commit does what a turn asks for, once it is stored.
func (h *Handler) commit(ctx context.Context, st *stripe, id string, t *turn) {
	l := t.live
	if l == nil && (t.attach != nil || hasRequest(t.out)) {
		l = h.newLive(st, id)
	}
	if t.attach != nil {
		l.conns = append(l.conns, t.attach)
	}
	for _, a := range t.answers {
		a.to.waits = false
		a.to.answer <- a.body
	}
	told := false
	defer func() { // also if Options.Event panics: what is stored has its effects
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

// tell tells the application what happened.
func (h *Handler) tell(id string, events []server.Event) {
	for _, ev := range events {
		if ev.Kind == lifecycle.LocalViolation && ev.Cause != nil {
			h.opt.Log.Warn("nethttp: a result breaks the output schema of its tool", "err", ev.Cause.Err)
		}
	}
	if h.opt.Event == nil {
		return
	}
	if h.recover != nil { // as for functions
		defer func() {
			if v := recover(); v != nil {
				h.recover(v, debug.Stack())
			}
		}()
	}
	for _, ev := range events {
		h.opt.Event(id, ev)
	}
}

// hasRequest reports whether functions are to run.
func hasRequest(out server.Output) bool {
	return slices.ContainsFunc(out.Events, func(ev server.Event) bool { return ev.Kind == lifecycle.RequestReceived })
}

// next returns when a session has to be looked at, of which this process has l and sd.
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

// overTimeout is how long what is left of a session that has ended can be read.
const overTimeout = 5 * time.Second
