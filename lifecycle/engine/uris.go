package engine

import (
	"errors"
	"iter"
	"strings"

	"github.com/sansmcp/mcp/lifecycle/table"
)

// URIs is a set of subscribed uris, kept by keyed hash (resources, Subscriptions). It is
// never changed, only replaced; the zero URIs is empty.
type URIs struct{ t table.Table[string] }

// uriKey returns the key of a uri in the table; the tag keeps it apart from those of ids.
func (e *Env) uriKey(uri string) uint64 { return Hash(e.Hash, 'u', uri) }

// Len returns the number of uris.
func (u URIs) Len() int { return u.t.Len() }

// Full reports whether Limits.Subscriptions forbids one more.
func (u URIs) Full(e *Env) bool { return u.t.Len() >= e.Limits.Subscriptions }

// Has reports whether the uri is in the set.
func (u URIs) Has(e *Env, uri string) bool {
	leaf := u.t.Get(e.uriKey(uri))
	return leaf != nil && leaf.V == uri
}

// Covers reports whether the set has the uri, or one that ends at a slash and that the
// uri begins with. Of them those count that allowed accepts; nil accepts all.
func (u URIs) Covers(e *Env, uri string, allowed func(string) bool) bool {
	if u.t.Len() == 0 {
		return false
	}
	// A uri has as many prefixes as slashes: each is one lookup, however large the set is.
	found := false
	above := uri[:min(len(uri), e.Limits.Text)] // none in the set is longer
	hashPrefixes(e.Hash, 'u', above, '/', func(n int, hash uint64) bool {
		leaf := u.t.Get(hash)
		found = leaf != nil && leaf.V == uri[:n] && (allowed == nil || allowed(leaf.V))
		return !found
	})
	return found || u.Has(e, uri) && (allowed == nil || allowed(uri))
}

// With returns the set with the uri, once (RES-020); false if a limit forbids it
// (Limits.Subscriptions, Limits.Text) or if another uri has its place.
func (u URIs) With(e *Env, uri string) (URIs, bool) {
	key := e.uriKey(uri)
	if leaf := u.t.Get(key); leaf != nil {
		return u, leaf.V == uri
	}
	if u.Full(e) || len(uri) > e.Limits.Text { // Covers counts on it
		return u, false
	}
	return URIs{u.t.Put(key, table.Never, strings.Clone(uri))}, true
}

// Without returns the set without the uri. To lack it already is as good (RES-019).
func (u URIs) Without(e *Env, uri string) URIs {
	if u.Has(e, uri) {
		u.t, _ = u.t.Delete(e.uriKey(uri))
	}
	return u
}

// All iterates over the uris, in no particular but a fixed order.
func (u URIs) All() iter.Seq[string] {
	return func(yield func(string) bool) {
		for leaf := range u.t.All() {
			if !yield(leaf.V) {
				return
			}
		}
	}
}

// Check returns an error if an invariant does not hold.
func (u URIs) Check(e *Env) error {
	if u.t.Len() > e.Limits.Subscriptions {
		return errors.New("engine: too many subscriptions")
	}
	return u.t.Check()
}
