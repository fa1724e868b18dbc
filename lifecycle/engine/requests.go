package engine

import (
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
)

// requests are the two request tables of a State with all that belongs to them: clock,
// numbers, progress tokens and rates. It knows no phase and no session: what becomes of a
// request is the same in each.
//
// Its invariants, which Check holds it to:
//
//   - A key of in is Env.Key of the id of its entry. Numbers of Calls ascend, and none is
//     above seq.
//   - A key of out is the number of a Req, and no key or id is below first or above last.
//     Ids that ascend and are never used again tell a late answer from a stray one
//     without a memory of what was.
//   - moved has the wire ids that are not the number of their request, and no others. Such
//     an id is the number of none.
//   - tokens has the progress tokens of open requests that are not ids of ours, and no
//     others; no token is that of two requests.
//   - A request of ours within a call is known to the entry of the call, and to no other.
type requests struct {
	clock
	env    *Env
	in     table.Table[inbound]
	out    table.Table[outbound]
	tokens *tokens // progress tokens that the application chose
	moved  *moved  // wire ids that are not the number of their request
	gates  *gates  // rate limits, where there are any

	seq   uint64 // the last Call
	last  uint64 // the last wire id of ours, and the last Req
	first uint64 // the first id of this session
}

// Dropped returns how many log messages the rate limit left out.
func (r *requests) dropped() uint64 {
	if r.gates == nil {
		return 0
	}
	return r.gates.dropped
}

// allowRequest reports whether a request of the peer is within the rate.
func (r *requests) allowRequest() bool {
	if r.env.Limits.Requests.PerSecond == 0 {
		return true
	}
	g := r.gates.copy()
	var ok bool
	if g.requests, ok = g.requests.pass(r.env.Limits.Requests, r.now); ok {
		r.gates = g
	}
	return ok
}

// allowLog reports whether a log message is within the rate, and counts it if not.
func (r *requests) allowLog(received bool) bool {
	if r.env.Limits.Logs.PerSecond == 0 {
		return true
	}
	g := r.gates.copy()
	p := &g.sent
	if received {
		p = &g.received
	}
	var ok bool
	if *p, ok = p.pass(r.env.Limits.Logs, r.now); !ok {
		g.dropped++
	}
	r.gates = g
	return ok
}

// AllowLog is allowLog for a message of ours.
func (r *requests) AllowLog() bool { return r.allowLog(false) }

// Requests of ours that are made within a call end with it, unless it was answered: who
// gave up a call waits for nothing that was asked on its behalf. An inbound entry knows
// the numbers of the open requests within it, so that the cost is theirs and not that of
// every request that is open.

// join notes that a request of ours is made within a call, which is open or none.
func (r *requests) join(within callRef, seq uint64) {
	leaf := within.of(r)
	if leaf == nil {
		return
	}
	var x inboundExt
	if leaf.V.ext != nil {
		x = *leaf.V.ext
	}
	x.inner = x.inner.Put(seq, table.Never, struct{}{})
	r.extend(leaf, &x)
}

// leave notes that a request of ours, which was made within a call, has ended.
func (r *requests) leave(within callRef, seq uint64) {
	leaf := within.of(r)
	if leaf == nil || leaf.V.ext == nil {
		return
	}
	x := *leaf.V.ext
	x.inner, _ = x.inner.Delete(seq)
	r.extend(leaf, &x)
}

// endWithin withdraws the open requests within a call that has left the table.
func (r *requests) endWithin(v *inbound, o *lifecycle.Output) {
	if v.ext == nil || v.ext.inner.Len() == 0 {
		return
	}
	const reason = "the call is over"
	cause := &lifecycle.Cause{Kind: lifecycle.CauseCancelled, Reason: reason}
	for inner := range v.ext.inner.All() {
		leaf := r.out.Get(inner.Key)
		if leaf == nil {
			continue
		}
		r.drop(leaf)
		r.withdraw(leaf, reason, o)
		r.fail(leaf, cause, o)
	}
}
