package nethttp_test

import (
	"context"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server"
	"github.com/sansmcp/mcp/server/host"
	"github.com/sansmcp/mcp/server/nethttp"
)

// breaks is a Companion that does something bad in a step, once it shall.
type breaks struct {
	bad  func()
	fail *atomic.Bool
}

func (b breaks) Step(s server.State, _ time.Time, out server.Output) (server.State, server.Output, time.Time) {
	if b.fail.Load() {
		b.bad()
	}
	return s, out, time.Time{}
}
func (b breaks) Commit()                    {}
func (b breaks) Handlers() *server.Handlers { return nil }

// An Event or a Companion that panics, or ends its goroutine, costs the request its answer, and no
// more: the session goes on, others too, and nothing is left when they end.
func TestHooksThatBreak(t *testing.T) {
	for name, bad := range map[string]func(){"panic": func() { panic("oh") }, "goexit": runtime.Goexit} {
		for _, hook := range []string{"event", "companion"} {
			t.Run(hook+" "+name, func(t *testing.T) {
				var fails atomic.Bool
				opt := nethttp.Options{}
				if hook == "event" {
					opt.Event = func(string, server.Event) {
						if fails.Load() {
							bad()
						}
					}
				} else {
					opt.Companion = func(server.Peer) server.Companion { return breaks{bad, &fails} }
				}
				h, s := start(t, newKit(), opt)
				s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
				p, other := open(t, s.URL, "2025-11-25"), open(t, s.URL, "2025-11-25")
				p.call("echo", `{}`).want(200, "echo")
				fails.Store(true)
				if a, err := p.try(p.request(context.Background(), "POST", callOf("echo", "{}"))); err == nil {
					t.Errorf("answered: %d %s", a.status, a.body)
				}
				fails.Store(false)
				p.call("echo", `{}`).want(200, "echo")
				other.call("echo", `{}`).want(200, "echo")
				eventually(t, "it has a connection", func() bool { return h.Status().Connections == 0 })
				for _, q := range []*peer{p, other} {
					if err := h.End(context.Background(), q.session); err != nil {
						t.Error(err)
					}
				}
				eventually(t, "something is left", func() bool { return h.Status() == nethttp.Status{} })
			})
		}
	}
}

// steps is a Companion that panics in what it is told to, and wants a step soon.
type steps struct {
	in   *atomic.Value // the method that panics
	made *atomic.Int64
}

func (s steps) does(method string) {
	if s.in.Load() == method {
		s.made.Add(1)
		panic("oh, in " + method)
	}
}
func (s steps) Step(x server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	s.does("Step")
	return x, out, now.Add(10 * time.Millisecond)
}
func (s steps) Commit() { s.does("Commit") }
func (s steps) Handlers() *server.Handlers {
	s.does("Handlers")
	return nil
}

// fragile is a Store that panics.
type fragile struct {
	nethttp.Store
	steps
}

func (f fragile) Get(ctx context.Context, id string) (nethttp.Record, error) {
	f.does("Get")
	return f.Store.Get(ctx, id)
}
func (f fragile) Put(ctx context.Context, id string, r nethttp.Record, was uint64) error {
	f.does("Put")
	return f.Store.Put(ctx, id, r, was)
}
func (f fragile) Delete(ctx context.Context, id string) error {
	f.does("Delete")
	return f.Store.Delete(ctx, id)
}
func (f fragile) Wait(ctx context.Context, id string, step uint64) error {
	f.does("Wait")
	return f.Store.Wait(ctx, id, step)
}

// With Recover a panic of whatever the application gave is reported and costs what it was for, in the
// goroutines of the Handler too: by time, at the end of a function, and at the end of the session.
func TestRecoverOfEverything(t *testing.T) {
	for _, in := range []string{"Step", "Commit", "Handlers", "Get", "Put", "Delete", "Wait", "Authenticate", "Companion", "Event"} {
		t.Run(in, func(t *testing.T) {
			var where atomic.Value
			var made, reported atomic.Int64
			where.Store("")
			c := steps{&where, &made}
			k := newKit()
			h, s := start(t, k, nethttp.Options{
				Store: fragile{nethttp.NewMemory(), c}, Recover: true, IdleTimeout: time.Minute,
				Work: host.WorkOptions{Recover: func(any, []byte) { reported.Add(1) }},
				Companion: func(server.Peer) server.Companion {
					c.does("Companion")
					return c
				},
				Event: func(string, server.Event) { c.does("Event") },
				Authenticate: func(*http.Request) (nethttp.Principal, error) {
					c.does("Authenticate")
					return nethttp.Principal{ID: "a"}, nil
				},
			})
			p := open(t, s.URL, "2025-11-25")
			p.call("echo", `{}`).want(200, "echo")
			gone := make(chan answer, 1)
			go func() { gone <- p.call("gate", `{}`) }()
			<-k.begun
			where.Store(in)
			k.free <- struct{}{} // its turn fails
			time.Sleep(50 * time.Millisecond)
			q := newPeer(t, s.URL)
			for _, a := range []answer{p.call("echo", `{}`), q.post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)} {
				if a.status != 200 && a.status != 500 || strings.Contains(a.body, "oh") {
					t.Errorf("%d %s", a.status, a.body)
				}
			}
			if in == "Step" || in == "Commit" || in == "Handlers" {
				_ = h.End(context.Background(), p.session)
				if slices.Contains(h.Sessions(), p.session) {
					t.Error("the session does not end")
				}
			}
			where.Store("")
			<-gone
			if reported.Load() != made.Load() || made.Load() == 0 && in != "Wait" && in != "Delete" && in != "Companion" {
				t.Errorf("%d of %d panics were reported", reported.Load(), made.Load())
			}
			open(t, s.URL, "2025-11-25").call("echo", `{}`).want(200, "echo")
			for _, id := range h.Sessions() {
				if err := h.End(context.Background(), id); err != nil {
					t.Error(err)
				}
			}
			eventually(t, "something is left", func() bool { return h.Status() == nethttp.Status{} })
		})
	}
}

// quits is a Companion that wants a step soon, and ends the goroutine of the first ones by time.
type quits struct{ steps *atomic.Int64 }

func (q quits) Step(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	if n := q.steps.Load(); out.IsZero() && n < 3 {
		q.steps.Add(1)
		runtime.Goexit()
	} else if out.IsZero() {
		q.steps.Add(1)
	}
	return s, out, now.Add(10 * time.Millisecond)
}
func (quits) Commit()                    {}
func (quits) Handlers() *server.Handlers { return nil }

// A Companion that ends the goroutine of a step by time gets the next one all the same.
func TestStepsAfterGoexit(t *testing.T) {
	var steps atomic.Int64
	h, s := start(t, newKit(), nethttp.Options{Companion: func(server.Peer) server.Companion { return quits{&steps} }})
	p := open(t, s.URL, "2025-11-25")
	p.call("echo", `{}`).want(200, "echo")
	eventually(t, "no step is made any more", func() bool { return steps.Load() > 5 })
	if err := h.End(context.Background(), p.session); err != nil {
		t.Error(err)
	}
}
