package relay

import (
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// note stores a changed server, and updates what depends on it and its lists.
func (st *step) note(i int, next upstream) {
	r := &st.r
	if next.state != manager.Idle && !next.starting() && (next.state != manager.Ready || r.knowsAll(&next)) {
		next.rested = false // it has started again, or does not
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
	if news && !next.starting() { // a Filter may exclude items that were unknown before
		st.dropSubsOf(next.id)
	}
}

// seen returns the version of a server's list that the client sees; 0 if the list is not shown.
func (r *Relay) seen(u *upstream, k int) uint64 {
	l, _ := r.c.Status(protocol.Lists()[k], u.Name)
	keep := u.rested || r.cfg.Naming.OnLoss == naming.Keep
	if l.Version == 0 || !keep && (u.state != manager.Ready || !r.knows(u, k)) {
		return 0
	}
	return l.Version
}

// knows reports whether a server's list is known, or will not become known soon.
func (r *Relay) knows(u *upstream, k int) bool {
	if u.state == manager.Ready {
		return r.c.Known(protocol.Lists()[k], u.Name)
	}
	return !u.starting()
}

// knowsAll reports whether knows holds for all lists.
func (r *Relay) knowsAll(u *upstream) bool {
	for k := range kinds {
		if !r.knows(u, k) {
			return false
		}
	}
	return true
}

// changed schedules an announcement: the client's lists may be out of date.
func (st *step) changed() {
	if st.r.news == never {
		st.r.news = st.r.clock.After(st.r.cfg.Lists.Announce)
	}
}

// has reports whether a server may have an item, by its Filter.
func (r *Relay) has(u *upstream, kind int, key string) bool {
	return r.c.May(protocol.Lists()[kind], catalog.ItemID{Server: u.Name, Key: key})
}

// mayHave reports whether a server has an item, as far as is known: a server whose list has not
// been read may, except for a resource that a rule denies in any case.
func (st *step) mayHave(u *upstream, kind int, key string) bool {
	if len(u.Filter.Allow)+len(u.Filter.Deny) == 0 {
		return true
	}
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

// capabilities returns the capabilities of a ready server.
func (r *Relay) capabilities(u *upstream) protocol.Capability {
	c, _ := r.m.Client(u.Name)
	return c.PeerCapabilities()
}

// upStateless reports whether a ready server has no sessions.
func (r *Relay) upStateless(u *upstream) bool {
	c, _ := r.m.Client(u.Name)
	return c.Revision().Stateless()
}

// dropSubs drops the subscriptions at removed servers, and those that a Filter excludes, as far as is known.
func (st *step) dropSubs() {
	for leaf := range st.r.wants.All() { // iterates over the Table at the start
		st.dropSubsOf(leaf.Key)
	}
}

// dropSubsOf is dropSubs for one server. Subscriptions of a client without a session may move to another
// server.
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
