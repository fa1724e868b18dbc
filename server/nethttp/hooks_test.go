package nethttp_test

import (
	"context"
	"log/slog"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sansmcp/mcp/server"
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
