package relay

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Rest ends the connections of all servers until the client makes its next request, which connects
// them again. What they listed stays as it was meanwhile, under every policy of loss: the client is
// told nothing unless a server comes back with another list, or not at all. Calls that are open are
// answered with an error, so it is for a session that has none. Subscriptions are made again, and
// the log level is set again, when a server is back.
func (r Relay) Rest(s server.State, now time.Time) (Relay, server.State, Effects) {
	if r.cfg == nil || r.over || r.resting || r.opened == never {
		return r, s, Effects{}
	}
	st := step{r: r, s: s, now: now}
	st.take()
	st.r.resting = true
	list := make(fleet, len(r.up))
	for i, u := range r.up {
		next := *u
		next.rested = u.rested || u.state == manager.Ready && r.knowsAll(u)
		next.state, next.caps, next.level = manager.Idle, 0, ""
		list[i] = &next
	}
	st.r.up = list
	st.r.merged = [kinds]merged{}
	st.upward(st.r.m.DisconnectAll(st.now))
	for i, u := range st.r.up {
		st.note(i, *u)
	}
	st.changed() // what is lost of a server that was on its way
	st.settle()
	return st.r, st.s, st.eff
}

// Resting reports whether the servers are ended until the next request: see Rest.
func (r Relay) Resting() bool { return r.resting }

// wake connects the servers again.
func (st *step) wake() {
	if st.r.resting {
		st.r.resting = false
		st.connectPending()
	}
}

// resubscribe makes the subscriptions of a server again, in a session that it has after a rest.
func (st *step) resubscribe(u *upstream) {
	if !u.caps.Has(protocol.CapResourcesSubscribe) {
		return
	}
	var uris []string
	for _, s := range st.r.subs.All() {
		if s.server == u.id {
			uris = append(uris, s.target)
		}
	}
	slices.Sort(uris)
	for _, uri := range slices.Compact(uris) {
		m, out, err := st.r.m.Request(st.now, u.Name, protocol.SubscribeParams{URI: uri}, manager.RequestOptions{})
		if err != nil {
			continue // it is lost again already, and what follows comes back to it
		}
		st.upward(m, out)
	}
}
