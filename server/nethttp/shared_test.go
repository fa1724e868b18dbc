package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server/nethttp"
)

// table is a nethttp.Table that processes could share: bytes alone.
type table struct {
	mu      sync.Mutex
	rows    map[string]row
	changed chan struct{}
	puts    int
	refused int // Puts that were too late
	fail    error
	lie     error // what Put says now and then although it has stored the row
}

type row struct {
	data string
	step uint64
}

func newTable() *table { return &table{rows: map[string]row{}, changed: make(chan struct{})} }

func (t *table) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *table) Get(_ context.Context, id string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.rows[id]
	switch {
	case t.fail != nil:
		return nil, t.fail
	case !ok:
		return nil, nethttp.ErrNoSession
	}
	return []byte(r.data), nil
}

func (t *table) Put(_ context.Context, id string, data []byte, step uint64, expires time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch r, ok := t.rows[id]; {
	case t.fail != nil:
		return t.fail
	case ok != (step > 1) || ok && r.step != step-1:
		t.refused++
		return nethttp.ErrStep
	case time.Until(expires) < 0:
		return errors.New("it expires before it is there")
	}
	t.rows[id] = row{string(data), step}
	t.puts++
	t.wake()
	if t.lie != nil && step > 3 && t.puts%3 == 0 {
		return t.lie
	}
	return nil
}

func (t *table) Delete(_ context.Context, id string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fail != nil {
		return t.fail
	}
	delete(t.rows, id)
	t.wake()
	return nil
}

func (t *table) Wait(ctx context.Context, id string, step uint64) error {
	t.mu.Lock()
	r, ok := t.rows[id]
	c := t.changed
	t.mu.Unlock()
	if !ok || r.step != step {
		return nil
	}
	select {
	case <-c:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// two serves the sessions of one table at two handlers, A and B, which have nothing else in
// common.
func two(t *testing.T, k *kit, tab *table, opt nethttp.Options) (a, b *nethttp.Handler, urlA, urlB string) {
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

// Whatever a client does at which of two processes in whatever order: every call has one
// answer, with all that belongs to it, each message once and in order.
func TestTwoProcessesAtRandom(t *testing.T) {
	rounds := 12
	if testing.Short() || raceEnabled {
		rounds = 3
	}
	for seed := range rounds {
		random(t, uint64(seed))
	}
}

func random(t *testing.T, seed uint64) {
	k := newKit()
	tab := newTable()
	_, _, urlA, urlB := two(t, k, tab, nethttp.Options{StreamAfter: []time.Duration{-1, time.Millisecond, time.Second}[seed%3]})
	pa := open(t, urlA, "2025-11-25")
	pb := pa.at(urlB)
	var wg sync.WaitGroup
	for worker := range 6 {
		rnd := rand.New(rand.NewPCG(seed, uint64(worker)))
		wg.Go(func() {
			for i := range 6 {
				p := []*peer{pa, pb}[rnd.IntN(2)]
				id := fmt.Sprintf("%d-%d", worker, i)
				if err := one(rnd, k, p, []*peer{pa, pb}, id); err != nil {
					t.Errorf("seed %d, call %s: %v", seed, id, err)
				}
			}
		})
	}
	wg.Wait()
	quiet(t) // what was cancelled has ended
	listens, holds := pb.listen(), pa.follow("POST", pa.callText("hold", `{}`))
	holds.next("progress")
	pb.do(pb.request(context.Background(), "DELETE", "")).want(204)
	listens.end()
	holds.end()
	quiet(t)
	tab.mu.Lock()
	defer tab.mu.Unlock()
	t.Logf("seed %d: %d turns, %d made again", seed, tab.puts, tab.refused)
}

// one makes a call that reports three steps, asks the client or is cancelled, with cuts, and
// checks what comes.
func one(rnd *rand.Rand, k *kit, p *peer, all []*peer, id string) error {
	tool := []string{"steps", "ask", "hold"}[rnd.IntN(3)]
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"progressToken":%q}}}`, id, tool, id)
	if tool == "steps" {
		for range 3 {
			k.free <- struct{}{}
		}
	}
	x, err := p.tryFollow("POST", text)
	if err != nil {
		return err
	}
	var got []string
	last := ""
	take := func(data string) error {
		switch {
		case strings.Contains(data, "sampling/createMessage"):
			if tool != "ask" {
				return fmt.Errorf("got %s", data)
			}
			_, rest, _ := strings.Cut(data, `"id":`)
			n, _, _ := strings.Cut(rest, ",")
			q := all[rnd.IntN(2)]
			a, err := q.try(q.request(context.Background(), "POST", `{"jsonrpc":"2.0","id":`+n+`,"result":`+sampled+`}`))
			if err != nil {
				return err
			}
			if a.status != 202 {
				return fmt.Errorf("the answer: %d %s", a.status, a.body)
			}
			got = append(got, "asked")
		case strings.Contains(data, "notifications/progress"):
			_, rest, _ := strings.Cut(data, `"progress":`)
			if !strings.Contains(data, `"progressToken":"`+id+`"`) {
				return fmt.Errorf("got %s", data)
			}
			if got = append(got, rest[:1]); tool == "hold" {
				q := all[rnd.IntN(2)]
				a, err := q.try(q.request(context.Background(), "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"`+id+`"}}`))
				if err != nil || a.status != 202 {
					return fmt.Errorf("the cancellation: %d %w", a.status, err)
				}
			}
		case strings.Contains(data, `"id":"`+id+`","result"`):
			got = append(got, "done")
		default:
			return fmt.Errorf("got %s", data)
		}
		return nil
	}
	if x.resp.Header.Get("Content-Type") == "application/json" {
		a, err := readAll(x)
		if err != nil {
			return err
		}
		if err := take(a); err != nil {
			return err
		}
		return compare(tool, got)
	}
	for tries := 0; ; tries++ {
		go x.read()
		cut := rnd.IntN(4)
		for n := 0; ; n++ {
			if n == cut && tries < 5 && last != "" {
				x.cancel()
			}
			var e event
			var ok bool
			select {
			case e, ok = <-x.events:
			case <-time.After(patience):
				return fmt.Errorf("nothing came after %s", got)
			}
			if !ok {
				break
			}
			if e.comment {
				continue
			}
			if e.id != "" {
				last = e.id
			}
			if e.data != "" {
				if err := take(e.data); err != nil {
					return err
				}
			}
		}
		if slices.Contains(got, "done") || tool == "hold" && len(got) > 0 {
			return compare(tool, got)
		}
		q := all[rnd.IntN(2)]
		if x, err = q.tryFollow("GET", "", lastEvent(last)); err != nil {
			return err
		}
		if x.resp.StatusCode != http.StatusOK {
			return fmt.Errorf("resume after %s and %q: %d", got, last, x.resp.StatusCode)
		}
	}
}

func compare(tool string, got []string) error {
	want := map[string]string{"steps": "1 2 3 done", "ask": "asked done", "hold": "1"}[tool]
	if g := strings.Join(got, " "); g != want {
		return fmt.Errorf("%s: got %s, want %s", tool, g, want)
	}
	return nil
}
