package nethttp

import (
	"context"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// A Beside is a machine beside the State of one session: it is shown what each turn of the
// session brought before that is acted upon, and may take further steps, such as to answer a
// call. Options.Beside gives one to each session. It lives in the process and not in the
// Record: of turns that other processes make it sees what the State says after them. So where
// processes share a Store, the requests of a session belong to one of them, and handles of earlier
// turns are made anew by server.State.Call and Req, for the State is restored for each turn.
type Beside interface {
	// Step is handed the newest State and the Output of a turn. It returns the State and the
	// Output that take their place, when it wants a step next (the zero Time: never), and what
	// is to be done once the turn is stored; nil for nothing.
	//
	// It is called for every turn that brought something, after Handler.Wake, and when the time
	// that it returned has come; then the Output may be empty. Messages that the turn sends are
	// on their way by then and not in the Output. Events that it leaves in the Output go where
	// they go without it: requests to functions, and to Options.Event.
	//
	// Somebody else may be faster to store a turn. Then Step is called again, on a newer State,
	// and what it returned before counts for nothing. So it changes nothing, not even itself: it
	// leaves that to commit, which runs after the turn is stored and before the next Step, in the
	// order of the turns. Both run while the session is held, and some other sessions with it: they
	// wait for nothing and call no method of the Handler.
	//
	// The last Output has a lifecycle.PhaseChanged to Disconnected or Failed, whether the client
	// ended the session, the server, or time. Where a session is gone from the Store, because
	// another process ended it or the Store forgot it, the State of that step is the zero State,
	// and what Step returns but for commit is of no use. That is found out at the session's
	// next turn, after Options.IdleTimeout at the latest. A Handler that is closed tells nothing.
	Step(s server.State, now time.Time, out server.Output) (next server.State, rest server.Output, wake time.Time, commit func())
}

// Wake has the Beside of a session make a step, because something has come for it from
// elsewhere. It waits for its turn. Errors: lifecycle.ErrGone for a session that does not exist,
// and those of the Store: then no step was made.
func (h *Handler) Wake(ctx context.Context, session string) error {
	return gone(h.turn(ctx, session, func(t *turn) error {
		t.same, t.woken = true, true
		return nil
	}))
}

// side is the Beside of a session. The stripe's lock guards it. A nil one is none.
type side struct {
	b    Beside         // nil for none
	wake time.Time      // when it wants a step
	left []server.Event // what it has not been shown yet
}

// due returns when the machine wants a step.
func (sd *side) due() (time.Time, bool) {
	if sd == nil {
		return time.Time{}, false
	}
	return sd.wake, !sd.wake.IsZero()
}

// busy reports whether there may be calls that the machine answers.
func (sd *side) busy(s server.State) bool {
	return sd != nil && sd.b != nil && s.Status().Inbound > 0
}

// lost tells the machine that its session is gone from the Store.
func (sd *side) lost() {
	if sd == nil || sd.b == nil {
		return
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseLost, Err: ErrNoSession}
	events := append(sd.left[:len(sd.left):len(sd.left)], server.Event{Kind: lifecycle.PhaseChanged, From: lifecycle.Ready, To: lifecycle.Disconnected, Cause: cause})
	if _, _, _, commit := sd.b.Step(server.State{}, time.Now(), server.Output{Events: events}); commit != nil {
		commit()
	}
}

// aside is what a step of a Beside asks for.
type aside struct {
	wake   time.Time
	commit func()
	left   []server.Event // that its own messages led to
}

// soonest is how soon a Beside gets the next step by time.
const soonest = time.Millisecond

// stepAside lets the Beside of the session, if it has one, take part in a turn that is about to
// be stored.
func (h *Handler) stepAside(ctx context.Context, st *stripe, id string, t *turn) {
	if h.opt.Beside == nil {
		return
	}
	sd := st.sides[id]
	if sd == nil {
		if t.gone || t.out.IsZero() && !t.woken {
			return
		}
		sd = h.newSide(ctx, st, id, t)
	}
	if wake, ok := sd.due(); ok && !wake.After(t.now) {
		t.woken = true
	}
	if sd.b == nil || t.out.IsZero() && !t.woken && len(sd.left) == 0 {
		return
	}
	out := t.out
	if len(sd.left) > 0 {
		out = server.Output{Events: sd.left}
		out.Merge(t.out)
	}
	s, out, wake, commit := sd.b.Step(t.State, t.now, out)
	if !wake.IsZero() && !wake.After(t.now) {
		wake = t.now.Add(soonest)
	}
	t.side, t.then = sd, aside{wake: wake, commit: commit}
	if s.Step() != t.State.Step() || !out.IsZero() {
		t.same = false
	}
	shown := len(out.Events)
	t.out = server.Output{}
	t.step(s, out)
	if len(t.out.Events) > shown { // messages that there was no room for
		t.then.left = t.out.Events[shown:]
		t.out.Events = t.out.Events[:shown:shown]
	}
}

// newSide asks for the Beside of a session.
func (h *Handler) newSide(ctx context.Context, st *stripe, id string, t *turn) *side {
	who, ok := PrincipalFrom(ctx)
	if !ok || who.ID != t.Principal {
		who = Principal{ID: t.Principal}
	}
	sd := &side{b: h.opt.Beside(id, who)}
	if st.sides == nil {
		st.sides = map[string]*side{}
	}
	st.sides[id] = sd
	return sd
}

// aside does what a step of a Beside asks for, once its turn is stored.
func (h *Handler) aside(st *stripe, id string, t *turn) {
	if t.gone {
		delete(st.sides, id)
	}
	if t.side == nil {
		return
	}
	t.side.wake, t.side.left = t.then.wake, t.then.left
	if t.then.commit != nil {
		t.then.commit()
	}
}

// again shows the Beside what its own messages led to, in a turn that follows.
func (h *Handler) again(ctx context.Context, st *stripe, id string, t *turn) {
	if len(t.then.left) == 0 || t.gone {
		return
	}
	err := h.turnLocked(ctx, st, id, func(t *turn) error {
		t.same, t.woken = true, true
		return nil
	})
	if err != nil { // they are shown with what comes next
		h.opt.Log.Error("nethttp: the store failed", "err", err)
	}
}
