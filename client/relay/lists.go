package relay

import (
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// note keeps what is new of a server, and of what it lists.
func (st *step) note(i int, next upstream) {
	r := &st.r
	if next.state != manager.Idle && !next.starting() && (next.state != manager.Ready || r.knowsAll(&next)) {
		next.rested = false // it is back, or does not come
	}
	if next.took == 0 && next.state == manager.Ready && r.knowsAll(&next) {
		next.took = max(r.clock.Now()-next.down, 1)
	}
	was, done := r.up.at(i), uint64(0)
	if was.state != manager.Ready && next.state == manager.Ready {
		done, next.login = next.login, 0
	}
	news := was.state != next.state || was.rested != next.rested
	for k := range next.seen {
		if seen := r.seen(&next, k); seen != next.seen[k] {
			next.seen[k], r.merged[k] = seen, merged{}
			st.changed()
			news = news || k == resources
		}
	}
	r.up = r.up.with(i, &next)
	if done != 0 {
		st.tellClient(protocol.ElicitationCompleteParams{ElicitationID: loginID(next.Name, done)}, server.Call{}) // its server is there
	}
	st.look = true
	if news && !next.starting() { // what a Filter hides may not have been known before
		st.dropSubsOf(next.id)
	}
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

// has reports whether there may be an item, by the Filter of its server.
func (r *Relay) has(u *upstream, kind int, key string) bool {
	return r.c.May(protocol.Lists()[kind], catalog.ItemID{Server: u.Name, Key: key})
}

// mayHave reports whether a server has an item, as far as is known: one whose list was not read
// yet may, but for a resource that a rule denies whatever the list says.
func (st *step) mayHave(u *upstream, kind int, key string) bool {
	if kind == resources && u.Filter.Denies(protocol.ResourceList, key, "") {
		return false
	}
	if u.state != manager.Ready {
		if l, _ := st.r.c.Status(protocol.Lists()[kind], u.Name); u.starting() || l.Version == 0 {
			return true
		}
	}
	return st.r.has(u, kind, key)
}

// capabilities returns what a server that is ready can do.
func (r *Relay) capabilities(u *upstream) protocol.Capability {
	c, _ := r.m.Client(u.Name)
	return c.PeerCapabilities()
}

// upStateless reports whether a server that is ready has no sessions.
func (r *Relay) upStateless(u *upstream) bool {
	c, _ := r.m.Client(u.Name)
	return c.Revision().Stateless()
}

// dropSubs forgets the subscriptions of servers that are gone, and those that no Filter passes, as far as is known.
func (st *step) dropSubs() {
	for leaf := range st.r.wants.All() { // of the Table as it is now
		st.dropSubsOf(leaf.Key)
	}
}

// dropSubsOf is dropSubs for one server. Others may have what a client without a session has subscribed to there.
func (st *step) dropSubsOf(server uint64) {
	leaf := st.r.wants.Get(server)
	if leaf == nil {
		return
	}
	u := st.r.up.get(server)
	gone := func(s *sub) bool {
		st.checked++
		return u == nil || !st.mayHave(u, resources, s.target)
	}
	for uri := range leaf.V.subs.All() {
		if s := st.r.subscribed(uri); gone(s) {
			st.r.unsubscribed(uri)
			st.unheard(s)
		}
	}
	for uri := range leaf.V.heard.All() {
		if h := st.r.heard.Get(st.r.hash(uri), uri); gone(&h.sub) {
			next := *h
			next.server, next.target, next.guessed = 0, "", false
			st.r.hear(next)
			st.unheard(&h.sub)
		}
	}
}
