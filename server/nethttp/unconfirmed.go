package nethttp

import (
	"slices"

	"github.com/sansmcp/mcp/server/internal/cluster"
)

// confirm returns the turn in which this process gives up what it has of a session according to the record but not
// in fact: the turns in which it ended were lost.
func (h *Handler) confirm(id string) func(*turn) error {
	return func(t *turn) error {
		t.same = true
		if h.member == nil {
			return nil
		}
		answers := h.stripe(id).sides[id].busy(t.State) // the Companion does: it knows its calls
		a := h.member.now.Load()
		if a == nil {
			return nil
		}
		for _, e := range t.owners.Unconfirmed(a.process, t.live.has) {
			switch {
			case e.Call == 0:
				t.same = false
				t.moved(t.Streams.Detach(t.State, t.now, connOf(e)))
			case !answers:
				t.same = false
				t.giveUp(e.Call, answerLost)
			}
		}
		return nil
	}
}

// has reports whether what an entry says is here.
func (l *live) has(e cluster.Entry) bool {
	if l == nil || e.Home { // a home without a Companion is still one: the next message makes it
		return e.Home
	}
	return e.Call != 0 && l.calls.Runs(e.Call) || slices.ContainsFunc(l.conns, func(c *conn) bool { return c.at == connOf(e) })
}
