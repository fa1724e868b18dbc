package engine

import (
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What comes in. Every gate that a message has to pass stands here, in the order in which the
// specification has them: envelope, id, method, direction, phase, capability, limits, params. A
// refusal answers a request and is reported; a notification is reported only. What passes is left
// to the role in an Intake; only numbers and rates have changed for it.

// Receive takes a message in as far as both roles do it alike. What is
// left for the role is in *in, which was zero. The phase is live. *in may also be what
// Receive has left of the same request before, under the same revision: its text is not read again.
func (c *Core) Receive(m *jsonrpc.Message, in *Intake, o *lifecycle.Output) {
	o.Fate = lifecycle.FateRefused
	if m.Kind == jsonrpc.KindInvalid {
		c.invalid(m, in, o)
		return
	}
	c.alive(&c.requests)
	switch m.Kind {
	case jsonrpc.KindRequest:
		if m.ID.IsZero() || m.ID == jsonrpc.Null { // made by hand
			Violation("JRPC-004", m, o)
			return
		}
		c.request(m, in, o)
	case jsonrpc.KindNotification:
		o.Fate = lifecycle.FateAccepted
		c.notification(m, in, o)
	case jsonrpc.KindResult, jsonrpc.KindError:
		o.Fate = lifecycle.FateAccepted
		c.response(m, in, o)
	default:
		c.invalid(m, in, o) // a batch within a batch
	}
}

// request runs the checks on a request in the order of the specification table
// (docs/methods.md, order of checks; ERR-012).
func (c *Core) request(m *jsonrpc.Message, in *Intake, o *lifecycle.Output) {
	read := in.Verdict == Request
	in.Verdict = Done
	// First of all the id: under one that is in flight no answer can be given.
	key := c.env.key(m.ID)
	if leaf := c.in.Get(key); leaf != nil {
		if leaf.V.id == m.ID {
			// Any answer would be taken for the answer to the first.
			Violation("JRPC-034", m, o) // JRPC-201
			return
		}
		c.open(key, o)
		ReplyError(m, protocol.InternalError("the id cannot be told from another"), o)
		return
	}
	c.open(key, o)

	prof, row := c.prof, in.Row
	if !read {
		if prof = c.profileOf(m, in, o); prof == nil {
			return
		}
		row = prof.Revision.Row(m.Method)
	}
	switch {
	case row == nil && c.env.serves(m.Method):
		row = prof.Revision.CustomRow(c.env.Self)
	case row == nil: // JRPC-018
		ReplyError(m, protocol.MethodNotFound(), o)
		return
	case row.Notification:
		ReplyError(m, protocol.MethodNotFound(), o)
		Violation("JRPC-022", m, o)
		return
	case !row.Receiver.Has(c.env.Self):
		ReplyError(m, protocol.MethodNotFound(), o)
		Violation("CAP-019", m, o)
		return
	}

	// PING-003, PING-004: at once, and whatever else is open.
	if isPing(row) {
		if m.Body != "" { // else there is nothing to check
			if err := row.CheckParams(m.Body, m.Span); err != nil {
				badParams(m, err, o)
				return
			}
		}
		Reply(m, "{}", o)
		return
	}
	handshake := isInitialize(row)
	switch {
	case !row.Serve.Has(c.phase) || c.phase == protocol.Initializing && c.env.Policy.StrictInitialized && !in.Brings():
		c.refusePhase(row, m, o)
	// CAP-013, COMPL-011, ELIC-017, LOG-012, PROMPT-018, RES-027, ROOT-009, SAMP-020, TOOL-018
	case row.Gate&^c.env.Caps != 0:
		ReplyError(m, protocol.CapabilityNotDeclared(), o)
		Violation("CAP-012", m, o)
	// TOOL-041, COMPL-023, SAMP-028, ELIC-027: the number, and the rate.
	case !handshake && c.in.Len() >= c.env.Limits.Inbound:
		excess("too many requests in flight", m, o)
	case !handshake && !c.allowRequest():
		excess("too many requests", m, o)
	case read:
		in.Verdict = Request
	default:
		c.admit(row, m, in, o)
	}
}

// admit checks the params of a request.
func (c *Core) admit(row *protocol.Row, m *jsonrpc.Message, in *Intake, o *lifecycle.Output) {
	var err error
	loose := c.env.loose(row)
	if loose {
		in.Info, err = row.LooseParams(m.Body, m.Span)
	} else {
		in.Info, err = row.ReadParams(m.Body, m.Span)
	}
	switch {
	case err != nil:
		badParams(m, err, o)
		return
	case c.tooLong(m, &in.Info):
		excess("too long a text", m, o)
		return
	case loose || row.Plain() && row.Setting == protocol.SettingNone:
		in.Verdict, in.Row, in.Subject = Request, row, row.About(in.Info, true)
		return
	}
	t := row.Terms(protocol.Asked{Params: m.Body, Span: m.Span, Info: in.Info, Received: true, Caps: c.env.Caps})
	switch {
	case t.Err != nil:
		badParams(m, t.Err, o)
		return
	case !c.env.Caps.Has(t.Needs):
		ReplyError(m, protocol.InvalidParams("capability not declared"), o)
		Violation(t.Lacking, m, o)
		return
	case t.Rule != "":
		Violation(t.Rule, m, o) // and passed on
	}
	if len(t.Subject) > c.env.mostKept(row, true) {
		excess("too large a form", m, o)
		return
	}
	in.Verdict, in.Row, in.Subject = Request, row, t.Subject
	in.Announces = t.Announces
}

// Again reads a request once more that has passed all gates: in, which was zero, is what Receive left of it. Nothing is
// counted or reported.
func (c *Core) Again(m *jsonrpc.Message, in *Intake) {
	var o lifecycle.Output
	if prof := c.profileOf(m, in, &o); prof != nil {
		c.admit(prof.Revision.Row(m.Method), m, in, &o)
	}
}

// badParams answers params that do not fit their method. The reason is in the event; the text of
// the answer holds nothing of the peer.
func badParams(m *jsonrpc.Message, err error, o *lifecycle.Output) {
	ReplyError(m, protocol.InvalidParams("invalid params"), o)
	misfit(m, err, o)
}

// excess refuses a request that is over a limit (ERR-013).
func excess(why string, m *jsonrpc.Message, o *lifecycle.Output) {
	ReplyError(m, protocol.InternalError(why), o)
	Violation("ERR-013", m, o)
}

// tooLong reports whether something of a request that would be kept is over the limit.
func (c *Core) tooLong(m *jsonrpc.Message, info *protocol.ParamsInfo) bool {
	most := c.env.Limits.Text
	if idLen(m.ID) > most || max(len(m.Spelling()), len(m.Method), len(info.Subject)) > most {
		return true
	}
	// Most have no _meta or a short one: the token is looked for only in a long one.
	if len(info.Meta) <= most {
		return false // and so is the token in it
	}
	token, _ := info.Meta.ProgressToken()
	return idLen(token) > most
}

// refusePhase answers a request that has no place in this phase (ERR-003).
func (c *Core) refusePhase(row *protocol.Row, m *jsonrpc.Message, o *lifecycle.Output) {
	rule, why := "LIFE-001", "the session is not initialized"
	switch {
	case isInitialize(row):
		rule, why = "LIFE-015", "the session is initialized already"
	// LIFE-025
	case c.phase == protocol.ShuttingDown:
		ReplyError(m, protocol.InternalError("the session is shutting down"), o)
		return
	case c.phase == protocol.Initializing:
		rule = c.env.EarlyRule
	}
	ReplyError(m, protocol.InvalidRequest(why), o)
	Violation(rule, m, o)
}

// notification runs the checks on a notification. None is ever answered (JRPC-020).
func (c *Core) notification(m *jsonrpc.Message, in *Intake, o *lifecycle.Output) {
	row := c.prof.Revision.Row(m.Method)
	if row == nil && c.env.serves(m.Method) {
		row = c.prof.Revision.CustomNotificationRow()
	}
	switch {
	case row == nil:
		ignored("JRPC-020", m, o)
		return
	case !row.Notification:
		Violation("JRPC-023", m, o)
		return
	case !row.Receiver.Has(c.env.Self):
		Violation("CAP-020", m, o)
		return
	case row.Method == protocol.MethodCancelled:
		c.cancelled(row, m, o)
		return
	case row.Method == protocol.MethodProgress:
		c.progressed(m, o)
		return
	case !row.Serve.Has(c.phase):
		c.early(row, m, o)
		return
	}
	if !c.env.loose(row) {
		// LOG-021
		info, err := row.ReadParams(m.Body, m.Span)
		if err != nil {
			misfit(m, err, o)
			return
		}
		if row.Completes && !c.announced(info.Subject) {
			ignored("ELIC-114", m, o)
			return
		}
		if row.Completes {
			c.endAnnounced(info.Subject)
		}
	}
	if row.Setting == protocol.SettingLevel && !c.allowLog(true) {
		return
	}
	if row.Gate&^c.prof.Caps != 0 && !c.Negotiated().IsZero() {
		// LOG-025
		Violation("CAP-021", m, o) // and delivered: dropping it helps nobody
	}
	in.Verdict, in.Row = Notification, row
}

// early reports a notification that has no place in this phase.
func (c *Core) early(row *protocol.Row, m *jsonrpc.Message, o *lifecycle.Output) {
	switch initialized := row.Method == protocol.MethodInitialized; {
	case initialized && c.phase == protocol.Uninitialized:
		Violation("LIFE-013", m, o)
	case initialized && c.phase == protocol.Ready:
		Violation("LIFE-014", m, o)
	default:
		ignored("LIFE-043", m, o)
	}
}

// cancelled handles notifications/cancelled of the peer (cancellation, Behavior
// Requirements): what cannot be cancelled is ignored.
func (c *Core) cancelled(row *protocol.Row, m *jsonrpc.Message, o *lifecycle.Output) {
	var p protocol.CancelledParams
	switch err := p.DecodeJSON(m.Body, m.Span); {
	case err != nil && row.CheckParams(m.Body, m.Span) == nil:
		ignored("CANC-102", m, o) // it names no request, and in this revision need not
		return
	case err != nil:
		Violation("CANC-018", m, o)
		return
	case c.env.Opens && c.prof.Revision.Stateless():
		c.toldOfAnEnd(&p, m, o)
		return
	}
	// CANC-019, CANC-020: any id, of either type.
	leaf := c.in.Get(c.env.key(p.RequestID))
	if leaf == nil || leaf.V.id != p.RequestID {
		// Also initialize, which is answered at once, and what was answered or cancelled before
		// (CANC-006, CANC-011, CANC-012, CANC-027).
		ignored("CANC-010", m, o)
		return
	}
	// CANC-007, CANC-008; CANC-009: an answer finds it gone. CANC-016: the event has the reason.
	c.take(leaf)
	c.endAnnounced(leaf.V.announced())
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestCancelled, Call: c.call(leaf), ID: leaf.V.id, Method: leaf.V.name(), Body: m.Body,
		Cause: &lifecycle.Cause{Kind: lifecycle.CauseCancelled, Reason: p.Reason},
	})
	c.endWithin(&leaf.V, o)
	c.settle(o)
}

// response matches an answer of the peer with the request that it answers. It does so in every
// live phase, and until a Tick has given the request up (LIFE-026, TIME-017).
func (c *Core) response(m *jsonrpc.Message, in *Intake, o *lifecycle.Output) {
	leaf := c.awaited(m, o)
	if leaf == nil {
		return
	}
	v := &leaf.V
	if v.opens() {
		in.Verdict, in.Row = Handshake, v.row // the client takes it out
		return
	}
	if asks, err := asksInput(v.row, m.Body); m.Kind == jsonrpc.KindResult && (asks || err != nil) {
		if err == nil {
			err = c.question(leaf, m, o)
		}
		if err == nil {
			in.Verdict = Questioned
			return
		}
		Violation(brokenBy(err), m, o)
		c.drop(leaf)
		c.fail(leaf, &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse, Err: err}, o)
		c.settle(o)
		return
	}
	c.drop(leaf)
	if v.keepalive {
		c.pinged(m)
		c.settle(o)
		return
	}
	rule, err := "", error(nil)
	if m.Kind == jsonrpc.KindResult && !c.env.loose(v.row) && !v.row.Custom() {
		rule, err = c.accept(v, m, o)
	}
	if m.Err != nil && !c.env.loose(v.row) {
		c.judge(m, o)
	}
	if id := v.announced(); id != "" && (m.Err != nil || err != nil || !protocol.Accepted(m.Body)) {
		c.endAnnounced(id)
	}
	kind, cause := lifecycle.ResponseReceived, (*lifecycle.Cause)(nil)
	if err != nil {
		Violation(rule, m, o)
		kind, cause = lifecycle.RequestFailed, &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse, Err: err}
	}
	ev := event(kind, o)
	ev.Req, ev.ID, ev.Method, ev.Revision = c.Req(leaf.Key), m.ID, v.name(), v.row.Revision()
	// RES-030: an error as it came.
	ev.Body, ev.Span, ev.Err, ev.Cause = m.Body, m.Span, m.Err, cause
	c.settle(o)
	if err != nil || m.Kind != jsonrpc.KindResult || v.ext == nil || v.row.Custom() {
		return
	}
	in.Verdict, in.Row, in.Subject = Answered, v.row, v.subject()
}

// judge looks at what an error of the peer announces. What counts is what is negotiated by
// now: a ping may be sent before, under another revision.
func (c *Core) judge(m *jsonrpc.Message, o *lifecycle.Output) {
	rev := c.Negotiated()
	if rev.IsZero() {
		return
	}
	rule, ids := rev.JudgeError(m.Err, c.env.Caps, true)
	if rule != "" {
		Violation(rule, m, o) // and delivered (ERR-104)
	}
	for _, id := range ids {
		c.announce(id) // again, or without room: then its end says nothing
	}
}

// accept lets the row judge and mend a result. It returns the rule that the result breaks
// if it cannot be used (TOOL-045).
func (c *Core) accept(v *outbound, m *jsonrpc.Message, o *lifecycle.Output) (rule string, err error) {
	a := v.row.Accept(protocol.Reply{
		Body: m.Body, Span: m.Span, Subject: v.subject(), Schemas: c.env.Schemas, Lenient: c.env.Policy.LenientContent,
	})
	for _, f := range a.Found {
		if f.Local != nil {
			LocalViolation(f.Rule, v.row.Method, lifecycle.Call{}, &lifecycle.Cause{Err: f.Local}, o)
			continue
		}
		m.Body = f.Body
		var cause *lifecycle.Cause
		if f.Err != nil {
			cause = &lifecycle.Cause{Err: f.Err}
		}
		violation(f.Rule, m, cause, o)
	}
	m.Body, m.Span = a.Body, a.Span
	return a.Rule, a.Err
}
