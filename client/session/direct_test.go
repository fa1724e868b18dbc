package session

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
)

// directPeer is a peer that the Client may use without its own goroutines.
type directPeer struct {
	*peer
	take    func(of any, a links.Arrival) bool
	current bool

	mu    sync.Mutex
	tried []string // methods passed to TrySend
	sends bool     // TrySend succeeds
}

func (p *directPeer) Direct(take func(of any, a links.Arrival) bool) { p.take = take }
func (p *directPeer) Current(any) bool                               { return p.current }

func (p *directPeer) TrySend(o client.Outgoing, _ protocol.Revision) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tried = append(p.tried, o.Message.Method)
	return p.sends
}

// A Transport may send without the goroutine that writes, but nothing overtakes what is queued; and what it passes on
// itself counts while its session is current.
func TestDirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := context.Background()
		p := &directPeer{peer: newPeer(t), current: true}
		go p.shake()
		c, err := Connect(ctx, client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		tried := func(want ...string) {
			t.Helper()
			p.mu.Lock()
			defer p.mu.Unlock()
			if !slices.Equal(p.tried, want) {
				t.Errorf("tried: %q; want %q", p.tried, want)
			}
			p.tried = nil
		}
		p.mu.Lock()
		p.tried, p.sends = nil, true
		p.mu.Unlock()
		one, err := c.Send(ctx, protocol.PingParams{}, RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p.quiet(time.Second)
		tried("ping")

		answer := func(id string) links.Arrival {
			return links.Arrival{Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)}
		}
		var id string
		for r := range c.State().Outbound() {
			id = r.ID.String()
		}
		p.current = false
		if p.take(nil, answer(id)) {
			t.Error("an answer of another session was taken")
		}
		p.current = true
		if !p.take(nil, answer(id)) {
			t.Error("an answer was refused")
		}
		if _, err := one.Wait(ctx); err != nil {
			t.Error(err)
		}

		p.mu.Lock()
		p.sends = false
		p.mu.Unlock()
		var list [2]*Pending
		for i := range list { // the first is being sent when the second comes
			if list[i], err = c.Send(ctx, protocol.PingParams{}, RequestOptions{}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		tried("ping")
		for i := range list {
			p.answer(p.hear("ping"), "{}")
			if _, err := list[i].Wait(ctx); err != nil {
				t.Error(err)
			}
		}
		c.Close(ctx)
		if p.take(nil, answer(id)) {
			t.Error("an answer was taken after the end")
		}
	})
}
