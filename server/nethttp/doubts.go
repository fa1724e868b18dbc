package nethttp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// errUnknown means that it is unknown whether a turn is stored.
var errUnknown = errors.New("nethttp: the Store does not say whether it has stored the turn")

func unknown(failed error) error { return fmt.Errorf("%w: %w", errUnknown, failed) }

// turnID names the next turn.
func (h *Handler) turnID() cluster.TurnID {
	return cluster.TurnID{Process: h.process, Turn: h.turns.Add(1)}
}

// doubt keeps a turn whose Put failed for later, and sees that its effects do not wait for the next
// request.
func (h *Handler) doubt(st *stripe, id string, failed error) error {
	t := st.doubts[id]
	if soon := t.now.Add(storeRetry); !h.due.at(id, soon) {
		h.due.turned(id, soon, t.now, sessionUse{who: t.sessionUse(h, st, id).who})
	}
	return unknown(failed)
}

// settle finds out what became of a turn in doubt; r is the newest record. If the turn may still be stored, a turn
// that changes nothing takes its place. The error is that of the Store: nothing is known.
func (h *Handler) settle(ctx context.Context, id string, t *turn, r Record) (outcome cluster.Outcome, err error) {
	defer h.recovered(&err)
	if outcome = r.history().Outcome(t.made, t.Step); outcome != cluster.Undecided {
		return outcome, nil
	}
	step := r.Step
	r.follow(h.turnID())
	return cluster.NotStored, h.opt.Store.Put(ctx, id, r, step)
}

// storeRetry is how long to wait after a Store has failed.
const storeRetry = time.Second
