// Package worlds has the explored worlds: values of this module with links, a network, time and
// applications around them, and the invariants. docs/proof.md is the guide.
package worlds

import (
	"slices"

	"github.com/sansmcp/mcp/conformance/explore"
	"github.com/sansmcp/mcp/protocol"
)

// Scope limits a world.
type Scope struct {
	Name    string // WORLD/SCOPE
	Nightly bool   // too large for each change
	Compare bool   // small enough to compare the form with snapshots
	// New returns the world; revision is the newest that its clients support, "" for all.
	New func(revision string) explore.Any
}

// Scopes returns all scopes.
func Scopes() (list []Scope) {
	for _, s := range pairScopes {
		list = append(list, Scope{"pair/" + s.name, s.nightly, s.name == "call" || s.name == "lists-end", func(revision string) explore.Any { return newPair(s.name, s.scope, revision) }})
	}
	for _, s := range managerScopes {
		list = append(list, Scope{"manager/" + s.name, s.nightly, false, func(revision string) explore.Any { return newManager(s.name, s.scope, revision) }})
	}
	for _, s := range webScopes {
		list = append(list, Scope{"http/" + s.name, s.nightly, false, func(revision string) explore.Any { return newWeb(s.name, s.scope, revision) }})
	}
	for _, s := range catalogScopes {
		list = append(list, Scope{"catalog/" + s.name, s.nightly, s.name == "again" || s.name == "set", func(revision string) explore.Any { return newCatalog(s.name, s.scope, revision) }})
	}
	for _, s := range callsScopes {
		list = append(list, Scope{"calls/" + s.name, s.nightly, false, func(revision string) explore.Any { return newCalls(s.name, s.scope, revision) }})
	}
	for _, s := range relayScopes {
		list = append(list, Scope{"relay/" + s.name, s.nightly, false, func(revision string) explore.Any { return newRelay(s.name, s.scope, revision) }})
	}
	for _, s := range historyScopes {
		list = append(list, Scope{"history/" + s.name, s.nightly, false, func(string) explore.Any { return newHistory(s.name, s.scope) }})
	}
	return list
}

// soonest returns the index of the action whose operation is first in an order, -1 without one.
func soonest(acts []explore.Action, order []uint8) (next int) {
	for _, op := range order {
		if next = slices.IndexFunc(acts, func(a explore.Action) bool { return a.Op == op }); next >= 0 {
			return next
		}
	}
	return -1
}

// linksFrom converts operations of the links to those of a world that has them from base on.
func linksFrom(base uint8, ops []uint8) []uint8 {
	for i := range ops {
		ops[i] = base + ops[i] - mopOpened
	}
	return ops
}

// revisionOf returns the revision with a name.
func revisionOf(name string) protocol.Revision {
	rev, ok := protocol.ParseRevision(name)
	if !ok {
		panic("worlds: no revision " + name)
	}
	return rev
}
