package gateway

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/links"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/server"
)

// maxReports is how many reports one step takes in.
const maxReports = 32

// newSession returns a session whose Relay has the servers; nil after Close.
func (g *Gateway) newSession(kind string, peer server.Peer, wake func(context.Context) error) *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing {
		return nil
	}
	g.last++
	now := time.Now()
	x := &session{g: g, number: g.last, kind: kind, peer: peer, since: now, wake: wake, ended: make(chan struct{}), gen: g.gen}
	x.room.L = &x.mu
	opt := g.opt.Links
	opt.Report, opt.OnRoom = x.report, nil
	x.links = links.New(g.opt.Dial, opt)
	cfg := g.opt.Relay
	cfg.Strangers = cfg.Strangers || peer.Stateless && peer.Principal == "" && peer.Address == ""
	_, _ = rand.Read(cfg.Manager.Client.HashKey[:]) // which never fails; nobody else has the calls of the session
	servers, err := g.serversOf(peer)
	x.secrets = secretsOf(servers)
	if err == nil {
		x.relay, err = relay.New(cfg, servers, now)
	}
	if err != nil { // ServersOf says so
		g.opt.Log.Error("gateway: invalid servers for a session", "session", x.number, "err", err)
		x.relay, _ = relay.New(cfg, nil, now)
	}
	g.sessions[x] = struct{}{}
	return x
}

// Handlers implements server.Companion: the servers answer.
func (x *session) Handlers() *server.Handlers { return nil }

// Homed says that a session over HTTP lives in one process: see nethttp.Options.Companion.
func (x *session) Homed() bool { return x.kind == "http" }

// Step implements server.Companion.
func (x *session) Step(s server.State, now time.Time, out server.Output) (server.State, server.Output, time.Time) {
	x.commit = nil
	x.mu.Lock()
	if x.over {
		x.mu.Unlock()
		return s, out, time.Time{}
	}
	r, gen, secrets := x.relay, x.gen, x.secrets
	before := r
	reports, restart := x.inbox.head(maxReports), slices.Clone(x.restart)
	x.mu.Unlock()
	ends, heard := over(out), !out.IsZero()
	late := !x.begun && !ends && s.Phase() == lifecycle.Ready && !turned(out, lifecycle.Ready)
	r, s, all := r.Handle(s, now, out)
	add := func(next relay.Relay, after server.State, eff relay.Effects) {
		r, s = next, after
		all.Output.Merge(eff.Output)
		all.Actions = append(all.Actions, eff.Actions...)
		all.Servers = append(all.Servers, eff.Servers...)
	}
	if late { // its servers were at another process, which is gone
		add(r.Resume(s, now))
	}
	for _, rep := range reports {
		add(r.Report(s, now, rep))
	}
	if servers, newest, err := x.g.changed(x.peer, gen); newest != gen && !ends {
		gen = newest
		var eff relay.Effects
		if err == nil {
			r, s, eff, err = r.SetServers(s, now, servers)
			add(r, s, eff)
		}
		if err == nil {
			secrets = secretsOf(servers)
		} else { // ServersOf says so
			x.g.opt.Log.Error("gateway: invalid servers for a session", "session", x.number, "err", err)
		}
	}
	for _, again := range restart {
		if again.unless && ready(r, again.name) {
			continue
		}
		next, after, eff, _ := r.Restart(s, now, again.name) // if it is gone meanwhile there is nothing to do
		add(next, after, eff)
	}
	if t, ok := r.NextDeadline(); ok && !t.After(now) {
		add(r.Tick(s, now))
	}
	ends = ends || over(all.Output)
	rest, look := false, time.Time{}
	if !ends {
		if rest, look = x.restless(r, s, now, heard); rest {
			add(r.Rest(s, now))
			rest = r.Resting()
		}
	}
	wake, _ := r.NextDeadline()
	wake = earlier(wake, look)
	x.commit = func() {
		x.mu.Lock()
		x.relay, x.state, x.gen, x.secrets = r, s, gen, secrets
		x.inbox.drop(len(reports))
		x.restart = x.restart[len(restart):]
		x.over = x.over || ends
		x.room.Broadcast()
		x.mu.Unlock()
		x.begun = true
		if !x.learned {
			if ends {
				r = before // which knows more
			}
			x.learned = x.g.learn(r)
		}
		x.links.Do(all.Actions)
		if rest {
			x.g.opt.Log.Info("gateway: servers stopped until the client returns", "session", x.number)
		}
		for _, ev := range all.Servers {
			x.log(ev)
		}
		if ends {
			x.end()
		}
	}
	return s, all.Output, wake
}

// turned reports whether the session came to one of some phases in a step.
func turned(out server.Output, to ...server.Phase) bool {
	return slices.ContainsFunc(out.Events, func(ev server.Event) bool { return ev.Kind == lifecycle.PhaseChanged && slices.Contains(to, ev.To) })
}

// over reports whether the session ended in a step.
func over(out server.Output) bool { return turned(out, lifecycle.Disconnected, lifecycle.Failed) }

// report takes in what has happened to a connection, in the goroutine of that: it waits while
// too much of it waits already.
func (x *session) report(rep manager.Report) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for !x.over && x.inbox.full(rep.Link) {
		x.room.Wait()
	}
	if x.over {
		return
	}
	x.inbox.push(rep)
	x.rouse()
}

// poke has the session look whether something was asked of it.
func (x *session) poke(restart ...restart) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, again := range restart {
		if !slices.Contains(x.restart, again) {
			x.restart = append(x.restart[:len(x.restart):len(x.restart)], again)
		}
	}
	x.rouse()
}

// ready reports whether a server is.
func ready(r relay.Relay, name string) bool {
	return slices.ContainsFunc(r.Statuses(), func(s manager.Status) bool { return s.Link.Server == name && s.Condition == manager.Ready })
}

// rouse sees to it that what waits is taken in. The lock is held.
func (x *session) rouse() {
	if !x.waking && !x.over {
		x.waking = true
		x.g.wg.Go(x.work)
	}
}

// waits reports whether there is something to do, and says so no more if there is not.
func (x *session) waits() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.g.mu.Lock()
	newest := x.g.gen
	x.g.mu.Unlock()
	some := !x.over && (len(x.inbox.reports) > 0 || len(x.restart) > 0 || x.gen != newest)
	x.waking = some
	return some
}

// retry is how long a session is left alone that could not be stored.
const retry = 500 * time.Millisecond

// work has steps made until nothing waits.
func (x *session) work() {
	for x.waits() {
		err := x.wake(x.g.ctx)
		switch {
		case errors.Is(err, lifecycle.ErrGone):
			x.end()
		case err != nil:
			select {
			case <-time.After(retry):
			case <-x.g.ctx.Done():
			}
		}
	}
}

// end ends the connections to the servers. It does not wait.
func (x *session) end() {
	x.once.Do(func() {
		x.mu.Lock()
		x.over = true
		x.room.Broadcast()
		x.mu.Unlock()
		x.g.wg.Go(func() {
			defer close(x.ended)
			ctx, stop := context.WithTimeout(context.Background(), x.g.opt.CloseTimeout)
			defer stop()
			err := x.links.Close(ctx)
			x.mu.Lock()
			x.relay, x.inbox = relay.Relay{}, inbox{}
			x.mu.Unlock()
			x.g.forget(x, err)
		})
	})
}

// forget takes in that nothing of a session runs any more.
func (g *Gateway) forget(x *session, err error) {
	g.mu.Lock()
	delete(g.sessions, x)
	if err != nil && g.closing {
		g.failed = append(g.failed, err)
	}
	g.mu.Unlock()
	g.opt.Log.Info("gateway: session ended", "session", x.number, "err", err)
}

// serversOf returns the servers of a session. A function that panics costs that session its servers, and not the
// Gateway its process: it is called in goroutines that nobody else watches. The lock is held.
func (g *Gateway) serversOf(p server.Peer) (list []relay.Server, err error) {
	if g.opt.ServersOf == nil {
		return g.servers, nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("gateway: ServersOf panicked: %v", v)
		}
	}()
	return g.opt.ServersOf(p), nil
}

// changed returns the servers of a session that has those of gen, if they are others by now, and
// which they are.
func (g *Gateway) changed(p server.Peer, gen uint64) (servers []relay.Server, newest uint64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gen == gen {
		return nil, gen, nil
	}
	servers, err = g.serversOf(p)
	return servers, g.gen, err
}
