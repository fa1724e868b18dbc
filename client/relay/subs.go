package relay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sansmcp/mcp/lifecycle/engine"
)

// Subscriptions are kept by the hash of the uri that the client says. Two of one hash share a
// place.

func (r *Relay) hash(uri string) uint64 { return engine.Hash(r.cfg.key, 's', uri) }

// subscriptions is how many subscriptions there may be.
func (cfg *config) subscriptions() int { return cmp.Or(cfg.Manager.Client.Limits.Subscriptions, 1000) }

// subsLen returns how many there are, but for those that share a place.
func (r *Relay) subsLen() int { return r.subs.Len() }

// subscribed returns the subscription of a uri.
func (r *Relay) subscribed(uri string) (sub, bool) {
	if leaf := r.subs.Get(r.hash(uri)); leaf != nil {
		for _, s := range leaf.V {
			if s.uri == uri {
				return s, true
			}
		}
	}
	return sub{}, false
}

// keep notes that a server has agreed to a subscription, or to its end.
func (r *Relay) keep(s sub, begins bool) {
	r.unsubscribed(s.uri)
	if !begins {
		return
	}
	s.uri, s.target = strings.Clone(s.uri), strings.Clone(s.target)
	key := r.hash(s.uri)
	var list []sub
	if leaf := r.subs.Get(key); leaf != nil {
		list = slices.Clone(leaf.V)
	}
	r.subs = r.subs.Put(key, never, append(list, s))
}

// unsubscribed forgets a subscription.
func (r *Relay) unsubscribed(uri string) {
	key := r.hash(uri)
	leaf := r.subs.Get(key)
	if leaf == nil {
		return
	}
	list := slices.DeleteFunc(slices.Clone(leaf.V), func(s sub) bool { return s.uri == uri })
	if len(list) == 0 {
		r.subs, _ = r.subs.Delete(key)
		return
	}
	r.subs = r.subs.Put(key, never, list)
}

// covered reports whether the client has subscribed to a uri at a server: to the uri, or to one
// above it that ends at a slash.
func (r *Relay) covered(uri string, server uint64) bool {
	if r.subs.Len() == 0 {
		return false
	}
	if s, ok := r.subscribed(uri); ok && s.server == server {
		return true
	}
	const deepest = 256 // slashes that are looked at
	for at, n := 0, 0; n < deepest; n++ {
		i := strings.IndexByte(uri[at:], '/')
		if i < 0 {
			break
		}
		at += i + 1
		if s, ok := r.subscribed(uri[:at]); ok && s.server == server {
			return true
		}
	}
	return false
}
