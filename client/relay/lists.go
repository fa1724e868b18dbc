package relay

import (
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// moved follows the connection of a server.
func (st *step) moved(ev *manager.Event) {
	i := st.r.up.index(ev.Link.Server)
	now, is := st.r.m.Link(ev.Link.Server)
	if i < 0 || !is || now != ev.Link || st.r.opened == never {
		return // of an incarnation that is over
	}
	next := *st.r.up[i]
	ready, rested := ev.To == manager.Ready, next.rested
	if next.state == manager.Ready || ev.From == manager.Idle {
		next.down = st.r.clock.Now()
	}
	next.state, next.caps = ev.To, 0
	if c, ok := st.r.m.Client(next.Name); ok && ready {
		next.caps = c.PeerCapabilities()
	}
	st.note(i, next)
	if ready {
		st.tellLevel(next.Name)
		if rested {
			st.resubscribe(&next)
		}
	}
}

// note keeps what is new of a server, and of what it lists.
func (st *step) note(i int, next upstream) {
	r := &st.r
	if next.state != manager.Idle && !next.starting() && (next.state != manager.Ready || r.knowsAll(&next)) {
		next.rested = false // it is back, or does not come
	}
	if next.took == 0 && next.state == manager.Ready && r.knowsAll(&next) {
		next.took = max(r.clock.Now()-next.down, 1)
	}
	for k := range next.seen {
		if seen := r.seen(&next, k); seen != next.seen[k] {
			next.seen[k], r.merged[k] = seen, merged{}
			st.changed()
		}
	}
	r.up = r.up.with(i, &next)
	st.look = true
}

// seen returns the version of a list of a server as the client sees it: 0 if it is not shown.
func (r *Relay) seen(u *upstream, k int) uint64 {
	l, _ := r.c.Status(protocol.Lists()[k], u.Name)
	keep := u.rested || r.cfg.Naming.OnLoss == naming.Keep
	if l.Version == 0 || !keep && (u.state != manager.Ready || !r.knows(u, k)) {
		return 0
	}
	return l.Version
}

// knows reports whether it is settled what a server lists, if it lists anything of the kind.
func (r *Relay) knows(u *upstream, k int) bool {
	if u.state == manager.Ready {
		return r.c.Known(protocol.Lists()[k], u.Name)
	}
	return !u.starting()
}

// knowsAll is knows of everything.
func (r *Relay) knowsAll(u *upstream) bool {
	for k := range kinds {
		if !r.knows(u, k) {
			return false
		}
	}
	return true
}

// changed takes in that what the client was told may be wrong now.
func (st *step) changed() {
	if st.r.news == never {
		st.r.news = st.r.clock.After(st.r.cfg.Lists.Announce)
	}
}

// tell announces the lists that differ from what the client was told, once for however many
// changes there were. A client that never asked for a list is told nothing of it.
func (st *step) tell() {
	if st.r.clock.Now() < st.r.news {
		return
	}
	st.r.news = never
	announced := ""
	for k, l := range protocol.Lists() {
		if !st.r.told[k].some {
			continue
		}
		now := st.r.merge(k).of
		if now == st.r.told[k].of {
			continue
		}
		if l.Changed == announced { // resources and their templates have one announcement
			st.r.told[k].of = now
			continue
		}
		s, out, err := st.s.Notify(st.now, protocol.RawRequest{Name: l.Changed}, server.Call{})
		if err != nil {
			continue // not ready; the next change, or the phase, comes back to it
		}
		announced = l.Changed
		st.r.told[k].of = now
		st.downward(s, out)
	}
}
