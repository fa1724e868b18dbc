package nethttp

import (
	"net/netip"
	"sync"
)

// tally counts the responses under way of each owner.
type tally struct {
	mu sync.Mutex
	of map[party]int
}

// party is whose requests count together: a principal, or what is told apart of an address. Unlike the
// name of an owner it costs no allocation.
type party struct {
	name string
	at   netip.Addr
}

// party returns whose request it is.
func (x *exchange) party() party {
	if x.h.opt.Authenticate != nil {
		return party{name: x.who.ID}
	}
	if at, ok := prefix(x.r.RemoteAddr); ok {
		return party{at: at}
	}
	return party{name: x.r.RemoteAddr}
}

// count counts the response for its owner. It reports false if the owner has its share: three times
// what is free. So a quarter of what is free stays so for others.
func (x *exchange) count() bool {
	p, t := x.party(), &x.h.tally
	free := x.h.opt.MaxConnections - int(x.h.conns.Load()) + 1 // before this one
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[p] >= 3*free {
		return false
	}
	if t.of == nil {
		t.of = map[party]int{}
	}
	t.of[p]++
	x.counts, x.counted = true, p
	return true
}

// uncount takes the response out again.
func (x *exchange) uncount() {
	if !x.counts {
		return
	}
	t := &x.h.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[x.counted]--; t.of[x.counted] == 0 {
		delete(t.of, x.counted)
	}
}
