package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/nethttp"
)

// two serves the sessions of one table at two handlers, A and B, which have nothing else in
// common.
func two(t *testing.T, k *kit, tab nethttp.Table, opt nethttp.Options) (a, b *nethttp.Handler, urlA, urlB string) {
	cfg := serverConfig
	cfg.HashKey = [16]byte{1}
	one := func() (*nethttp.Handler, string) {
		opt := opt
		opt.Store = nethttp.NewShared(tab)
		h, s := startConfig(t, cfg, k, opt)
		return h, s.URL
	}
	a, urlA = one()
	b, urlB = one()
	return a, b, urlA, urlB
}

// at returns the same client at another server.
func (p *peer) at(url string) *peer {
	q := *p
	q.url = url
	q.ids = p.ids + 1000
	return &q
}

const sampled = `{"role":"assistant","content":{"type":"text","text":"hello"},"model":"m"}`

// A session that began at one process is served by another, turn by turn.
func TestTwoProcesses(t *testing.T) {
	k := newKit()
	tab := newTable()
	a, b, urlA, urlB := two(t, k, tab, nethttp.Options{StreamAfter: -1})
	pa := open(t, urlA, "2025-11-25")
	pb := pa.at(urlB)
	follow := func(p *peer, tool string) *stream { return p.follow("POST", p.callText(tool, `{}`)) }

	t.Run("called at both", func(t *testing.T) {
		for _, p := range []*peer{pb, pa, pb} {
			x := follow(p, "echo")
			x.next("echo")
			x.end()
		}
	})
	t.Run("an answer comes to the other", func(t *testing.T) {
		for range 3 {
			x := follow(pa, "ask")
			id := requestID(t, x.next("sampling/createMessage").data)
			pb.post(`{"jsonrpc":"2.0","id":` + id + `,"result":` + sampled + `}`).want(202)
			x.next("model says", "hello")
			x.end()
		}
	})
	t.Run("an error comes to the other", func(t *testing.T) {
		x := follow(pa, "ask")
		id := requestID(t, x.next("sampling/createMessage").data)
		pb.post(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-1,"message":"the user said no"}}`).want(202)
		x.next("the user said no")
		x.end()
	})
	t.Run("cancelled at the other", func(t *testing.T) {
		for _, tool := range []string{"gate", "ask"} {
			for len(k.begun) > 0 {
				<-k.begun
			}
			x := follow(pa, tool)
			receive(t, k.begun)
			if tool == "ask" {
				x.next("sampling/createMessage")
			}
			pb.post(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, pa.ids)).want(202)
			if cause := receive(t, k.ended); cause == nil {
				t.Error("it ended without a cause")
			}
			for range x.events { // what was asked within it is withdrawn
			}
		}
	})
	t.Run("cut here, resumed there", func(t *testing.T) {
		x := follow(pa, "steps")
		k.free <- struct{}{}
		x.next(`"progress":1`)
		x.cut()
		k.free <- struct{}{}
		y := pb.resume(x.last)
		y.next(`"progress":2`)
		k.free <- struct{}{}
		y.next(`"progress":3`)
		y.next("stepped")
		y.end()
		z := pa.resume(x.last)
		z.next(`"progress":2`)
		z.next(`"progress":3`)
		z.next("stepped")
		z.end()
	})
	t.Run("taken over by the other", func(t *testing.T) {
		x := follow(pa, "gate")
		x.event()
		y := pb.resume(x.last)
		x.end()
		k.free <- struct{}{}
		y.next("free")
		y.end()
	})
	t.Run("listens here, told there", func(t *testing.T) {
		x := pa.listen()
		if err := b.Notify(context.Background(), pa.session, protocol.LoggingMessageParams{Level: "info", Data: `"news"`}); err != nil {
			t.Fatal(err)
		}
		e := x.next()
		for strings.Contains(e.data, "notifications/cancelled") { // what was withdrawn comes here, too
			e = x.next()
		}
		if !strings.Contains(e.data, "news") {
			t.Error(e.data)
		}
		x.cut()
	})
	t.Run("ended at the other", func(t *testing.T) {
		for len(k.begun) > 0 {
			<-k.begun
		}
		listens := pa.listen()
		x := follow(pa, "gate")
		receive(t, k.begun)
		pb.do(pb.request(context.Background(), "DELETE", "")).want(204)
		receive(t, k.ended)
		x.end()
		listens.end()
		pa.post(`{"jsonrpc":"2.0","id":"p","method":"ping"}`).want(404)
		eventually(t, "it is still known", func() bool { return a.Status().Sessions+b.Status().Sessions == 0 })
	})
	quiet(t)
}

// When a process ends, its functions are told, and what they come to is there for who goes on
// at another process; so is the session.
func TestProcessEnds(t *testing.T) {
	k := newKit()
	a, b, urlA, urlB := two(t, k, newTable(), nethttp.Options{StreamAfter: -1})
	pa := open(t, urlA, "2025-11-25")
	pb := pa.at(urlB)
	x := pa.follow("POST", pa.callText("gate", `{}`))
	x.event()
	receive(t, k.begun)
	listens := pa.listen()
	listens.event()
	a.Close()
	x.cut() // it may have the answer already
	listens.end()
	receive(t, k.ended)
	y := pb.resume(x.last)
	y.next(`"isError":true`)
	y.end()
	z := pb.resume(listens.last)
	if err := b.Notify(context.Background(), pa.session, protocol.LoggingMessageParams{Level: "info", Data: `"news"`}); err != nil {
		t.Fatal(err)
	}
	z.next("news")
	pb.call("echo", `{}`).want(200, "echo")
	pa.post(`{"jsonrpc":"2.0","id":"p","method":"ping"}`).want(503)
	z.cut()
	quiet(t)
}

// A request of a function waits at one process, and times out by the clock of the other.
func TestTimeoutElsewhere(t *testing.T) {
	k := newKit()
	tab := newTable()
	cfg := serverConfig
	cfg.HashKey = [16]byte{1}
	cfg.Timeouts = lifecycle.Timeouts{Human: 100 * time.Millisecond}
	hs := []string{}
	for range 2 {
		_, s := startConfig(t, cfg, k, nethttp.Options{Store: nethttp.NewShared(tab), StreamAfter: -1})
		hs = append(hs, s.URL)
	}
	p := open(t, hs[0], "2025-06-18")
	q := p.at(hs[1])
	for range 5 {
		x := p.follow("POST", p.callText("ask", `{}`))
		x.next("sampling/createMessage")
		q.post(`{"jsonrpc":"2.0","id":"p","method":"ping"}`).want(200) // so that both have it in mind
		x.next("notifications/cancelled")
		x.next(`"isError":true`)
		x.end()
	}
	quiet(t)
}

// Sessions that are idle at both, and one that is in use at one of them.
func TestIdleAtBoth(t *testing.T) {
	a, b, urlA, urlB := two(t, newKit(), newTable(), nethttp.Options{IdleTimeout: time.Second})
	p := open(t, urlA, "2025-06-18")
	p.at(urlB).call("echo", `{}`).want(200)
	x := p.listen()
	q := open(t, urlB, "2025-06-18")
	q.at(urlA).call("echo", `{}`).want(200)
	time.Sleep(2500 * time.Millisecond)
	p.at(urlB).call("echo", `{}`).want(200)
	q.call("echo", `{}`).want(404)
	x.cut()
	eventually(t, "sessions are left", func() bool { return a.Status().Sessions+b.Status().Sessions == 0 })
	quiet(t)
}

// A store that cannot tell whether it has stored something, or whose client tries twice and
// finds that somebody was faster, which was itself, does not make a turn happen twice.
func TestStoreIsUnsure(t *testing.T) {
	for _, lie := range []error{nethttp.ErrStep, errors.New("the connection broke")} {
		k := newKit()
		tab := newTable()
		tab.lie = lie
		_, _, urlA, _ := two(t, k, tab, nethttp.Options{})
		p := open(t, urlA, "2025-06-18")
		for range 20 {
			p.call("echo", `{}`).want(200, "echo {}")
		}
		p.do(p.request(context.Background(), "DELETE", "")).want(204)
		quiet(t)
	}
}

// A store that fails makes the request at hand fail, and nothing else.
func TestStoreFails(t *testing.T) {
	tab := newTable()
	_, _, urlA, _ := two(t, newKit(), tab, nethttp.Options{})
	p := open(t, urlA, "2025-06-18")
	broken := func(err error) {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		tab.fail = err
	}
	broken(errors.New("broken"))
	p.call("echo", `{}`).want(503)
	p.do(p.request(context.Background(), "DELETE", "")).want(503)
	p.do(p.request(context.Background(), "GET", "")).want(503)
	q := newPeer(t, urlA)
	q.post(`{"jsonrpc":"2.0","id":"open","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`).want(503)
	broken(nil)
	p.call("echo", `{}`).want(200)
	if _, err := nethttp.NewHandler(serverConfig, newKit().handlers(), nethttp.Options{Store: nethttp.NewShared(tab)}); err == nil {
		t.Error("a shared store without a common HashKey")
	}
	if _, err := nethttp.NewShared(tab).Get(context.Background(), "x"); err == nil {
		t.Error("a Shared without a Handler")
	}
}
