package nethttp_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/nethttp"
	"github.com/sansmcp/mcp/server/streams"
)

// A Companion answers calls, at once and when something has come for it; those that it leaves go
// to functions.
func TestCompanionAnswers(t *testing.T) {
	k := newSides()
	h, s := start(t, ownKit(), nethttp.Options{Companion: k.companion, StreamAfter: 5 * time.Second})
	p := open(t, s.URL, "2025-11-25")
	for range 3 {
		p.call("own-fast", `{}`).want(200, "at once")
	}
	p.call("echo", `{"a":1}`).want(200, `echo {\"a\":1}`)
	done := make(chan answer, 1)
	go func() { done <- p.call("own", `{}`) }()
	eventually(t, "the call is held", func() bool { a, _ := k.of(p.session); return len(a.open) == 1 })
	if err := h.StepNow(context.Background(), p.session); err != nil { // nothing has come
		t.Fatal(err)
	}
	k.news(p.session, "news")
	if err := h.StepNow(context.Background(), p.session); err != nil {
		t.Fatal(err)
	}
	receive(t, done).want(200, `"text":"news"`)
	if a, _ := k.of(p.session); len(a.open) != 0 || a.taken != 1 {
		t.Errorf("%+v", a)
	}
	if err := h.StepNow(context.Background(), "nobody"); !errors.Is(err, lifecycle.ErrGone) {
		t.Error(err)
	}
	k.sound(t)
}

// The time that a Companion asks for comes without anything else happening, also after its stream
// has begun.
func TestCompanionTime(t *testing.T) {
	k := newSides()
	_, s := start(t, ownKit(), nethttp.Options{Companion: k.companion, StreamAfter: -1})
	p := open(t, s.URL, "2025-11-25")
	began := time.Now()
	p.call("own-timed", `{}`).want(200, "in time")
	if d := time.Since(began); d < 60*time.Millisecond || d > 5*time.Second {
		t.Error(d)
	}
	k.sound(t)
}

// A request of a Companion goes out on the stream of the call that it is within, and its answer
// comes to it.
func TestCompanionAsks(t *testing.T) {
	k := newSides()
	_, s := start(t, ownKit(), nethttp.Options{Companion: k.companion})
	p := open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("own-ask", `{}`))
	ask := x.next("sampling/createMessage")
	m := jsonrpc.Decode([]byte(ask.data))
	p.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"yes"}}}`, m.ID)).want(202)
	x.next("response received")
	x.end()
	k.sound(t)
}

// A request that nobody takes, or that has to give way to another one, fails in a step that
// follows.
func TestCompanionUnheard(t *testing.T) {
	for name, opt := range map[string]streams.Options{"in time": {Keep: lifecycle.NoTimeout}, "at once": {MaxBytes: 1}} {
		k := newSides()
		_, s := start(t, ownKit(), nethttp.Options{Companion: k.companion, Streams: opt})
		p := open(t, s.URL, "2025-11-25")
		p.call("own-lone", `{}`).want(200, "request failed")
		if a, _ := k.of(p.session); !slices.Contains(a.told, "request failed") {
			t.Errorf("%s: %+v", name, a)
		}
		k.sound(t)
	}
}

// A cancellation reaches the Companion, and its call no function.
func TestCompanionCancelled(t *testing.T) {
	k := newSides()
	_, s := start(t, ownKit(), nethttp.Options{Companion: k.companion})
	p := open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("own", `{}`))
	p.post(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, p.ids)).want(202)
	x.end()
	a, _ := k.of(p.session)
	if !slices.Contains(a.told, lifecycle.RequestCancelled.String()) || len(a.open) != 0 {
		t.Errorf("%+v", a)
	}
	k.sound(t)
}

// However a session ends, its Companion is told, and forgotten.
func TestCompanionEnd(t *testing.T) {
	over := func(k *sides, id string) func() bool {
		return func() bool {
			k.mu.Lock()
			defer k.mu.Unlock()
			return k.over[id] != ""
		}
	}
	t.Run("DELETE", func(t *testing.T) {
		k := newSides()
		h, s := start(t, ownKit(), nethttp.Options{Companion: k.companion})
		p := open(t, s.URL, "2025-11-25")
		x := p.follow("POST", p.callText("own", `{}`))
		if n := h.Sides(); n != 1 {
			t.Errorf("%d Companions", n)
		}
		p.do(p.request(context.Background(), "DELETE", "")).want(204)
		x.end()
		eventually(t, "told", over(k, p.session))
		a, _ := k.of(p.session)
		if !slices.Contains(a.told, lifecycle.RequestLost.String()) {
			t.Errorf("%+v", a)
		}
		if n := h.Sides(); n != 0 {
			t.Errorf("%d Companions are left", n)
		}
	})
	t.Run("idle", func(t *testing.T) {
		k := newSides()
		_, s := start(t, ownKit(), nethttp.Options{Companion: k.companion, IdleTimeout: 100 * time.Millisecond})
		p := open(t, s.URL, "2025-11-25")
		eventually(t, "told", over(k, p.session))
	})
	t.Run("a call that it has keeps the session", func(t *testing.T) {
		k := newSides()
		h, s := start(t, ownKit(), nethttp.Options{Companion: k.companion, IdleTimeout: 100 * time.Millisecond, StreamAfter: -1})
		p := open(t, s.URL, "2025-11-25")
		x := p.follow("POST", p.callText("own", `{}`))
		x.event()
		x.cut()
		time.Sleep(400 * time.Millisecond)
		if over(k, p.session)() {
			t.Fatal("it has ended")
		}
		k.news(p.session, "late")
		if err := h.StepNow(context.Background(), p.session); err != nil {
			t.Fatal(err)
		}
		eventually(t, "told", over(k, p.session))
	})
	t.Run("Handler.End", func(t *testing.T) {
		k := newSides()
		h, s := start(t, ownKit(), nethttp.Options{Companion: k.companion})
		p := open(t, s.URL, "2025-11-25")
		if err := h.End(context.Background(), p.session); err != nil {
			t.Fatal(err)
		}
		if !over(k, p.session)() {
			t.Error("not told")
		}
	})
	t.Run("by another process", func(t *testing.T) {
		k := newSides()
		tab := newTable()
		a, _, urlA, urlB := two(t, ownKit(), tab, nethttp.Options{Companion: k.companion})
		p := open(t, urlA, "2025-11-25")
		p.at(urlB).do(p.at(urlB).request(context.Background(), "DELETE", "")).want(204)
		if err := a.StepNow(context.Background(), p.session); !errors.Is(err, lifecycle.ErrGone) {
			t.Error(err)
		}
		if !over(k, p.session)() || a.Sides() != 0 {
			t.Error("not told")
		}
	})
}

// Where many handlers make turns of a session, a step that was too late is made again, and
// commits come once for each turn, in order.
func TestCompanionRetried(t *testing.T) {
	k := newSides()
	tab := newTable()
	a, _, urlA, urlB := two(t, ownKit(), tab, nethttp.Options{Companion: func(who server.Peer) server.Companion {
		id := who.Session
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.all[id] != nil {
			return nil // that of the other handler: without
		}
		k.made++
		k.all[id] = &aside{k: k, id: id, who: who}
		return k.all[id]
	}})
	p := open(t, urlA, "2025-11-25")
	p.call("own-fast", `{}`).want(200)
	refused := func() int {
		tab.mu.Lock()
		defer tab.mu.Unlock()
		return tab.refused
	}
	var wg sync.WaitGroup
	var own atomic.Int64
	own.Add(1)
	for i := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			q := *p
			q.ids = 10_000 * (i + 1)
			if i%2 == 1 {
				q.url = urlB
			}
			for n := 0; n < 30 || n < 1000 && refused() == 0; n++ { // until some turns did meet
				if i%2 == 1 {
					if a, err := q.try(q.request(context.Background(), "POST", q.callText("echo", `{}`))); err != nil || !strings.Contains(a.body, "echo") {
						t.Error(a, err)
					}
					continue
				}
				own.Add(1)
				if a, err := q.try(q.request(context.Background(), "POST", q.callText("own-fast", `{}`))); err != nil || !strings.Contains(a.body, "at once") {
					t.Error(a, err)
				}
				_ = a.StepNow(context.Background(), p.session)
			}
		}()
	}
	wg.Wait()
	v, gen := k.of(p.session)
	calls := 0
	for _, text := range v.told {
		if text == "call own-fast" {
			calls++
		}
	}
	k.mu.Lock()
	steps := k.steps
	k.mu.Unlock()
	if calls != int(own.Load()) || steps < gen {
		t.Errorf("%d calls, %d steps, %d commits", calls, steps, gen)
	}
	t.Logf("%d steps, %d commits, %d puts refused", steps, gen, refused())
	if refused() == 0 {
		t.Error("nothing was made again")
	}
	k.sound(t)
}

// A Store that fails takes nothing from the Companion: what came for it is there when the Store is.
func TestCompanionStoreFails(t *testing.T) {
	k := newSides()
	tab := newTable()
	a, _, urlA, _ := two(t, ownKit(), tab, nethttp.Options{Companion: k.companion, StreamAfter: -1})
	p := open(t, urlA, "2025-11-25")
	x := p.follow("POST", p.callText("own", `{}`))
	x.event()
	k.news(p.session, "kept")
	set := func(err error) {
		tab.mu.Lock()
		tab.fail = err
		tab.mu.Unlock()
	}
	set(errors.New("down"))
	if err := a.StepNow(context.Background(), p.session); err == nil {
		t.Error("no error")
	}
	set(nil)
	if v, _ := k.of(p.session); v.taken != 0 {
		t.Error("it was committed")
	}
	if err := a.StepNow(context.Background(), p.session); err != nil {
		t.Fatal(err)
	}
	x.next("kept")
	k.sound(t)
}

// Shutdown waits for calls that Companions have.
func TestCompanionShutdown(t *testing.T) {
	k := newSides()
	h, s := start(t, ownKit(), nethttp.Options{Companion: k.companion, StreamAfter: -1})
	p := open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("own", `{}`))
	x.event()
	ended := make(chan error, 1)
	go func() { ended <- h.Shutdown(context.Background()) }()
	select {
	case err := <-ended:
		t.Fatal("it has ended:", err)
	case <-time.After(100 * time.Millisecond):
	}
	k.news(p.session, "last")
	if err := h.StepNow(context.Background(), p.session); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, ended); err != nil {
		t.Error(err)
	}
	x.next("last")
}

// What a Companion does not answer before Shutdown gives up is answered for it.
func TestCompanionStopped(t *testing.T) {
	k := newSides()
	h, s := start(t, ownKit(), nethttp.Options{Companion: k.companion, StreamAfter: -1})
	p := open(t, s.URL, "2025-11-25")
	x := p.follow("POST", p.callText("own", `{}`))
	x.event()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	x.next("the call was stopped")
	h.Close()
}

// A Companion knows whose session it is by the request that it is made for.
func TestCompanionPrincipal(t *testing.T) {
	k := newSides()
	_, s := start(t, ownKit(), nethttp.Options{Companion: k.companion, Authenticate: tokens})
	p := newPeer(t, s.URL)
	p.header.Set("Authorization", "Bearer ann")
	p.open("2025-11-25")
	k.mu.Lock()
	defer k.mu.Unlock()
	if who := k.all[p.session].who; who.Principal != "ann" || who.Value != "of ann" {
		t.Errorf("%+v", who)
	}
}

// A Companion that is none leaves everything to functions, and is asked for once.
func TestCompanionNone(t *testing.T) {
	asked := 0
	_, s := start(t, newKit(), nethttp.Options{Companion: func(server.Peer) server.Companion { asked++; return nil }})
	p := open(t, s.URL, "2025-11-25")
	for range 3 {
		p.call("echo", `{}`).want(200, "echo")
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

// A Companion that wants a step at once, again and again, does not keep the process from its work.
func TestCompanionRestless(t *testing.T) {
	k := &restless{}
	_, s := start(t, newKit(), nethttp.Options{Companion: func(server.Peer) server.Companion { return k }})
	p := open(t, s.URL, "2025-11-25")
	time.Sleep(100 * time.Millisecond)
	p.call("echo", `{}`).want(200, "echo")
	if n := k.steps.Load(); n < 5 || n > 1000 {
		t.Errorf("%d steps", n)
	}
}

type restless struct{ steps atomic.Int64 }

func (k *restless) Step(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	k.steps.Add(1)
	return s, out, now.Add(-time.Hour)
}

func (k *restless) Commit() {}

func (k *restless) Handlers() *server.Handlers { return nil }
