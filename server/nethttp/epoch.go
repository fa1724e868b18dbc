package nethttp

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/internal/cluster"
	"github.com/sansmcp/mcp/server/streams"
)

// epoch returns the epoch of a record that begins now: the branch of the Store.
func (h *Handler) epoch(ctx context.Context, id string) (uint64, error) {
	if h.shared == nil || single(id) {
		return 0, nil
	}
	return h.shared.branch(ctx)
}

// enter makes r, which was read on a branch, the record that the next turn is made of: in the epoch of now. leap says
// that the epoch begins with it: then it is stored as it is first.
func (h *Handler) enter(st *stripe, id string, r *Record, branch uint64) (leap bool) {
	if h.shared == nil || single(id) {
		return false
	}
	h.astray(st, id, r)
	l := st.live[id]
	back := l != nil && l.seen.Back(r.history(), r.epoch)
	if r.epoch, leap = cluster.Enter(r.epoch, branch, rand.Uint64()|1, back); leap {
		by := rand.Uint64N(server.MaxSkip)
		r.State, r.Streams = r.State.Skip(r.at, by), r.Streams.Skip(by)
	}
	return leap
}

// entered stores the record with which an epoch begins.
func (h *Handler) entered(ctx context.Context, st *stripe, id string, r Record) (err error) {
	defer h.recovered(&err)
	step := r.Step
	r.follow(h.turnID())
	if err := h.opt.Store.Put(ctx, id, r, step); err != nil {
		return err
	}
	h.opt.Log.Warn("nethttp: the store may have lost turns of a session", "step", r.Step)
	if sd := st.sides[id]; sd != nil {
		sd.seen = r.mark()
	}
	if l := st.live[id]; l != nil {
		l.seen = r.mark()
		for _, p := range r.inbox { // they stay there until their calls end
			l.calls.Deliver(p.event(r.State))
		}
		l.calls.Reconcile(r.State)
		l.signal()
	}
	return nil
}

// errTurnsLost says that the stream of a POST is gone: with a turn that the Store has lost, or as others took this
// process for dead.
var errTurnsLost = errors.New("nethttp: the stream of the call is lost")

// tellLost answers the call of a stream that is gone, and whose client has no id to come back with.
func (c *conn) tellLost() []streams.Event {
	if c.call.IsZero() {
		return nil
	}
	e := answerLost
	data := jsonrpc.Append(nil, jsonrpc.Message{Kind: jsonrpc.KindError, ID: c.call, Err: &e})
	return []streams.Event{{Data: string(data)}}
}
