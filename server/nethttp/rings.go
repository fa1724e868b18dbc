package nethttp

import "time"

// ring is a list of sessions, the one that was put in first in front. The links are in the entries,
// so that to move one allocates nothing.
type ring struct {
	which       place
	first, last *entry
	n           int
}

// place is one of the rings that a session may be in at a time.
type place uint8

const (
	byOwner place = iota // of its owner
	byPhase              // of those that are idle and never finished their handshake
	byKept               // of those that keep something for their clients
	places
)

// link is where a session is in a ring.
type link struct {
	in         *ring // nil for none
	prev, next *entry
}

// push puts a session behind all others.
func (r *ring) push(e *entry) {
	l := &e.links[r.which]
	*l = link{in: r, prev: r.last}
	if r.last != nil {
		r.last.links[r.which].next = e
	} else {
		r.first = e
	}
	r.last = e
	r.n++
}

// leave takes a session out of the ring that it is in, if it is in one.
func (e *entry) leave(which place) {
	l := &e.links[which]
	r := l.in
	if r == nil {
		return
	}
	if l.prev != nil {
		l.prev.links[which].next = l.next
	} else {
		r.first = l.next
	}
	if l.next != nil {
		l.next.links[which].prev = l.prev
	} else {
		r.last = l.prev
	}
	*l = link{}
	r.n--
}

// owner is whose sessions have a share of what there is: a principal, or an address.
type owner struct {
	name  string
	n     int   // sessions
	asked int   // calls that Companions answer
	bare  ring  // those that are idle and never finished their handshake, the longest idle one first
	idle  ring  // those that are idle otherwise
	rank  int32 // in the crowd, while some are idle
}

// first returns the one that ends first, nil if none may.
func (o *owner) first() *entry {
	if o.bare.first != nil {
		return o.bare.first
	}
	return o.idle.first
}

// crowd are the owners that have idle sessions, in front the one that has most of them, of several
// the one whose first is idle for longest. It implements heap.Interface.
type crowd []*owner

func (c crowd) Len() int { return len(c) }
func (c crowd) Less(i, j int) bool {
	if n, m := c[i].bare.n+c[i].idle.n, c[j].bare.n+c[j].idle.n; n != m {
		return n > m
	}
	return c[i].first().since < c[j].first().since
}
func (c crowd) Swap(i, j int) {
	c[i], c[j] = c[j], c[i]
	c[i].rank, c[j].rank = int32(i), int32(j)
}
func (c *crowd) Push(x any) {
	o := x.(*owner)
	o.rank = int32(len(*c))
	*c = append(*c, o)
}
func (c *crowd) Pop() any {
	old := *c
	o := old[len(old)-1]
	old[len(old)-1] = nil
	*c = old[:len(old)-1]
	return o
}

// entry is a session that is known here, and when it is due.
type entry struct {
	id   string
	at   time.Duration // since the epoch
	rank int32         // in the queue

	busy, ready bool // see sessionUse
	of          *owner
	kept, asked int           // see sessionUse
	since       time.Duration // it is idle, since the epoch
	links       [places]link
}
