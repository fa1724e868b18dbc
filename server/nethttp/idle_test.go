package nethttp_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
)

// A session is idle since its last connection went, and not while it has one or a call runs.
func TestIdleSince(t *testing.T) {
	k := newKit()
	h, s := start(t, k, nethttp.Options{})
	p := newPeer(t, s.URL)
	before := time.Now()
	p.open("2025-06-18")
	id := h.Sessions()[0]
	idle := func() bool {
		since, ok := h.Idle(id)
		return ok && !since.Before(before) && !since.After(time.Now())
	}
	eventually(t, "not idle", idle)
	x := p.listen()
	if since, ok := h.Idle(id); ok || !since.IsZero() {
		t.Error("idle with a connection")
	}
	before = time.Now()
	x.cut()
	eventually(t, "not idle without its connection", idle)
	y := p.follow("POST", p.callText("gate", `{}`))
	receive(t, k.begun)
	if _, ok := h.Idle(id); ok {
		t.Error("idle with a call")
	}
	before = time.Now()
	k.free <- struct{}{}
	y.next("free")
	eventually(t, "not idle after its call", idle)
	if _, ok := h.Idle("nobody"); ok {
		t.Error("a session that is not there is idle")
	}
}

// asksIdle is a Companion that asks within its steps whether the session is idle, as that of a gateway does.
type asksIdle struct {
	h    *nethttp.Handler
	peer server.Peer
}

func (a *asksIdle) Step(s server.State, _ time.Time, out server.Output) (server.State, server.Output, time.Time) {
	a.h.Idle(a.peer.Session)
	return s, out, time.Time{}
}
func (a *asksIdle) Commit()                    {}
func (a *asksIdle) Handlers() *server.Handlers { return nil }

// A Companion may ask for Idle within a step, where its session is locked.
func TestIdleWithinStep(t *testing.T) {
	k := newKit()
	var h *nethttp.Handler
	h, s := start(t, k, nethttp.Options{Companion: func(p server.Peer) server.Companion { return &asksIdle{h, p} }})
	p := newPeer(t, s.URL)
	p.open("2025-06-18")
	p.call("echo", `{"a":1}`).want(http.StatusOK, "echo")
}
