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

// before reports whether o loses a session before p does: the one that has more idle ones, or of as
// many the one whose first is idle for longer.
func (o *owner) before(p *owner) bool {
	if n, m := o.bare.n+o.idle.n, p.bare.n+p.idle.n; n != m {
		return n > m
	}
	return o.first().since < p.first().since
}

func (o *owner) place(i int) { o.rank = int32(i) }

func (e *entry) before(f *entry) bool { return e.at < f.at }

func (e *entry) place(i int) { e.rank = int32(i) }

// element is what a heap ranks.
type element[E any] interface {
	before(other E) bool
	place(i int)
}

// ranked is a heap whose elements know their places. It implements heap.Interface.
type ranked[E element[E]] []E

func (r ranked[E]) Len() int           { return len(r) }
func (r ranked[E]) Less(i, j int) bool { return r[i].before(r[j]) }

func (r ranked[E]) Swap(i, j int) {
	r[i], r[j] = r[j], r[i]
	r[i].place(i)
	r[j].place(j)
}

// Push implements heap.Interface.
func (r *ranked[E]) Push(x any) {
	e := x.(E)
	e.place(len(*r))
	*r = append(*r, e)
}

// Pop implements heap.Interface.
func (r *ranked[E]) Pop() any {
	last := len(*r) - 1
	e := (*r)[last]
	clear((*r)[last:])
	*r = (*r)[:last]
	return e
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
	step        uint64        // that the clock saw last
	seen        time.Duration // it saw it first then, since the epoch
	links       [places]link
}

// poke sends on a channel that has room for one, unless something is in it already.
func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
