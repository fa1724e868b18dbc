package nethttp

import (
	"errors"

	"github.com/sansmcp/mcp/lifecycle"
)

// confirmAll holds all that this process has against what is stored, once in each branch.
func (h *Handler) confirmAll(a *tenure, branch uint64) {
	if branch == a.branch.Load() {
		return
	}
	h.opt.Log.Error("nethttp: the store has failed over or restarted; it may have lost turns of sessions")
	var here []string
	h.each(func(st *stripe) {
		for id := range st.live {
			here = append(here, id)
		}
		for id := range st.sides {
			here = append(here, id)
		}
	})
	_, err := h.ofEach(a.process, func(id string) error {
		here = append(here, id)
		return nil
	})
	for _, id := range here {
		if err != nil {
			break
		}
		if err = h.turn(h.ctx, id, h.confirm(id)); errors.Is(err, ErrNoSession) {
			err = nil
		}
	}
	if err != nil {
		h.opt.Log.Warn("nethttp: checking sessions against the store is incomplete", "err", err)
		return
	}
	a.branch.Store(branch)
}

// ofEach calls f for each session that is noted for a process. It returns for how many f failed, and why for one of
// them: none holds up the others.
func (h *Handler) ofEach(process string, f func(id string) error) (left int, err error) {
	defer h.recovered(&err)
	for cursor := ""; ; {
		ctx, cancel := h.member.asked(h.ctx)
		sessions, next, failed := h.member.c.Owned(ctx, process, cursor)
		cancel()
		if failed != nil {
			return left, failed
		}
		for _, id := range sessions {
			if failed := f(id); failed != nil {
				if left++; left == 1 || errors.Is(failed, lifecycle.ErrSnapshot) {
					err = failed
				}
			}
			if h.ctx.Err() != nil {
				return left, err
			}
		}
		if cursor = next; cursor == "" {
			return left, err
		}
	}
}

// branch returns the branch of the Store, of a Handler in a Cluster.
func (h *Handler) branch() (uint64, error) {
	ctx, cancel := h.member.asked(h.ctx)
	defer cancel()
	return h.shared.branch(ctx)
}

// disowned removes the note that a process has something of a session.
func (h *Handler) disowned(branch uint64, process, session string, mark uint64) error {
	ctx, cancel := h.member.asked(h.ctx)
	defer cancel()
	return h.shared.disown(ctx, branch, process, session, mark)
}
