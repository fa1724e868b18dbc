package nethttp

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
)

// A call whose client may still come back for it is stopped when another has to wait: yieldAfter
// after its connection was lost. relieveEach is how often this is checked as long as calls wait.
const (
	yieldAfter  = 3 * time.Second
	relieveEach = time.Second
)

// openCall is a call that runs or waits here.
type openCall struct {
	id    string // of its session
	call  server.Call
	waits bool
	since time.Time // when a client last listened to it
}

// openCalls returns the calls that functions here answer.
func (h *Handler) openCalls() (list []openCall) {
	h.work.Open(func(t host.Turner, call server.Call, waits bool) {
		if l, ok := t.(*live); ok {
			list = append(list, openCall{id: l.id, call: call, waits: waits})
		}
	})
	return list
}

// relieve ends calls without a connected client as long as calls with one wait, those unheard for
// longest first, and at first at least that many.
func (h *Handler) relieve(ctx context.Context, least int) {
	for ; ctx.Err() == nil; least = 0 {
		list, waiting := h.unheard(ctx, time.Now().Add(-yieldAfter))
		for _, c := range list[:min(len(list), max(waiting, least))] {
			h.fail(ctx, c, gaveWay)
		}
		if waiting == 0 {
			return
		}
		pause(ctx, relieveEach)
	}
}

// unheard returns the calls here that no client has listened to since then, those unheard for
// longest first, and how many calls with a listening client wait.
func (h *Handler) unheard(ctx context.Context, then time.Time) (list []openCall, waiting int) {
	records := map[string]Record{}
	for _, c := range h.openCalls() {
		r, ok := records[c.id]
		if !ok {
			r, _ = h.opt.Store.Get(ctx, c.id) // the zero Record has no streams
			records[c.id] = r
		}
		since, ok := r.Streams.Unheard(c.call)
		switch {
		case !ok && c.waits:
			waiting++
		case ok && !since.After(then):
			c.since = since
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b openCall) int {
		return cmp.Or(a.since.Compare(b.since), cmp.Compare(a.call.Seq(), b.call.Seq()))
	})
	return list, waiting
}

// The answers of calls that end before their functions return.
var (
	gaveWay = protocol.InternalError("no client listened and other calls waited: the call was stopped; it may have had effects")
	stopped = protocol.InternalError("the server is shutting down: the call was stopped; it may have had effects")
)

// fail answers a call whose function has not returned.
func (h *Handler) fail(ctx context.Context, c openCall, e jsonrpc.Error) {
	err := h.turn(ctx, c.id, func(t *turn) error { return t.fail(c.call, e) })
	if err = gone(err); err != nil {
		h.opt.Log.Debug("nethttp: a call could not be ended", "err", err)
	}
}
