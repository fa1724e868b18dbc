package engine

import (
	"errors"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Progress of requests of ours, and the tokens by which it finds them. A request that asks for
// progress goes out with its own id as token, which costs nothing to remember and is unique by
// itself. A relay may keep the token that its params carry; these are in the table tokens. The
// two kinds share one space, and nextID leaves out an id that is such a token.
//
// Progress has to grow. It puts the deadline of its request off only if the caller asked for that,
// and only up to maxDeadline.

// progressed handles notifications/progress for a request of ours (progress page).
func (r *requests) progressed(m *jsonrpc.Message, o *lifecycle.Output) {
	var p protocol.ProgressParams
	if p.DecodeJSON(m.Body, m.Span) != nil {
		Violation("PROG-006", m, o)
		return
	}
	leaf := r.byToken(p.ProgressToken)
	if leaf == nil || leaf.V.asking() { // whose round is over
		r.strayProgress(p.ProgressToken, m, o)
		return
	}
	v := leaf.V
	if v.reported && !(p.Progress > v.last) {
		Violation("PROG-009", m, o)
		return
	}
	// The value and the deadline count even where the rate keeps the event back.
	v.last, v.reported = p.Progress, true
	pass := v.pass(r.env.Limits.Progress, r.now) // PROG-020
	deadline := leaf.Deadline
	// TIME-006, TIME-007: if it was asked for; TIME-018: not at the deadline. What is stale or
	// stray did not come here (TIME-010).
	if v.reset && r.now < deadline { // TIME-008: up to maxDeadline
		deadline = min(r.After(v.timeout), v.maxDeadline)
	}
	r.out = r.out.Put(leaf.Key, deadline, v)
	if !pass {
		return
	}
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.ProgressReceived, Req: r.Req(leaf.Key), ID: wireID(leaf),
		Method: v.name(), Body: m.Body, Span: m.Span,
	})
}

// pass reports whether progress of the request is within the rate.
func (v *outbound) pass(rate lifecycle.Rate, now int64) (ok bool) {
	if rate.PerSecond == 0 {
		return true
	}
	var x outboundExt
	if v.ext != nil {
		x = *v.ext
	}
	x.gate, ok = x.gate.pass(rate, now)
	v.ext = &x
	return ok
}

// byToken returns the open request of ours that carries the token. It looks among ours alone
// (PROG-024, PROG-025).
func (r *requests) byToken(token jsonrpc.ID) *table.Leaf[outbound] {
	// Tokens of the application first: nextID keeps ids of ours off them.
	if req, ok := r.tokens().find(r.env, token); ok {
		return r.out.Get(req)
	}
	if leaf := r.sent(token); leaf != nil && leaf.V.progress {
		return leaf
	}
	return nil
}

// strayProgress reports progress that no open request awaits. Ids of ours ascend and serve
// as tokens, so the token alone tells late from never sent, as the id of an answer does
// (awaited).
func (r *requests) strayProgress(token jsonrpc.ID, m *jsonrpc.Message, o *lifecycle.Output) {
	n, ok := token.Int64()
	switch id := uint64(n); {
	case !ok || n <= 0 || id > r.last || r.byWireID(id) != nil: // open, but it asked for none
		ignored("PROG-021", m, o)
	case id < r.first():
		ignored("LIFE-036", m, o)
	default:
		ignored("PROG-022", m, o)
	}
}

var (
	errTokenGiven = errors.New("the params carry a progressToken; set ReplaceToken")
	errTokenInUse = errors.New("the progressToken is in use")
)

// nextID returns the id of the next request of ours. One that is in use as a token is
// left out: the id may serve as a token too (JRPC-005, CANC-026).
func (r *requests) nextID() uint64 {
	id := r.last + 1
	for r.tokens().has(r.env, jsonrpc.Int(int64(id))) {
		id++
	}
	return id
}

// tokenFor puts the progress token of request id into its params where one is wanted,
// or finds the one that the application put there (PROG-003, PROG-004, META-011, META-012).
func (r *requests) tokenFor(id uint64, body jsonrpc.Raw, meta protocol.Meta, opt lifecycle.RequestOptions) (raw jsonrpc.Raw, own jsonrpc.ID, wanted bool, err error) {
	own, _ = meta.ProgressToken()
	wanted = opt.Progress || opt.ResetOnProgress || opt.ReplaceToken && !own.IsZero()
	switch {
	case own.IsZero() || opt.ReplaceToken:
		if !wanted {
			return body, own, false, nil
		}
	case wanted:
		return body, own, wanted, errTokenGiven
	// PROG-002
	case r.byToken(own) != nil || r.tokens().taken(r.env, own):
		return body, own, wanted, errTokenInUse
	default:
		return body, own.Clone(), false, nil
	}
	// The rest of _meta, which is the application's, stays.
	meta = meta.With("progressToken", jsonrpc.Raw(jsonrpc.Int(int64(id)).Append(nil)))
	return jsonrpc.Raw(rawjson.Set(string(body), "_meta", string(meta))), jsonrpc.ID{}, true, nil
}
