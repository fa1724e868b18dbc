package nethttp

import (
	"context"
	"slices"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// handlers returns the functions of the session: nil for those of the Handler.
func (sd *side) handlers() (own *server.Handlers) {
	if sd == nil || sd.c == nil {
		return nil
	}
	own = nothing // if it panics
	var err error
	defer sd.h.recovered(&err)
	own = sd.c.Handlers()
	return own
}

// nothing are no functions.
var nothing = new(server.Handlers)

// due returns when the machine wants a step.
func (sd *side) due() (time.Time, bool) {
	if sd == nil {
		return time.Time{}, false
	}
	return sd.wake, !sd.wake.IsZero()
}

// busy reports whether there may be calls that the Companion answers. One with functions of its
// own leaves that to them.
func (sd *side) busy(s server.State) bool {
	return sd != nil && sd.c != nil && s.Status().Inbound > 0 && sd.handlers() == nil
}

// lost tells the machine that its session is gone from the Store.
func (sd *side) lost() {
	if sd == nil || sd.c == nil {
		return
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseLost, Err: ErrNoSession}
	events := append(sd.left[:len(sd.left):len(sd.left)], server.Event{Kind: lifecycle.PhaseChanged, From: lifecycle.Ready, To: lifecycle.Disconnected, Cause: cause})
	sd.c.Step(server.State{}, time.Now(), server.Output{Events: events})
	sd.c.Commit()
}

// soonest is how soon a Companion gets the next step by time.
const soonest = time.Millisecond

// stepAside lets the Companion of the session, if it has one, take part in a turn that is about to
// be stored.
func (h *Handler) stepAside(ctx context.Context, st *stripe, id string, t *turn) {
	if h.opt.Companion == nil {
		return
	}
	sd := st.sides[id]
	if sd == nil {
		if t.gone || t.out.IsZero() && !t.woken || h.homes() && !single(id) { // a message of the client begins it
			return
		}
		sd = h.newSide(ctx, st, id, t)
	}
	if wake, ok := sd.due(); ok && !wake.After(t.now) {
		t.woken = true
	}
	if sd.c == nil || t.out.IsZero() && !t.woken && len(sd.left) == 0 {
		return
	}
	t.crowded(h, id, sd)
	out := t.out
	if len(sd.left) > 0 {
		out = server.Output{Events: sd.left}
		out.Merge(t.out)
	}
	step := sd.c.Step
	if t.gone {
		step = func(_ server.State, _ time.Time, out server.Output) (server.State, server.Output, time.Time) {
			return h.lastStep(sd, t, out)
		}
	}
	s, out, wake := step(t.State, t.now, out)
	if single(id) && h.retries() && sd.homed() {
		h.issue(&out, t.Principal)
	}
	if !wake.IsZero() {
		wake = t.now.Add(max(wake.Sub(t.now), soonest)) // by a clock that nobody sets
	}
	t.side, t.wake = sd, wake
	if s.Step() != t.State.Step() || !out.IsZero() {
		t.same = false
	}
	shown := len(out.Events)
	t.out = server.Output{}
	t.step(s, out)
	if len(t.out.Events) > shown { // messages that there was no room for
		t.left = t.out.Events[shown:]
		t.out.Events = t.out.Events[:shown:shown]
	}
}

// newSide asks for the Companion of a session.
func (h *Handler) newSide(ctx context.Context, st *stripe, id string, t *turn) *side {
	who, ok := PrincipalFrom(ctx)
	if !ok || who.ID != t.Principal {
		who = Principal{ID: t.Principal}
	}
	peer := server.Peer{Session: id, Stateless: single(id), Principal: who.ID, Value: who.Value}
	if at, ok := prefix(t.from); ok {
		peer.Address = at.String()
	}
	sd := &side{h: h, c: h.opt.Companion(peer)}
	if h.homes() && !single(id) && sd.homed() {
		sd.as = h.member.now.Load()
	}
	if st.sides == nil {
		st.sides = map[string]*side{}
	}
	st.sides[id] = sd
	return sd
}

// accompany makes the Companion of a session, before the first message that its client sends
// after the handshake, and gives the session its catalog. The stripe is locked.
func (h *Handler) accompany(ctx context.Context, id string, t *turn) {
	if h.opt.Companion == nil {
		return
	}
	st := h.stripe(id)
	if st.sides[id] == nil {
		h.offer(h.newSide(ctx, st, id, t), t)
	}
	sd := st.sides[id]
	if t.home = h.homes() && !single(id) && sd.homed(); t.home && !sd.kept {
		t.inherit(sd.as)
	}
}

// comesHome makes this process the home of a session that lost its own, whose client comes to listen.
func (h *Handler) comesHome(ctx context.Context, id string, t *turn) {
	if h.homes() && t.State.Phase() == lifecycle.Ready {
		h.accompany(ctx, id, t)
		t.woken = t.becomesHome()
	}
}

// offer gives the session the catalog of the functions that its Companion has: at the beginning of
// a turn, so that nothing is answered from another one.
func (h *Handler) offer(sd *side, t *turn) {
	if sd == nil || sd.c == nil {
		return
	}
	own := sd.handlers()
	if own == sd.own && (h.alone || own == nil) { // a State that was restored has that of the Handler
		return
	}
	from := own
	if from == nil {
		from = h.app.Load().handlers
	}
	if _, err := from.Catalog(); err != nil { // then it offers nothing
		h.opt.Log.Error("nethttp: the handlers of a companion have an invalid catalog", "err", err)
	}
	s, out, err := t.State.Offer(t.now, from)
	if err != nil {
		return
	}
	t.own, t.offered, t.news, t.catalog = own, true, own != sd.own, nil
	if t.State = s; !out.IsZero() {
		t.step(s, out)
	}
}

// aside does what a step of a Companion asks for, once its turn is stored.
func (h *Handler) aside(st *stripe, id string, t *turn) {
	if sd := st.sides[id]; sd != nil {
		if sd.seen = t.mark(); t.offered {
			sd.own = t.own
		}
	}
	if t.gone {
		delete(st.sides, id)
	}
	if t.side == nil {
		return
	}
	t.side.wake, t.side.left, t.side.kept = t.wake, t.left, true
	t.side.c.Commit()
}

// crowded refuses the calls of a turn that there is no room for, before the Companion sees them.
func (t *turn) crowded(h *Handler, id string, sd *side) {
	if sd.c == nil || sd.handlers() != nil || !hasRequest(t.out) {
		return
	}
	var refused []server.Event
	n := 0
	events := slices.DeleteFunc(slices.Clone(t.out.Events), func(ev server.Event) bool {
		if ev.Kind != lifecycle.RequestReceived {
			return false
		}
		if h.due.answerable(id, n, h.most, !h.opt.Work.NoShares) {
			n++
			return false
		}
		refused = append(refused, ev)
		return true
	})
	if len(refused) == 0 {
		return
	}
	t.out.Events = events
	for _, ev := range refused {
		if s, out, err := t.State.Fail(t.now, ev.Call, tooMany); err == nil {
			t.step(s, out)
		}
	}
}

// tooMany is the answer to a call that there is no room for.
var tooMany = protocol.InternalError("too busy")

// lastStep lets a Companion take part in the last turn of its session, which it cannot put off: what
// panics has no part in it.
func (h *Handler) lastStep(sd *side, t *turn, out server.Output) (s server.State, _ server.Output, wake time.Time) {
	s = t.State
	var err error
	defer h.recovered(&err)
	return sd.c.Step(t.State, t.now, out)
}

// part tells a Companion that its session is gone.
func (h *Handler) part(sd *side) {
	var err error
	defer h.recovered(&err)
	sd.lost()
}
