package engine

import (
	"slices"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// requests are the two request tables of a State with all that belongs to them: clock,
// numbers, progress tokens and rates. It knows no phase and no session: what becomes of a
// request is the same in each.
//
// Its invariants, which Check holds it to:
//
//   - The ids of the two tables have nothing to do with each other (JRPC-006, CANC-021).
//   - A key of in is Env.Key of the id of its entry. Numbers of Calls ascend, and none is
//     above seq.
//   - A key of out is the number of a Req, and no key or id is below first or above last.
//     Ids that ascend and are never used again tell a late answer from a stray one
//     without a memory of what was.
//   - tokens.ids has the wire ids that are not the number of their request, and no others.
//     Such an id is the number of none.
//   - tokens has the progress tokens of open requests that are not ids of ours, and no
//     others; no token is that of two requests.
//   - A request of ours within a call is known to the entry of the call, and to no other.
//   - Time that stands still beyond now does so for an open question.
type requests struct {
	clock
	env   *Env
	in    table.Table[inbound]
	out   table.Table[outbound]
	rare  *rare  // nil: as usual
	still int64  // until when the time of out stands still, see still.go
	seq   uint64 // the last Call
	last  uint64 // the last wire id of ours, and the last Req
}

// rare is what few sessions have, beside the tables. It is never changed, only replaced; nil stands
// for usual, so that a State, which each step copies and each idle session keeps, is small.
type rare struct {
	tokens *tokens         // progress tokens that the application chose
	cause  lifecycle.Cause // why the session ends or has ended, zero if it does not
	ends   URIs            // ids of what was announced, either way, and has not ended
	gates  gates           // rate limits, where there are any
	first  uint64          // the first id of this session
}

// usual is the rare of a session that has nothing of it.
func usual() rare { return rare{first: 1} }

// change replaces what is rare by what do makes of it.
func (r *requests) change(do func(*rare)) {
	next := usual()
	if r.rare != nil {
		next = *r.rare
	}
	if do(&next); next == usual() {
		r.rare = nil
		return
	}
	r.rare = &next
}

// tokens returns the progress tokens, nil for none.
func (r *requests) tokens() *tokens {
	if r.rare == nil {
		return nil
	}
	return r.rare.tokens
}

func (r *requests) setTokens(t *tokens) {
	if t != r.tokens() {
		r.change(func(x *rare) { x.tokens = t })
	}
}

// cause returns why the session ends or has ended, nil if it does not.
func (r *requests) cause() *lifecycle.Cause {
	if r.rare == nil || r.rare.cause.Kind == 0 {
		return nil
	}
	return &r.rare.cause
}

// ends returns the ids of what was announced.
func (r *requests) ends() URIs {
	if r.rare == nil {
		return URIs{}
	}
	return r.rare.ends
}

func (r *requests) setEnds(ids URIs) {
	if ids != r.ends() {
		r.change(func(x *rare) { x.ends = ids })
	}
}

// gates returns the rates.
func (r *requests) gates() gates {
	if r.rare == nil {
		return gates{}
	}
	return r.rare.gates
}

func (r *requests) setGates(g gates) {
	if g != r.gates() {
		r.change(func(x *rare) { x.gates = g })
	}
}

// first returns the first id of this session.
func (r *requests) first() uint64 {
	if r.rare == nil {
		return 1
	}
	return r.rare.first
}

// inbound is a request of the peer that awaits the application. Its key is Env.Key of its
// id, its number that of its Call.
type inbound struct {
	id  jsonrpc.ID    // the wire id, canonical
	seq uint64        // the number of its Call
	row *protocol.Row // never nil; that of custom methods leaves the name to ext
	ext *inboundExt
}

// inboundExt is what few requests have. It is never changed, only replaced.
type inboundExt struct {
	spelling jsonrpc.Raw           // of the id, where it is not canonical
	name     string                // the method, where the table has none
	subject  string                // what the role wants to know when it is answered
	profile  *Profile              // what it was made under; nil: that of the session
	token    jsonrpc.ID            // the progress token
	last     float64               // the last progress
	gate     bucket                // of its progress
	reported bool                  // whether there was any
	held     bool                  // the machine holds it: it ends with the session
	of       uint64                // the request of ours that it is a question of, by number; 0: of none
	inner    table.Table[struct{}] // the open requests of ours within it, by number
}

// outbound is a request of ours that awaits the peer. Its key is the number of its Req,
// which it keeps whatever wire ids it goes out under.
type outbound struct {
	row         *protocol.Row // never nil; that of custom methods leaves the name to ext
	timeout     time.Duration
	maxDeadline int64   // the latest deadline
	last        float64 // the last progress
	ext         *outboundExt
	progress    bool // the id went out as a progress token
	reset       bool // progress restarts the timeout
	keepalive   bool // a ping of the keepalive: its answer is nobody's event
	reported    bool // whether there was any progress

	acknowledged bool // a subscription that has begun
}

// outboundExt is what few requests have. It is never changed, only replaced. Where many requests are
// in flight, what an entry holds is what the collector has to look at, so this keeps an entry of a
// table in 64 bytes.
type outboundExt struct {
	id      uint64     // the wire id that its answer is awaited under, where that is not its number; or 0
	within  callRef    // the inbound request that it was made for, if any
	name    string     // the method, where the table has none
	token   jsonrpc.ID // a progress token that the application chose
	subject string     // what the answer is held against, or what it is about: protocol.Terms
	profile *Profile   // what it was made under; nil: that of the session
	round   *round     // of a request that may be answered with questions
	gate    bucket     // of its progress
}

// round is what a request keeps that may be answered with questions. It is never changed, only
// replaced.
type round struct {
	params  jsonrpc.Raw   // as they went out first
	state   string        // what the server wants back
	keys    []string      // of the questions, in their order
	answers []jsonrpc.Raw // to each of them, "" where there is none yet
	n       int           // how often it was answered so
}

// asking reports whether the application owes answers for the request.
func (v *outbound) asking() bool {
	return v.ext != nil && v.ext.round != nil && slices.Contains(v.ext.round.answers, "")
}

// awaits reports whether the application owes the answer to the question of that key.
func (v *outbound) awaits(key string) bool {
	if v.ext == nil || v.ext.round == nil {
		return false
	}
	i := slices.Index(v.ext.round.keys, key)
	return i >= 0 && v.ext.round.answers[i] == ""
}

// callRef is a Call of the State that keeps it, without the owner, which is known.
type callRef struct{ seq, key uint64 }

// announce notes that an id was announced. It returns false for one that is open already,
// where the limit forbids more, and for "", which stands for none and would never end.
func (r *requests) announce(id string) bool {
	if id == "" {
		return false
	}
	set := r.ends()
	next, ok := set.With(r.env, id)
	// With takes one that is there already without a change.
	if !ok || next.Len() == set.Len() {
		return false
	}
	r.setEnds(next)
	return true
}

// announced reports whether an id was announced and has not ended.
func (r *requests) announced(id string) bool { return r.ends().Has(r.env, id) }

// endAnnounced forgets an id, "" for none.
func (r *requests) endAnnounced(id string) {
	if id != "" && r.announced(id) {
		r.setEnds(r.ends().Without(r.env, id))
	}
}

// Dropped returns how many log messages the rate limit left out.
func (r *requests) dropped() uint64 {
	return r.gates().dropped
}

// allowRequest reports whether a request of the peer is within the rate.
func (r *requests) allowRequest() bool {
	if r.env.Limits.Requests.PerSecond == 0 {
		return true
	}
	g := r.gates()
	var ok bool
	g.requests, ok = g.requests.pass(r.env.Limits.Requests, r.now)
	r.setGates(g)
	return ok
}

// Room reports whether there is room for a request of the peer beside n that are under way and not
// among the open ones. Where there is a rate, only one at a time can be held to it.
func (r *requests) Room(n int) bool {
	return n == 0 || r.env.Limits.Requests.PerSecond == 0 && r.in.Len()+n < r.env.Limits.Inbound
}

// allowLog reports whether a log message is within the rate, and counts it if not (LOG-013,
// LOG-026).
func (r *requests) allowLog(received bool) bool {
	if r.env.Limits.Logs.PerSecond == 0 {
		return true
	}
	g := r.gates()
	p := &g.sent
	if received {
		p = &g.received
	}
	var ok bool
	if *p, ok = p.pass(r.env.Limits.Logs, r.now); !ok {
		g.dropped++
	}
	r.setGates(g)
	return ok
}

// AllowLog is allowLog for a message of ours.
func (r *requests) AllowLog() bool { return r.allowLog(false) }
