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
	revoked atomic.Uint64 // how often any principal was
}

// share is the responses under way of an owner.
type share struct {
	n   int           // responses
	era uint64        // how often it was revoked in the meantime
	cut chan struct{} // closed when it is revoked; nil if nothing waits for that
}

// party is whose requests count together: a principal, or the prefix of an address. Unlike the name of
// an owner it costs no allocation.
type party struct {
	name string
	at   netip.Addr
}

// prefix returns the part of a remote address that counts: all of an IPv4 address, the first 64 bits
// of an IPv6 address, because a client that has one of those has them all. ok is false for text that
// is not an address.
func prefix(remote string) (netip.Addr, bool) {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return netip.Addr{}, false
	}
	a := at.Addr().Unmap()
	if a.Is4() {
		return a, true
	}
	p, _ := a.WithZone("").Prefix(64) // an IPv6 address has that many bits
	return p.Addr(), true
}
