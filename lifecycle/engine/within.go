package engine

import (
	"cmp"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Requests of ours that are made within a call end with it, unless it was answered: who
// gave up a call waits for nothing that was asked on its behalf. An inbound entry knows
// the numbers of the open requests within it, so that the cost is theirs and not that of
// every request that is open. An answer of the application leaves them open, for then
// nobody has given up anything.
//
// Also here is what ends calls without the application: their deadline, and the end of a session
// for those that the machine holds (stateless.go). Both end what is within the call in the same step.

// expireInbound answers what the application owed for too long.
func (r *requests) expireInbound(o *lifecycle.Output) {
	var due []*table.Leaf[inbound]
	if r.in, due = r.in.Expire(r.now); len(due) == 0 {
		return
	}
	// Keys say nothing about age: order by deadline, then by arrival.
	slices.SortStableFunc(due, func(a, b *table.Leaf[inbound]) int {
		return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(a.V.seq, b.V.seq))
	})
	cause := &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}
	for _, leaf := range due {
		// The peer gets its answer; the application learns that its own will be refused.
		e := protocol.InternalError("no answer in time")
		if m := (jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e}); leaf.V.ext != nil && leaf.V.ext.of != 0 {
			r.collect(&leaf.V, m, o)
		} else {
			r.answer(leaf, m, o)
		}
		o.Events = append(o.Events, lifecycle.Event{
			Kind: lifecycle.RequestExpired, Call: r.call(leaf), ID: leaf.V.id, Method: leaf.V.name(), Cause: cause,
		})
		r.taken(&leaf.V)
		r.endWithin(&leaf.V, o)
	}
}

// holds reports whether the machine holds a call.
func (r *requests) holds() bool {
	for leaf := range r.in.All() {
		if leaf.V.ext != nil && leaf.V.ext.held {
			return true
		}
	}
	return false
}
