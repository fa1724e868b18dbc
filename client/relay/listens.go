package relay

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// A client without a session lists in subscriptions what it wants to be notified of. The State of the client
// keeps them, and drops other notifications. The Relay subscribes at the servers to the resources in them.

// listened finds the subscriptions that open and end in the messages of the State.
func (st *step) listened(send []lifecycle.Outgoing) {
	for i := range send {
		switch o := &send[i]; {
		case o.Message.Method == protocol.MethodAcknowledged && !o.Call.IsZero():
			p, _ := protocol.Decode[protocol.AcknowledgedParams](o.Message.Body) // the State has written it
			st.listens(o.Call, &p.Notifications)
		case o.Final:
			st.listenEnded(o.Call.Seq())
		}
	}
}

// listens handles a new subscription. The client is assumed to know the current lists, unless it has
// requested them before: then changes since then are announced.
func (st *step) listens(call lifecycle.Call, to *protocol.SubscriptionFilter) {
	r := &st.r
	st.bringsOf(call)
	st.connect()
	changes := to.Changes()
	for k, l := range protocol.Lists() {
		switch {
		case r.told[k] != 0 && r.told[k] != r.merge(k).version:
			st.changed()
		case changes.Has(l.Change):
			r.told[k] = r.merge(k).version
		}
	}
	st.hears(call.Seq(), to.ResourceSubscriptions)
}

// hears subscribes to the resources of a client's subscription, as soon as their servers are known.
func (st *step) hears(seq uint64, to []string) {
	r := &st.r
	uris := make([]string, 0, len(to))
	for _, uri := range to {
		h := heard{sub: sub{uri: strings.Clone(uri)}}
		if old := r.heard.Get(r.hash(uri), uri); old != nil {
			h = *old
		} else if r.heard.Len() >= r.cfg.subscriptions() {
			continue
		}
		h.n++
		r.hear(h)
		uris = append(uris, h.uri)
	}
	if len(uris) > 0 {
		r.listening = r.listening.Put(seq, never, uris)
		st.fresh = append(st.fresh, uris...)
	}
}

// listenEnded handles the end of a call, which may be a subscription.
func (st *step) listenEnded(seq uint64) {
	r := &st.r
	t, leaf := r.listening.Delete(seq)
	if leaf == nil {
		return
	}
	r.listening = t
	for _, uri := range leaf.V {
		if h := r.heardLess(uri); h != nil {
			st.unheard(&h.sub)
		}
	}
}

// placeHeard subscribes to the resources whose servers have become known.
func (st *step) placeHeard(all bool) {
	if all {
		for uri := range st.r.unplaced.All() { // iterates over the Index at the start
			st.placeOne(uri)
		}
	} else {
		for _, uri := range st.fresh {
			st.placeOne(uri)
		}
	}
	st.fresh = nil
}

// placeOne subscribes to a resource, if its server is known. If no server lists it, it subscribes at the only
// one that may have it, until another server lists it.
func (st *step) placeOne(uri string) {
	st.checked++
	h := st.r.heard.Get(st.r.hash(uri), uri)
	if h == nil || h.placed() {
		return
	}
	old, next := h.sub, *h
	t, known := st.find(resources, uri)
	if !known && h.server == 0 && !st.awaits(false, resources, templates) {
		if ids := st.having(protocol.CapResourcesSubscribe, uri); len(ids) == 1 {
			t = target{st.r.up.get(ids[0]), uri}
		}
	}
	next.guessed = !known
	switch {
	case t.on == nil:
		return
	case t.on.id == old.server && t.key == old.target: // the guess was right
	case !st.subscribe(t.on.id, protocol.SubscribeParams{URI: t.key}):
		return
	default:
		next.server, next.target = t.on.id, strings.Clone(t.key)
	}
	st.r.hear(next)
	if next.sub != old {
		st.unheard(&old)
	}
}

// checkHeard checks the counts of subscriptions and the indexes of resources.
func (r *Relay) checkHeard(open map[uint64]bool) error {
	named := map[string]int{}
	for leaf := range r.listening.All() {
		if leaf.Key != resumed && !open[leaf.Key] {
			return errors.New("relay: a subscription that is not open at the client")
		}
		for _, uri := range leaf.V {
			named[uri]++
		}
	}
	again := Relay{cfg: r.cfg}
	for _, s := range r.subs.All() {
		again.keep(*s, true)
	}
	for uri, h := range r.heard.All() {
		if named[uri] != h.n {
			return errors.New("relay: a wrong count of subscriptions")
		}
		again.hear(*h)
	}
	if again.unplaced.Len() != r.unplaced.Len() || len(named) != r.heard.Len() || again.wants.Len() != r.wants.Len() {
		return errors.New("relay: a wrong count of resources that are subscribed to")
	}
	for uri := range again.unplaced.All() {
		if r.unplaced.Get(r.hash(uri), uri) == nil {
			return errors.New("relay: a resource without a server that is not looked for")
		}
	}
	for leaf := range again.wants.All() {
		w := r.wants.Get(leaf.Key)
		if w == nil || !sameKeys(leaf.V.subs, w.V.subs, r.hash) || !sameKeys(leaf.V.heard, w.V.heard, r.hash) || !sameKeys(leaf.V.targets, w.V.targets, r.hash) {
			return errors.New("relay: a subscription missing at its server")
		}
	}
	return nil
}

// sameKeys reports whether two Indexes have the same entries.
func sameKeys[V comparable](a, b table.Index[V], hash func(string) uint64) bool {
	if a.Len() != b.Len() {
		return false
	}
	for text, v := range a.All() {
		if w := b.Get(hash(text), text); w == nil || *w != *v {
			return false
		}
	}
	return true
}
