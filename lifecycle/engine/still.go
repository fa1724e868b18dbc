package engine

import (
	"math"

	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// While the peer of a session asks the user of this side, it cannot go on with what it was asked: the
// time of requests of ours stands still. Requests of the peer whose row waits for people (WaitHuman) are
// the questions; only a client gets any, but nothing here depends on the role. A question of a
// stateless server says which request it is of, and holds up no other (rounds.go).
//
// One instant tells it all: requests.still, until when the time stands still. A question sets it
// to Timeouts.Human from now, and the end of the last open one to now. Nothing else happens then. A
// request that comes due has its timeout from that instant on, or from now if that is earlier, up
// to its maxDeadline. So no step walks over the requests of ours, and one that comes due while a
// question is open is looked at again after its timeout.

// moving is requests.still where no question ever was.
const moving = math.MinInt64

// stops reports whether the time of our requests stands still while the call is open.
func (v *inbound) stops() bool {
	return v.row.Wait == protocol.WaitHuman && (v.ext == nil || v.ext.of == 0)
}

// asked notes that a request of the peer has come in.
func (r *requests) asked(v *inbound) {
	if v.stops() {
		// A question that is forgotten holds nothing up for longer than people have.
		r.still = r.After(r.env.Timeouts.Human)
	}
}

// asking reports whether a question of the peer is open.
func (r *requests) asking() bool {
	for leaf := range r.in.All() {
		if leaf.V.stops() {
			return true
		}
	}
	return false
}

// take takes a request of the peer out of its table.
func (r *requests) take(leaf *table.Leaf[inbound]) {
	r.in, _ = r.in.Delete(leaf.Key)
	r.taken(&leaf.V)
}

// taken notes that a request of the peer has left its table.
func (r *requests) taken(v *inbound) {
	if v.stops() && r.still > r.now && !r.asking() {
		r.still = r.now
	}
}

// putOff returns the next deadline of a request of ours: later than the one that it has if the
// time stood still for it. A ping, initialize and what waits for people at the peer have their
// time as ever.
func (r *requests) putOff(leaf *table.Leaf[outbound]) int64 {
	v := &leaf.V
	if v.row.Wait != protocol.WaitRequest || v.timeout <= 0 {
		return leaf.Deadline
	}
	from := min(r.still, r.now)
	if from > 0 && int64(v.timeout) > table.Never-from {
		return v.maxDeadline
	}
	return min(from+int64(v.timeout), v.maxDeadline)
}

// longest returns the latest deadline that the timeout of a request of ours leads to, or a person at this side, whom
// only a client waits for.
func (r *requests) longest(v *outbound) int64 {
	due := r.After(v.timeout)
	if v.timeout == lifecycle.NoTimeout { // until it is acknowledged
		due = r.After(r.env.Timeouts.Request)
	}
	if r.env.Opens {
		due = max(due, r.After(r.env.Timeouts.Human))
	}
	return due
}

// matters reports whether anything that is open depends on requests.still.
func (r *requests) matters() bool {
	if r.still == moving || r.asking() {
		return r.still != moving
	}
	for leaf := range r.out.All() {
		if r.putOff(leaf) > leaf.Deadline {
			return true
		}
	}
	return false
}
