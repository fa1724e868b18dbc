package relay

import (
	"slices"
	"strings"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle/engine"
	"github.com/sansmcp/mcp/protocol"
)

// hash returns where a subscription is kept, under the uri that the client says.
func (r *Relay) hash(uri string) uint64 { return engine.Hash(r.cfg.key, 's', uri) }

// subscribed returns the subscription of a uri, nil if there is none.
func (r *Relay) subscribed(uri string) *sub { return r.subs.Get(r.hash(uri), uri) }

// keep notes that a server has agreed to a subscription, or to its end.
func (r *Relay) keep(s sub, begins bool) {
	if begins {
		if old := r.subscribed(s.uri); old != nil {
			r.want(old, -1, false)
		}
		r.subs = r.subs.Put(r.hash(s.uri), s.uri, s)
		r.want(&s, 1, false)
	} else {
		r.unsubscribed(s.uri)
	}
}

// unsubscribed removes a subscription.
func (r *Relay) unsubscribed(uri string) {
	if old := r.subscribed(uri); old != nil {
		r.want(old, -1, false)
	}
	r.subs = r.subs.Delete(r.hash(uri), uri)
	r.leaves(uri)
}

// covered reports whether the client has subscribed to a uri at a server: to the uri, or to one
// above it that ends at a slash.
func (r *Relay) covered(uri string, server uint64) bool {
	if r.subs.Len()+r.heard.Len() == 0 {
		return false
	}
	if r.at(uri, server) {
		return true
	}
	const deepest = 256 // slashes that are looked at
	for at, n := 0, 0; n < deepest; n++ {
		i := strings.IndexByte(uri[at:], '/')
		if i < 0 {
			break
		}
		at += i + 1
		if r.at(uri[:at], server) {
			return true
		}
	}
	return false
}

// at reports whether the client has subscribed to the very uri at a server.
func (r *Relay) at(uri string, server uint64) bool {
	s, h := r.subscribed(uri), r.heard.Get(r.hash(uri), uri)
	return s != nil && s.server == server || h != nil && h.server == server
}

// wanted reports whether the client has subscribed to a resource of a server, under whatever name.
func (r *Relay) wanted(server uint64, target string) bool {
	leaf := r.wants.Get(server)
	return leaf != nil && leaf.V.targets.Get(r.hash(target), target) != nil
}

// want notes that one subscription more, or less, is to a resource of a server. heard says of which kind it is.
func (r *Relay) want(s *sub, more int, heard bool) {
	if s.server == 0 {
		return
	}
	var w wanted
	if leaf := r.wants.Get(s.server); leaf != nil {
		w = leaf.V
	}
	n := more
	if was := w.targets.Get(r.hash(s.target), s.target); was != nil {
		n += *was
	}
	if n > 0 {
		w.targets = w.targets.Put(r.hash(s.target), s.target, n)
	} else {
		w.targets = w.targets.Delete(r.hash(s.target), s.target)
	}
	uris := &w.subs
	if heard {
		uris = &w.heard
	}
	if more > 0 {
		*uris = uris.Put(r.hash(s.uri), s.uri, struct{}{})
	} else {
		*uris = uris.Delete(r.hash(s.uri), s.uri)
	}
	if w.targets.Len() > 0 {
		r.wants = r.wants.Put(s.server, never, w)
	} else {
		r.wants, _ = r.wants.Delete(s.server)
	}
}

// hear keeps a resource that subscriptions name.
func (r *Relay) hear(h heard) {
	r.unhear(h.uri)
	r.heard = r.heard.Put(r.hash(h.uri), h.uri, h)
	r.want(&h.sub, 1, true)
	if !h.placed() {
		r.unplaced = r.unplaced.Put(r.hash(h.uri), h.uri, struct{}{})
	}
}

// unhear forgets a resource that subscriptions named.
func (r *Relay) unhear(uri string) {
	if old := r.heard.Get(r.hash(uri), uri); old != nil {
		r.want(&old.sub, -1, true)
		r.heard, r.unplaced = r.heard.Delete(r.hash(uri), uri), r.unplaced.Delete(r.hash(uri), uri)
	}
}

// wantedElse reports whether the client has subscribed to the resource of a subscription under another name too.
func (r Relay) wantedElse(s *sub) bool {
	r.unsubscribed(s.uri) // of this copy
	return r.wanted(s.server, s.target)
}

// room reports whether one more subscription can be kept.
func (r *Relay) room(uri string) bool {
	return r.subscribed(uri) != nil || r.subs.Len() < r.cfg.subscriptions()
}

// subscribe makes a request of the Relay's own about a subscription. It reports whether the server was there.
func (st *step) subscribe(server uint64, p protocol.Params) bool {
	u := st.r.up.get(server)
	return u != nil && u.state == manager.Ready && st.tryUp(st.r.m.Request(st.now, u.Name, p, manager.RequestOptions{}))
}

// unheard ends a subscription at its server, if nobody else wants to hear of the resource.
func (st *step) unheard(s *sub) {
	u := st.r.up.get(s.server)
	if u != nil && !st.r.wanted(s.server, s.target) && !st.subscribe(s.server, protocol.UnsubscribeParams{URI: s.target}) {
		st.tryUp(st.r.m.Forget(st.now, u.Name, s.target)) // or it would be restored
	}
}

// heardLess takes that one subscription less names a resource, and returns it if none does.
func (r *Relay) heardLess(uri string) *heard {
	h := *r.heard.Get(r.hash(uri), uri)
	if h.n--; h.n > 0 {
		r.hear(h)
		return nil
	}
	r.unhear(uri)
	return &h
}

// resumed is the subscription of what the session with the client had subscribed to before Resume. No call has
// the number.
const resumed = 0

// leaves takes that the client has unsubscribed from what it had subscribed to before Resume.
func (r *Relay) leaves(uri string) {
	leaf := r.listening.Get(resumed)
	if leaf == nil || !slices.Contains(leaf.V, uri) {
		return
	}
	rest := slices.DeleteFunc(slices.Clone(leaf.V), func(is string) bool { return is == uri })
	if r.heardLess(uri); len(rest) > 0 {
		r.listening = r.listening.Put(resumed, never, rest)
	} else {
		r.listening, _ = r.listening.Delete(resumed)
	}
}
