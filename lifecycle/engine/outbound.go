package engine

import (
	"errors"
	"iter"
	"time"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// The requests of ours that await the peer: the table out, keyed by the number of their Req. The
// wire id of a request is its number, unless it goes out once more under another one; then
// tokens.ids leads from that id back to the number (byWireID).
//
// Numbers ascend over the life of a State and are never used again, over sessions too. So an
// answer needs no memory of what was: an id above last was never sent, one below first belongs to
// an earlier session, and one between them without an entry is late.

// name returns the method.
func (v *outbound) name() string {
	if v.row.Custom() {
		return v.ext.name
	}
	return v.row.Method
}

// within returns the inbound request that the request was made for, if any.
func (v *outbound) within() callRef {
	if v.ext == nil {
		return callRef{}
	}
	return v.ext.within
}

// subject returns what was kept of the params, "" for nothing.
func (v *outbound) subject() string {
	if v.ext == nil {
		return ""
	}
	return v.ext.subject
}

// announced returns the id of what the request announced, "" for none. It stays announced
// as that of a request of the peer does.
func (v *outbound) announced() string { return protocol.AnnouncedBy(v.row, v.subject()) }

// probes reports whether the request asks a server whether it needs a handshake.
func (v *outbound) probes() bool {
	return v.row.Wait == protocol.WaitProbe && v.ext != nil && v.ext.profile != nil
}

// opens reports whether its answer opens the connection: that of initialize, or of the probe.
func (v *outbound) opens() bool { return isInitialize(v.row) || v.probes() }

// opener returns the request of ours whose answer opens the connection, nil for none.
func (r *requests) opener() *outbound {
	for leaf := range r.out.All() {
		if leaf.V.opens() {
			return &leaf.V
		}
	}
	return nil
}

// wire returns the number that the answer to a request of ours is awaited under.
func wire(leaf *table.Leaf[outbound]) uint64 {
	if x := leaf.V.ext; x != nil && x.id != 0 {
		return x.id
	}
	return leaf.Key
}

// wireID returns the id of the request as it goes out, always an integer (JRPC-003).
func wireID(leaf *table.Leaf[outbound]) jsonrpc.ID { return jsonrpc.Int(int64(wire(leaf))) }

// find returns the entry of a request of ours, nil if it is gone or of another State.
func (r *requests) find(req lifecycle.Req) *table.Leaf[outbound] {
	if req.IsZero() || !req.OwnedBy(r.Owner()) {
		return nil
	}
	return r.out.Get(req.Seq())
}

// byWireID returns the request of ours that awaits an answer under an id, nil for none. A
// request is numbered by the first id that it goes out under.
func (r *requests) byWireID(id uint64) *table.Leaf[outbound] {
	if leaf := r.out.Get(id); leaf != nil && wire(leaf) == id {
		return leaf
	}
	if seq, ok := r.tokens().moved(id); ok {
		return r.out.Get(seq)
	}
	return nil
}

// sent is byWireID for an id that the peer names.
func (r *requests) sent(id jsonrpc.ID) *table.Leaf[outbound] {
	if n, ok := id.Int64(); ok && n > 0 {
		return r.byWireID(uint64(n))
	}
	return nil
}

// awaited returns the entry that m answers, or nil after reporting why there is
// none. Ids of ours ascend, so the id alone tells late from never sent. What names no request of
// ours ends none (LIFE-038, JRPC-103).
func (r *requests) awaited(m *jsonrpc.Message, o *lifecycle.Output) *table.Leaf[outbound] {
	if m.ID.IsZero() {
		Violation("JRPC-032", m, o)
		return nil
	}
	n, ok := m.ID.Int64()
	switch id := uint64(n); {
	case !ok || n <= 0 || id > r.last:
		Violation("JRPC-031", m, o) // nothing of ours went out under it
	case id < r.first():
		ignored("LIFE-036", m, o) // of an earlier session
	default:
		if leaf := r.byWireID(id); leaf != nil && !leaf.V.asking() {
			return leaf
		}
		// CANC-013, CANC-015
		ignored("JRPC-033", m, o) // late, or a second time
	}
	return nil
}

// timeoutFor returns the timeout of a request whose row says how long its answer may take.
func timeoutFor(t *lifecycle.Timeouts, wait protocol.Wait) time.Duration {
	switch wait {
	case protocol.WaitInitialize:
		return t.Initialize
	case protocol.WaitPing:
		return t.Ping
	case protocol.WaitHuman:
		return t.Human
	case protocol.WaitProbe:
		return t.Probe
	case protocol.WaitListen: // SUBS-011
		return lifecycle.NoTimeout
	}
	return t.Request
}

var errTimeout = errors.New("a negative Timeout or Maximum: want positive, 0 for the default, or NoTimeout")

// times fills in the deadlines of a request: each has one, unless the caller asked for none
// (TIME-001, TIME-005, TIME-008, TIME-009).
func (r *requests) times(v *outbound, opt lifecycle.RequestOptions) error {
	for _, d := range [...]time.Duration{opt.Timeout, opt.Maximum} {
		if d < 0 && d != lifecycle.NoTimeout {
			return errTimeout
		}
	}
	// The default maximum gives way to a timeout that was asked for; a maximum that was asked for
	// bounds the timeout.
	if v.timeout = opt.Timeout; v.timeout == 0 {
		v.timeout = timeoutFor(&r.env.Timeouts, v.row.Wait)
	}
	maximum := opt.Maximum
	if maximum == 0 {
		maximum = r.env.Timeouts.Maximum
		if maximum != lifecycle.NoTimeout && (v.timeout > maximum || v.timeout == lifecycle.NoTimeout) {
			maximum = v.timeout // the default maximum shortens no timeout that was asked for
		}
	}
	// From the start of the request: progress moves the deadline and never this.
	v.maxDeadline = r.After(maximum)
	if maximum != lifecycle.NoTimeout && (v.timeout == lifecycle.NoTimeout || v.timeout > maximum) {
		v.timeout = maximum // which comes first in any case
	}
	return nil
}

// Pause says that the message of a request of ours waits at this side for a person, who logs in for example: the peer
// knows nothing of it yet, and so the request has Timeouts.Human from now on, if that is longer than what it has. Without
// paused it goes on, and has its own timeout from now on. Neither moves its maxDeadline, nor anything at its deadline.
func (r *requests) Pause(req lifecycle.Req, paused bool) {
	leaf := r.find(req)
	if leaf == nil || leaf.Deadline <= r.now || leaf.V.asking() { // whose round is over
		return
	}
	v := leaf.V
	due := r.After(v.timeout)
	switch {
	case paused:
		due = max(leaf.Deadline, r.After(r.env.Timeouts.Human))
	case v.row.Wait == protocol.WaitListen && !v.acknowledged && leaf.Deadline < v.maxDeadline: // until acknowledged
		due = min(due, r.After(r.env.Timeouts.Request))
	}
	r.out = r.out.Put(leaf.Key, min(due, v.maxDeadline), v)
}

// drop takes a request of ours out of the tables. Its deadline goes with it (TIME-004).
func (r *requests) drop(leaf *table.Leaf[outbound]) {
	r.out, _ = r.out.Delete(leaf.Key)
	r.release(leaf)
}

// release forgets what a request of ours held beside its place in the table. It is for requests
// that Expire has taken out; drop is for all others.
func (r *requests) release(leaf *table.Leaf[outbound]) {
	r.leave(leaf.V.within(), leaf.Key)
	t := r.tokens().settled(wire(leaf))
	if x := leaf.V.ext; x != nil && !x.token.IsZero() {
		t = t.without(r.env, x.token)
	}
	r.setTokens(t)
}

// fail reports that a request of ours ended without an answer.
func (r *requests) fail(leaf *table.Leaf[outbound], cause *lifecycle.Cause, o *lifecycle.Output) {
	r.endAnnounced(leaf.V.announced())
	if leaf.V.asking() {
		r.endQuestions(leaf.Key, cause, o)
	}
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestFailed, Req: r.Req(leaf.Key), ID: wireID(leaf),
		Method: leaf.V.name(), Cause: cause, Revision: leaf.V.row.Revision(),
	})
}

// endQuestions ends the questions of a request that has ended: nobody wants their answers.
func (r *requests) endQuestions(seq uint64, cause *lifecycle.Cause, o *lifecycle.Output) {
	for _, leaf := range r.inboundByAge() {
		if leaf.V.ext != nil && leaf.V.ext.of == seq {
			r.take(leaf)
			r.lost(leaf, cause, o)
			r.endWithin(&leaf.V, o)
		}
	}
}

// endWithin withdraws the open requests within a call that has left the table (CANC-029).
func (r *requests) endWithin(v *inbound, o *lifecycle.Output) {
	if v.ext == nil || v.ext.inner.Len() == 0 {
		return
	}
	const reason = "the call is over"
	cause := &lifecycle.Cause{Kind: lifecycle.CauseCancelled, Reason: reason}
	for inner := range v.ext.inner.All() {
		// It is there, unless the session ends and all of ours has failed before.
		leaf := r.out.Get(inner.Key)
		if leaf == nil {
			continue
		}
		r.drop(leaf)
		r.withdraw(leaf, reason, o)
		r.fail(leaf, cause, o)
	}
}

// failAll ends all requests of ours, oldest first. Their tokens and wire ids go with them; what
// calls know of them stays, and endWithin passes over the numbers that are gone.
func (r *requests) failAll(cause *lifecycle.Cause, o *lifecycle.Output) {
	all := r.out
	r.out = table.Table[outbound]{} // first, so that each fails once
	r.setTokens(nil)
	for leaf := range all.All() {
		r.fail(leaf, cause, o)
	}
}

// withdraw tells the peer that nobody waits for an answer any more (CANC-001, HTTP-021).
// initialize must not be cancelled (CANC-003, LIFE-032), nor what may be the first message to an old
// server; of a request that asks nothing is on its way.
func (r *requests) withdraw(leaf *table.Leaf[outbound], reason string, o *lifecycle.Output) {
	if leaf.V.opens() || leaf.V.asking() {
		return
	}
	// A call that has ended has no stream any more that the withdrawal could go out on.
	within := lifecycle.Call{}
	if leaf.V.within().of(r) != nil {
		within = leaf.V.within().call(r)
	}
	p := protocol.CancelledParams{RequestID: wireID(leaf), Reason: reason}
	note(protocol.MethodCancelled, jsonrpc.Raw(p.AppendJSON(nil)), within, r.Req(leaf.Key), o)
}

// withdrawAll withdraws every request of ours.
func (r *requests) withdrawAll(reason string, o *lifecycle.Output) {
	for leaf := range r.out.All() {
		r.withdraw(leaf, reason, o)
	}
}

// Outbound returns the requests of ours that await the peer, oldest first.
func (r *requests) Outbound() iter.Seq[lifecycle.ReqInfo] {
	// The caller may go on with the State while it iterates; tables are values.
	now := *r
	return func(yield func(lifecycle.ReqInfo) bool) {
		for leaf := range now.out.All() {
			info := lifecycle.ReqInfo{
				Req: now.Req(leaf.Key), ID: wireID(leaf), Method: leaf.V.name(), Within: leaf.V.within().call(&now),
				Deadline: now.At(leaf.Deadline), Maximum: now.At(leaf.V.maxDeadline),
			}
			switch x := leaf.V.ext; {
			case x != nil && !x.token.IsZero():
				info.ProgressToken = x.token
			case leaf.V.progress:
				info.ProgressToken = info.ID
			}
			if !yield(info) {
				return
			}
		}
	}
}
