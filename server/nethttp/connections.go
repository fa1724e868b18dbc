package nethttp

import (
	"net/netip"
	"sync"
	"sync/atomic"
)

// tally counts the responses under way of each owner.
type tally struct {
	mu      sync.Mutex
	of      map[party]share
	revoked atomic.Uint64 // how often a principal was
}

// share is what an owner has under way.
type share struct {
	n   int           // responses
	era uint64        // how often it was revoked meanwhile
	cut chan struct{} // closed when it is; nil if nobody waits for that
}

// party is whose requests count together: a principal, or what is told apart of an address. Unlike the
// name of an owner it costs no allocation.
type party struct {
	name string
	at   netip.Addr
}

// prefix returns what is told apart of a remote address: all of one of IPv4, and of IPv6 the first 64
// bits, since whoever has one of those has them all; false for what is no address.
func prefix(remote string) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}, false
	}
	a := at.Addr().Unmap()
	if a.Is4() {
		return a, true
	}
	p, _ := a.WithZone("").Prefix(64) // an address of IPv6 has so many bits
	return p.Addr(), true
}
