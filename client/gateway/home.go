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

// Over HTTP a request without a session has a State that lives only as long as the request, but servers must
// outlive it. So such requests share a home: a State with a session of the Gateway, as if all of them came
// over one connection. A home is for one principal, or one address if there is none, and for clients that
// declare the same capabilities, because servers with sessions learn these once.

// maxHomesEach is the largest number of homes of a principal: a client that declares yet other capabilities
// shares an existing one.
const maxHomesEach = 4

// maxHomes is the largest number of homes. A new one replaces the one that has been unused longest.
const maxHomes = 1000

// maxKeysEach is how many sets of declared capabilities are remembered for a principal. Beyond that, a call
// that waits for an answer may be unknown at the home that its client reaches.
const maxKeysEach = 64

// whose returns the owner of a request: its principal, or otherwise its address, in a form
// that no principal has.
func whose(peer server.Peer) string {
	if peer.Principal != "" {
		return peer.Principal
	}
	return "\x00" + peer.Address
}

// homeOf returns the home of a request; nil after Close. If there is none, it creates one, but not for a
// repeated request: the call that this continues has ended, and the process that got the request from its
// client may know more of it than peer has.
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
			g.homes[key] = h // while that home exists
		}
		return h
	}
	if !begins || all >= maxHomes && !g.evict() {
		return nil
	}
	s, err := server.New(g.cfg, time.Now()) // cannot fail: New has validated cfg
	if err != nil {
		return nil
	}
	h := &home{key: key, s: s, calls: map[uint64]visit{}, ids: map[uint64]uint64{}, left: time.Now()}
	h.mu.Lock() // SetServers may wake its session before h is complete
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

// nearest returns the home whose capabilities differ least.
func nearest(own []*home, caps protocol.Capability) *home {
	return slices.MinFunc(own, func(a, b *home) int {
		return bits.OnesCount64(uint64(a.key.caps^caps)) - bits.OnesCount64(uint64(b.key.caps^caps))
	})
}

// evict ends the home that has been unused longest; false if all are in use. The lock of the homes
// is held.
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
		// A request has entered it just now.
	}
}

// dropHome removes a home that has ended. The lock of the homes is held.
func (g *Gateway) dropHome(h *home) {
	maps.DeleteFunc(g.homes, func(_ homeKey, is *home) bool { return is == h })
}

// closeHomes ends all homes. No new one begins, because the Gateway is closing.
func (g *Gateway) closeHomes() {
	g.homesMu.Lock()
	defer g.homesMu.Unlock()
	for _, h := range g.homes {
		_ = h.step(func(s server.State, now time.Time) (server.State, server.Output) { return s.Disconnected(now, nil) })
	}
	clear(g.homes)
}

// end is the step that ends a home, if it has no requests.
func (h *home) end(s server.State, now time.Time) (server.State, server.Output) {
	if len(h.calls) > 0 {
		return s, server.Output{}
	}
	return s.Disconnected(now, nil)
}

// turn is step, and removes the home if it has ended. The caller must not hold the lock of
// the homes.
func (h *home) turn(f func(server.State, time.Time) (server.State, server.Output)) error {
	err := h.step(f)
	if err != nil {
		h.x.g.homesMu.Lock()
		defer h.x.g.homesMu.Unlock()
		h.x.g.dropHome(h)
	}
	return err
}

// step runs a step of the State, if f is not nil, and of the session. It ends a home that is no longer
// needed. Error: lifecycle.ErrGone after the end.
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

// once runs one step. The lock is held.
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

// look returns when an unused home is to end; the zero time is never.
func (h *home) look() time.Time {
	h.x.mu.Lock()
	defer h.x.mu.Unlock()
	if after := h.x.g.opt.RestAfter; after != lifecycle.NoTimeout && len(h.calls) == 0 && h.x.relay.Resting() {
		return h.left.Add(2 * after)
	}
	return time.Time{}
}

// ended handles an event that ends a request without an answer.
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

// route passes what the State sends to the visitors.
func (h *home) route(out server.Output) {
	for i := range out.Send {
		switch o := &out.Send[i]; o.Message.Kind {
		case jsonrpc.KindResult, jsonrpc.KindError:
			n, _ := o.Message.ID.Int64()
			h.answer(uint64(n), o.Call, o.Message)
		case jsonrpc.KindNotification:
			to, ok := h.calls[h.ids[o.Call.Seq()]]
			if ok && o.Message.Method != protocol.MethodAcknowledged { // the visitor's own State has sent it
				to.v.deliver(delivery{to.call, o.Message})
			}
		}
	}
}

// answer passes a visitor the answer to its request.
func (h *home) answer(n uint64, call server.Call, m jsonrpc.Message) {
	delete(h.ids, call.Seq())
	if to, ok := h.calls[n]; ok {
		delete(h.calls, n)
		to.v.deliver(delivery{to.call, m})
	}
}

// enter sends a visitor's request to the home, and returns its id there. Error: lifecycle.ErrGone.
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

// tokened returns params with the id of their request as progress token, if they have one, because those of
// several clients may be the same.
func tokened(body jsonrpc.Raw, n uint64) jsonrpc.Raw {
	meta, _ := rawjson.Get(string(body), "_meta")
	if _, has := protocol.Meta(meta).ProgressToken(); !has {
		return body
	}
	meta = rawjson.Set(meta, "progressToken", string(jsonrpc.Int(int64(n)).Append(nil)))
	return jsonrpc.Raw(rawjson.Set(string(body), "_meta", meta))
}
