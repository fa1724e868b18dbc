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
	"github.com/sansmcp/mcp/lifecycle"
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

// What a Transport passes on itself waits for room as what Receive returns does.
func TestDirectHeldUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, next := &directPeer{peer: newPeer(t), current: true}, make(chan bool)
		event := func(_ *Client, ev client.Event) {
			if ev.Kind == lifecycle.NotificationReceived {
				<-next
			}
		}
		go p.shake()
		c, err := Connect(t.Context(), client.Config{Info: protocol.Implementation{Name: "c", Version: "1"}}, p, Options{HoldUp: true, MaxEvents: 2, Event: event})
		if err != nil {
			t.Fatal(err)
		}
		take := func() bool {
			synctest.Wait()
			return p.take(nil, links.Arrival{Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)})
		}
		for i, want := range []bool{true, true, true, true, false} { // one is with Event, three are one too many
			if take() != want {
				t.Errorf("%d: want %t", i, want)
			}
		}
		next <- true
		if !take() {
			t.Error("refused, though Event has taken what waited")
		}
		close(next)
		c.Close(t.Context())
	})
}

// A timer that stays set for an answered request delays no earlier deadline.
func TestEarlierDeadline(t *testing.T) {
	session(t, Options{}, func(t *testing.T, p *peer, c *Client) {
		failed := ask(t.Context(), c)
		p.answer(p.hear("resources/read"), `{"contents":[]}`)
		wantErr(t, within(t, failed), nil)
		for range 2 {
			began := time.Now()
			sent, err := c.Send(t.Context(), protocol.PingParams{}, RequestOptions{RequestOptions: client.RequestOptions{Timeout: time.Second}})
			wantErr(t, err, nil)
			p.hear("ping")
			go p.skip() // the cancellation
			if _, err = sent.Wait(t.Context()); err == nil || time.Since(began) != time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		}
	})
}
