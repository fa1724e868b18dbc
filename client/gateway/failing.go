package gateway

import (
	"time"

	"github.com/sansmcp/mcp/client/manager"
)

// A failing server is logged the first time, and then each time its count of failures has grown
// by the factor growth. A server that was ready for the duration stable starts a new count.
const (
	growth = 4
	stable = time.Minute
)

// failure counts a change of a server, and returns how often it has failed if that is to be
// logged.
func (g *Gateway) failure(ev manager.Event, now time.Time) (times int, tell bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.failing[ev.Link.Server]
	switch {
	case ev.To == manager.Ready && f != nil:
		f.ready = now
	case ev.Err != nil && ev.From != ev.To && (ev.To == manager.Waiting || ev.To == manager.Failed):
		if f == nil || !f.ready.IsZero() && now.Sub(f.ready) >= stable {
			f = &failing{next: 1}
			g.failing[ev.Link.Server] = f
		}
		f.ready = time.Time{}
		if f.times++; f.times >= f.next {
			f.next = f.times * growth
			return f.times, true
		}
	}
	return 0, false
}

// log logs a change of a server, as a warning if it failed.
func (x *session) log(ev manager.Event) {
	log := x.g.opt.Log
	switch ev.Kind {
	case manager.ServerChanged:
		args := []any{"session", x.number, "server", clean(ev.Link.Server), "from", ev.From.String(), "to", ev.To.String()}
		if ev.Err != nil {
			args = append(args, "err", clean(hide(ev.Err.Error(), x.secrets[ev.Link.Server])))
		}
		if !ev.RetryAt.IsZero() {
			args = append(args, "retry", ev.RetryAt.Format(time.RFC3339))
		}
		if times, tell := x.g.failure(ev, time.Now()); tell {
			log.Warn("gateway: server fails", append(args, "times", times)...)
			return
		}
		log.Info("gateway: server", args...)
	case manager.PingsMissed:
		if ev.Misses&(ev.Misses-1) != 0 { // it may be busy for long
			return
		}
		log.Info("gateway: server does not answer pings", "session", x.number, "server", clean(ev.Link.Server), "misses", ev.Misses)
	}
}
