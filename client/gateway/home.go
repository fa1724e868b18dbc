package gateway

import (
	"context"
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Over HTTP a request without a session has a State that lives as long as the request, and servers are to
// outlive it. So such requests share a home: a State and a session of the Gateway beside it, as if all of
// them came over one connection. A home is for one principal, or one address of clients without, and for clients that declare the same, because
// servers with sessions are told once what their client can do.

// maxHomesEach is how many homes a principal has at most: whoever declares yet other capabilities gets one that
// is there.
const maxHomesEach = 4

// maxHomes is how many homes there are at most. The one that was left first gives way to a new one.
const maxHomes = 1000

// maxKeysEach is how many capabilities that its clients declare are remembered of a principal: where there are
// more, a call that waits for an answer may be unknown at the home that its client comes to.
const maxKeysEach = 64

// whose returns who a request is of: a principal, or else an address, which no principal is.
func whose(peer server.Peer) string {
	if peer.Principal != "" {
		return peer.Principal
	}
	return "\x00" + peer.Address
}

// homeOf returns the home of a request; nil after Close. If there is none it begins with it, but for one that is made again: what that names has ended, and
// the process that got it from its client may know more of that than peer has.
func (g *Gateway) homeOf(peer server.Peer, caps protocol.Capability, begins bool) *home {
	key := homeKey{whose(peer), caps}
	g.homesMu.Lock()
	defer g.homesMu.Unlock()
	if h := g.homes[key]; h != nil {
		return h
	}
	var own []*home
	all, keys := 0, 0
	for k, h := range g.homes {
		if k == h.key {
			all++
		}
		if k.principal == key.principal {
			keys++
			if k == h.key {
				own = append(own, h)
			}
		}
	}
	if len(own) >= maxHomesEach {
		h := nearest(own, caps)
		if keys < maxKeysEach {
			g.homes[key] = h // for as long as it is there
		}
		return h
	}
	if !begins || all >= maxHomes && !g.evict() {
		return nil
	}
	s, err := server.New(g.cfg, time.Now()) // New has tried it
	if err != nil {
		return nil
	}
	h := &home{key: key, s: s, calls: map[uint64]visit{}, ids: map[uint64]uint64{}, left: time.Now()}
	h.mu.Lock() // SetServers may wake its session before it is whole
	defer h.mu.Unlock()
	h.x = g.newSession("shared", peer, func(context.Context) error { return h.turn(nil) })
	if h.x == nil {
		return nil
	}
	h.x.idle = func() (time.Time, bool) { return h.left, len(h.calls) == 0 }
	h.timer = time.AfterFunc(time.Hour, func() { _ = h.turn(nil) })
	g.homes[key] = h
	return h
}

// nearest returns the home whose servers were told of capabilities that differ least.
func nearest(own []*home, caps protocol.Capability) *home {
	return slices.MinFunc(own, func(a, b *home) int {
		return bits.OnesCount64(uint64(a.key.caps^caps)) - bits.OnesCount64(uint64(b.key.caps^caps))
	})
}

// evict ends the home that was left first. false if all are in use. The lock of the homes is held.
func (g *Gateway) evict() bool {
	for {
		var oldest *home
		var since time.Time
		for k, h := range g.homes {
			if k != h.key {
				continue
			}
			h.mu.Lock()
			if len(h.calls) == 0 && (oldest == nil || h.left.Before(since)) {
				oldest, since = h, h.left
			}
			h.mu.Unlock()
		}
		if oldest == nil {
			return false
		}
		if oldest.step(oldest.end) != nil {
			g.dropHome(oldest)
			return true
		}
		// Somebody has entered it just now.
	}
}

// dropHome takes out a home that has ended. The lock of the homes is held.
func (g *Gateway) dropHome(h *home) {
	maps.DeleteFunc(g.homes, func(_ homeKey, is *home) bool { return is == h })
}

// closeHomes ends all homes. No other begins, for the Gateway is being closed.
func (g *Gateway) closeHomes() {
	g.homesMu.Lock()
	defer g.homesMu.Unlock()
	for _, h := range g.homes {
		_ = h.step(func(s server.State, now time.Time) (server.State, server.Output) { return s.Disconnected(now, nil) })
	}
	clear(g.homes)
}

// end is the step that ends a home, if nobody uses it.
func (h *home) end(s server.State, now time.Time) (server.State, server.Output) {
	if len(h.calls) > 0 {
		return s, server.Output{}
	}
	return s.Disconnected(now, nil)
}

// turn is step, and takes the home out if it has ended. Nobody holds the lock of the homes.
func (h *home) turn(f func(server.State, time.Time) (server.State, server.Output)) error {
	err := h.step(f)
	if err != nil {
		h.x.g.homesMu.Lock()
		defer h.x.g.homesMu.Unlock()
		h.x.g.dropHome(h)
	}
	return err
}

// step has the State take a step, if f is not nil, and the session take part in it. A home that nobody needs any
// more ends with it. Error: lifecycle.ErrGone after the end.
func (h *home) step(f func(server.State, time.Time) (server.State, server.Output)) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.once(f)
	if t := h.look(); !t.IsZero() && !t.After(time.Now()) { // its servers have rested for as long as they waited before
		h.once(h.end)
	}
	if h.s.Phase() == lifecycle.Disconnected {
		return lifecycle.ErrGone
	}
	return nil
}

// once makes one step. The lock is held.
func (h *home) once(f func(server.State, time.Time) (server.State, server.Output)) {
	now := time.Now()
	s, out := h.s, server.Output{}
	if f != nil || len(h.calls) > 0 {
		h.left = now
	}
	if f != nil {
		s, out = f(s, now)
	}
	if t, ok := s.NextDeadline(); ok && !t.After(now) {
		next, more := s.Tick(now)
		s = next
		out.Merge(more)
	}
	for i := range out.Events {
		h.ended(&out.Events[i])
	}
	s, out, wake := h.x.Step(s, now, out)
	h.s = s
	h.x.Commit()
	h.route(out)
	if t, ok := s.NextDeadline(); ok {
		wake = earlier(wake, t)
	}
	wake = earlier(wake, h.look())
	if h.timer.Stop(); s.Phase() != lifecycle.Disconnected && !wake.IsZero() {
		h.timer.Reset(max(wake.Sub(now), time.Millisecond))
	}
}

// look returns when a home that nobody uses is to end; the zero time is never.
func (h *home) look() time.Time {
	h.x.mu.Lock()
	defer h.x.mu.Unlock()
	if after := h.x.g.opt.RestAfter; after != lifecycle.NoTimeout && len(h.calls) == 0 && h.x.relay.Resting() {
		return h.left.Add(2 * after)
	}
	return time.Time{}
}

// ended notes that a request is over that no answer comes to.
func (h *home) ended(ev *server.Event) {
	switch ev.Kind {
	case lifecycle.RequestCancelled:
		delete(h.ids, ev.Call.Seq())
	case lifecycle.RequestLost:
		e := protocol.InternalError("the servers were stopped; the request may have run")
		n, _ := ev.ID.Int64()
		h.answer(uint64(n), ev.Call, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e})
	}
}

// route hands what the State sends to the visitors that it is for.
func (h *home) route(out server.Output) {
	for i := range out.Send {
		switch o := &out.Send[i]; o.Message.Kind {
		case jsonrpc.KindResult, jsonrpc.KindError:
			n, _ := o.Message.ID.Int64()
			h.answer(uint64(n), o.Call, o.Message)
		case jsonrpc.KindNotification:
			to, ok := h.calls[h.ids[o.Call.Seq()]]
			if ok && o.Message.Method != protocol.MethodAcknowledged { // which the visitor's own State has sent
				to.v.deliver(delivery{to.call, o.Message})
			}
		}
	}
}

// answer hands a visitor the answer to its request.
func (h *home) answer(n uint64, call server.Call, m jsonrpc.Message) {
	delete(h.ids, call.Seq())
	if to, ok := h.calls[n]; ok {
		delete(h.calls, n)
		to.v.deliver(delivery{to.call, m})
	}
}

// enter makes a request of a visitor, and returns the id that it has here. Error: lifecycle.ErrGone.
func (h *home) enter(v *visitor, ev server.Event) (n uint64, err error) {
	err = h.turn(func(s server.State, now time.Time) (server.State, server.Output) {
		if s.Phase() == lifecycle.Disconnected {
			return s, server.Output{}
		}
		h.last++
		n = h.last
		h.calls[n] = visit{v, ev.Call}
		s, out := s.Receive(now, jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.Int(int64(n)), Method: ev.Method, Body: tokened(ev.Body, n)})
		if !out.Opened.IsZero() {
			h.ids[out.Opened.Seq()] = n
		}
		return s, out
	})
	return n, err
}

// leave cancels a request of a visitor.
func (h *home) leave(n uint64, reason string) {
	_ = h.turn(func(s server.State, now time.Time) (server.State, server.Output) {
		if _, open := h.calls[n]; !open {
			return s, server.Output{}
		}
		delete(h.calls, n)
		p := protocol.CancelledParams{RequestID: jsonrpc.Int(int64(n)), Reason: reason}
		return s.Receive(now, jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: p.Method(), Body: jsonrpc.Raw(p.AppendJSON(nil))})
	})
}

// tokened returns params with the id of their request as progress token, if they have one: those of several
// clients may be the same.
func tokened(body jsonrpc.Raw, n uint64) jsonrpc.Raw {
	meta, _ := rawjson.Get(string(body), "_meta")
	if _, has := protocol.Meta(meta).ProgressToken(); !has {
		return body
	}
	meta = rawjson.Set(meta, "progressToken", string(jsonrpc.Int(int64(n)).Append(nil)))
	return jsonrpc.Raw(rawjson.Set(string(body), "_meta", meta))
}
