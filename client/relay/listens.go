package relay

import (
	"errors"
	"strings"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// A client without a session says in subscriptions what it wants to hear of. The State of the client keeps them,
// and leaves out what nobody listens to. The Relay subscribes at the servers to the resources that they name.

// listened looks in what the State sends for subscriptions that open and end.
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

// listens takes that a subscription is open. What the lists are by now counts as what the client knows, unless it
// has asked for them before: then it is told what has changed since.
func (st *step) listens(call lifecycle.Call, to *protocol.SubscriptionFilter) {
	r := &st.r
	st.bringsOf(call)
	st.connect()
	for k, on := range [kinds]bool{tools: to.ToolsListChanged, resources: to.ResourcesListChanged, templates: to.ResourcesListChanged, prompts: to.PromptsListChanged} {
		switch {
		case r.told[k] != 0 && r.told[k] != r.merge(k).version:
			st.changed()
		case on:
			r.told[k] = r.merge(k).version
		}
	}
	st.hears(call.Seq(), to.ResourceSubscriptions)
}

// hears subscribes to resources as soon as it is known who has them, for a subscription of the client.
func (st *step) hears(seq uint64, to []string) {
	r := &st.r
	uris := make([]string, 0, len(to))
	for _, uri := range to {
		h := heard{sub: sub{uri: strings.Clone(uri)}}
		if old := r.heard.Get(r.hash(uri), uri); old != nil {
			h = *old
		} else if r.heard.Len() >= r.cfg.subscriptions() {
			continue
		} else {
			r.unplaced++
		}
		h.n++
		r.heard = r.heard.Put(r.hash(uri), h.uri, h)
		uris = append(uris, h.uri)
	}
	if len(uris) > 0 {
		r.listening = r.listening.Put(seq, never, uris)
		st.look = true
	}
}

// listenEnded takes that a call has ended, which may be a subscription.
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

// placeHeard subscribes to the resources of which it is known by now who has them. What no server lists is
// subscribed to at the only one that may have it, until another lists it.
func (st *step) placeHeard() {
	if st.r.unplaced == 0 {
		return
	}
	for uri, h := range st.r.heard.All() { // of the Index as it is now
		if h.placed() {
			continue
		}
		old, next := h.sub, *h
		t, known := st.findURI(uri)
		if !known && h.server == 0 && !st.awaits(false, resources, templates) {
			if ids := st.having(protocol.CapResourcesSubscribe, uri); len(ids) == 1 {
				t = target{ids[0], uri}
			}
		}
		next.guessed = !known
		switch {
		case t.server == 0:
			continue
		case t.server == old.server && t.key == old.target: // it was guessed right
		case !st.subscribe(t.server, protocol.SubscribeParams{URI: t.key}):
			continue
		default:
			next.server, next.target = t.server, strings.Clone(t.key)
		}
		st.r.heard = st.r.heard.Put(st.r.hash(uri), uri, next)
		if known {
			st.r.unplaced--
		}
		if next.sub != old {
			st.unheard(&old)
		}
	}
}

// checkHeard: each resource is named by as many subscriptions as it says.
func (r *Relay) checkHeard(open map[uint64]bool) error {
	named := map[string]int{}
	for leaf := range r.listening.All() {
		if leaf.Key != resumed && !open[leaf.Key] {
			return errors.New("relay: a subscription that the client has not open")
		}
		for _, uri := range leaf.V {
			named[uri]++
		}
	}
	unplaced := 0
	for uri, h := range r.heard.All() {
		if named[uri] != h.n {
			return errors.New("relay: a wrong count of subscriptions")
		}
		if !h.placed() {
			unplaced++
		}
	}
	if unplaced != r.unplaced || len(named) != r.heard.Len() {
		return errors.New("relay: a wrong count of resources that are subscribed to")
	}
	return nil
}
