package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// withHomes returns a Gateway without servers.
func withHomes(t *testing.T, rest time.Duration) *Gateway {
	t.Helper()
	opt := Options{Relay: relay.Config{Info: protocol.Implementation{Name: "gateway", Version: "1"}}, RestAfter: rest}
	opt.Server.Revisions = protocol.AllRevisions()
	g, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *Gateway) homeFor(who string, caps protocol.Capability) *home {
	return g.homeOf(server.Peer{Stateless: true, Principal: who}, caps, true)
}

// lists has a visitor of a home ask for the tools, which is answered at once.
func (h *home) lists() error {
	const body = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
	_, err := h.enter(&visitor{g: h.x.g, over: true}, server.Event{Method: "tools/list", Body: body})
	return err
}

// Homes end by themselves, give way to others, and get requests, all at a time, and SetServers and Close come in
// between. Nothing hangs, and a request is refused or gets in.
func TestHomesEndAndBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := withHomes(t, time.Millisecond)
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for n := range 1500 {
					h := g.homeFor(fmt.Sprint(i, " ", n), 0)
					if h == nil {
						t.Error("no home")
						return
					}
					if err := h.lists(); err != nil && !errors.Is(err, lifecycle.ErrGone) {
						t.Error(err)
					}
					if n%300 == 0 {
						_ = g.SetServers(nil)
						time.Sleep(time.Millisecond)
					}
				}
			})
		}
		wg.Wait()
		time.Sleep(time.Hour) // the servers of all have rested for long
		synctest.Wait()
		if n := len(g.homes); n > 0 {
			t.Errorf("%d homes are left", n)
		}
		h := g.homeFor("last", 0)
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := h.lists(); !errors.Is(err, lifecycle.ErrGone) || len(g.homes) > 0 || g.homeFor("late", 0) != nil {
			t.Error("a home outlives the Gateway:", err, len(g.homes))
		}
	})
}

// A client comes to the same home as before, for its calls that wait for an answer are there: whatever other homes of
// its principal begin and end.
func TestHomeStaysTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := withHomes(t, time.Hour)
		var own []*home
		for _, caps := range []protocol.Capability{1, 2, 4, 8} {
			own = append(own, g.homeFor("ann", caps))
		}
		first := g.homeFor("ann", 1|2|4|8)
		for range 50 {
			if g.homeFor("ann", 1|2|4|8) != first {
				t.Fatal("another home")
			}
		}
		for _, h := range own {
			if h != first {
				_ = h.turn(h.end)
			}
		}
		if g.homeFor("ann", 1|2|4|8) != first {
			t.Error("another home after others have ended")
		}
		_ = first.turn(first.end)
		if h := g.homeFor("ann", 1|2|4|8); h == first || h.key.caps != 1|2|4|8 {
			t.Error("a home that has ended")
		}
		for caps := range protocol.Capability(1000) {
			g.homeFor("ann", caps)
		}
		if n := len(g.homes); n > maxKeysEach {
			t.Errorf("%d capabilities are remembered", n)
		}
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// The home that was left first gives way, and answers that come at once count as use.
func TestHomeThatIsUsedStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := withHomes(t, lifecycle.NoTimeout)
		used, idle := g.homeFor("used", 0), g.homeFor("idle", 0)
		time.Sleep(time.Minute)
		if err := used.lists(); err != nil {
			t.Fatal(err)
		}
		g.homesMu.Lock()
		evicted := g.evict()
		g.homesMu.Unlock()
		if !evicted || g.homeFor("used", 0) != used || g.homeFor("idle", 0) == idle {
			t.Error("the wrong home has ended")
		}
		if err := g.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
