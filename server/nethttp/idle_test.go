package nethttp_test

import (
	"testing"
	"time"

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
