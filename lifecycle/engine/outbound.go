package engine

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/lifecycle/table"
	"github.com/sansmcp/mcp/protocol"
)

// Outbound is a request of ours that awaits the peer. Its key is its wire id.
type Outbound struct {
	within      callRef           // the inbound request that it was made for, if any
	Revision    protocol.Revision // what it was sent under
	timeout     time.Duration
	maxDeadline int64 // the latest deadline
	last        float64
	gate        bucket // of its progress
	ext         *outboundExt
	Method      protocol.Method // MethodUnknown: see ext
	progress    bool            // the id went out as a progress token
	reset       bool            // progress restarts the timeout
	keepalive   bool            // a ping of the keepalive: its answer is nobody's event
	reported    bool            // whether there was any progress
}

// outboundExt is what few requests have. It is never changed.
type outboundExt struct {
	name  string     // the method, where the table has none
	token jsonrpc.ID // a progress token that the application chose
	asked string     // what the answer is held against, see subject
}

func (v *Outbound) name() string {
	if v.ext == nil {
		return v.Method.String()
	}
	return methodName(v.Method, v.ext.name)
}

// Send checks and sends a request of ours. On error nothing was changed.
func (c *Core) Send(p protocol.Params, opt lifecycle.RequestOptions, o *lifecycle.Output) error {
	return c.send(p, opt, false, o)
}

func (c *Core) send(p protocol.Params, opt lifecycle.RequestOptions, keepalive bool, o *lifecycle.Output) error {
	switch {
	case p == nil:
		return c.opError("request", lifecycle.ErrParams, "", nil)
	case !c.Live():
		return c.opError("request", lifecycle.ErrPhase, "", nil)
	}
	name := protocol.MethodName(p)
	method := protocol.MethodOf(name)
	row := c.ses.Revision.Row(method)
	if row == nil {
		if method != protocol.MethodUnknown {
			return c.opError("request", lifecycle.ErrRevision, name, nil)
		}
		row = protocol.CustomRow(c.env.Self.Peer())
	}
	earlier := c.find(opt.Replaces)
	switch {
	case row.Notification, name == "", !utf8.ValidString(name), strings.HasPrefix(name, "notifications/"), !row.Receiver.Has(c.env.Self.Peer()):
		return c.opError("request", lifecycle.ErrParams, name, errNoRequest)
	case !row.Send.Has(c.phase) || c.closed || c.inputClosed:
		return c.opError("request", lifecycle.ErrPhase, name, nil)
	case row.Gate&^c.ses.Caps != 0:
		return c.opError("request", lifecycle.ErrCapability, name, nil)
	case earlier != nil && earlier.V.Method == protocol.MethodInitialize:
		return c.opError("request", lifecycle.ErrPhase, name, errReplaces)
	case c.out.Len() >= c.env.Limits.Outbound && earlier == nil:
		return c.opError("request", lifecycle.ErrLimit, name, nil)
	case !opt.Within.IsZero() && c.lookup(opt.Within) == nil:
		return lifecycle.ErrGone
	}
	v := Outbound{within: refOf(opt.Within), Revision: c.ses.Revision, Method: method, reset: opt.ResetOnProgress, keepalive: keepalive}
	if err := c.times(&v, opt); err != nil {
		return c.opError("request", lifecycle.ErrParams, name, err)
	}
	body, err := protocol.EncodeParams(p)
	var info protocol.ParamsInfo
	if err == nil {
		info, err = c.readParams(row, body, jsonrpc.Span{})
	}
	if err == nil && !c.passes(method) {
		err = told(p, method, body)
	}
	if err != nil {
		return c.opError("request", lifecycle.ErrParams, name, err)
	}
	id := c.last + 1
	for c.tokens.has(c.env, jsonrpc.Int(int64(id))) {
		id++ // the id may serve as a token
	}
	body, token, progress, err := c.tokenFor(id, body, info.Meta, opt)
	if err != nil {
		return c.opError("request", lifecycle.ErrParams, name, err)
	}
	v.progress = progress
	asked, err := "", error(nil)
	if c.passes(method) {
		asked = about(method, info)
	} else {
		asked, err = subject(method, body, info, opt)
	}
	if err != nil {
		return c.opError("request", lifecycle.ErrParams, name, err)
	}
	if len(asked) > c.env.mostAsked(method) {
		return c.opError("request", lifecycle.ErrLimit, name, errTooLong)
	}
	if method == protocol.MethodUnknown || !token.IsZero() || asked != "" {
		v.ext = &outboundExt{token: token, asked: strings.Clone(asked)}
		if method == protocol.MethodUnknown {
			v.ext.name = strings.Clone(name)
		}
	}
	c.last = id
	c.tokens = c.tokens.with(c.env, token, id)
	c.out = c.out.Put(id, min(c.After(v.timeout), v.maxDeadline), v)
	c.join(v.within, id)
	if earlier != nil { // else it has ended by itself
		_ = c.Cancel(opt.Replaces, "superseded", o)
	}
	o.Req = c.Req(id)
	body = c.Fit(method, protocol.BodyParams, body, opt.Within, o.Req, o)
	o.Send = append(o.Send, lifecycle.Outgoing{
		Message: jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.Int(int64(id)), Method: name, Body: body},
		Call:    opt.Within, Req: o.Req,
	})
	return nil
}

var (
	errTooLong   = errors.New("a form or output schema over Limits.Schema, or a uri over Limits.Text")
	errNoRequest = errors.New("not a request that this side sends")
	errTimeout   = errors.New("negative timeout")
	errReplaces  = errors.New("initialize cannot be superseded")

	errNoNotification = errors.New("not a notification that has no verb of its own")
)

// mostAsked returns how long what is kept of a request of ours may be: a uri, or what the
// answer is held against.
func (e *Env) mostAsked(m protocol.Method) int {
	if m.OfResource() {
		return e.Limits.Text
	}
	return e.Limits.Schema
}

// times fills in the deadlines of a request.
func (c *Core) times(v *Outbound, opt lifecycle.RequestOptions) error {
	for _, d := range [...]time.Duration{opt.Timeout, opt.Maximum} {
		if d < 0 && d != lifecycle.NoTimeout {
			return errTimeout
		}
	}
	if v.timeout = opt.Timeout; v.timeout == 0 {
		v.timeout = c.env.Timeouts.For(v.Method)
	}
	maximum := opt.Maximum
	if maximum == 0 {
		maximum = c.env.Timeouts.Maximum
		if maximum != lifecycle.NoTimeout && (v.timeout > maximum || v.timeout == lifecycle.NoTimeout) {
			maximum = v.timeout // the default maximum shortens no timeout that was asked for
		}
	}
	v.maxDeadline = c.After(maximum)
	if maximum != lifecycle.NoTimeout && (v.timeout == lifecycle.NoTimeout || v.timeout > maximum) {
		v.timeout = maximum // which comes first in any case
	}
	return nil
}

// response matches an answer of the peer with the request that it answers.
func (c *Core) response(m *jsonrpc.Message, o *lifecycle.Output) Intake {
	leaf := c.awaited(m, o)
	if leaf == nil {
		return Intake{}
	}
	if leaf.V.Method == protocol.MethodInitialize {
		return Intake{Verdict: Handshake} // the client takes it out
	}
	c.drop(leaf)
	if leaf.V.keepalive {
		c.pinged(m)
		c.settle(o)
		return Intake{}
	}
	row := leaf.V.Revision.Row(leaf.V.Method)
	var err error
	if row != nil && m.Kind == jsonrpc.KindResult && !c.passes(leaf.V.Method) {
		err = c.result(row, &leaf.V, m, o)
	}
	ev := lifecycle.Event{
		Kind: lifecycle.ResponseReceived, Req: c.Req(leaf.Key), ID: m.ID, Method: leaf.V.name(),
		Body: m.Body, Span: m.Span, Err: m.Err, Revision: leaf.V.Revision,
	}
	if err != nil {
		Violation(resultRule(leaf.V.Method, err), m, o)
		ev.Kind, ev.Cause = lifecycle.RequestFailed, &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse, Err: err}
	}
	o.Events = append(o.Events, ev)
	c.settle(o)
	if err != nil || m.Kind != jsonrpc.KindResult || leaf.V.ext == nil || row == nil {
		return Intake{}
	}
	return Intake{Answered, row, protocol.ParamsInfo{Subject: leaf.V.ext.asked}}
}

// awaited returns the entry that m answers, or nil after reporting why there is
// none. Ids of ours ascend, so the id alone tells late from never sent.
func (c *Core) awaited(m *jsonrpc.Message, o *lifecycle.Output) *table.Leaf[Outbound] {
	if m.ID.IsZero() {
		Violation(ruleOrphan, m, o)
		return nil
	}
	n, ok := m.ID.Int64()
	switch id := uint64(n); {
	case !ok || n <= 0 || id > c.last:
		Violation(ruleStray, m, o)
	case id < c.first:
		Ignored(ruleOldEpoch, m, o)
	default:
		if leaf := c.out.Get(id); leaf != nil {
			return leaf
		}
		Ignored(ruleRepeated, m, o)
	}
	return nil
}

// drop takes a request of ours out of the tables.
func (c *Core) drop(leaf *table.Leaf[Outbound]) {
	c.out, _ = c.out.Delete(leaf.Key)
	c.release(leaf)
}

// release forgets what a request of ours held beside its place in the table.
func (c *Core) release(leaf *table.Leaf[Outbound]) {
	if leaf.V.keepalive {
		c.pinging = false
	}
	c.leave(leaf.V.within, leaf.Key)
	if x := leaf.V.ext; x != nil && !x.token.IsZero() {
		c.tokens = c.tokens.without(c.env, x.token)
	}
}

// fail reports that a request of ours ended without an answer.
func (c *Core) fail(leaf *table.Leaf[Outbound], cause *lifecycle.Cause, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.RequestFailed, Req: c.Req(leaf.Key), ID: jsonrpc.Int(int64(leaf.Key)),
		Method: leaf.V.name(), Cause: cause, Revision: leaf.V.Revision,
	})
}

// withdraw tells the peer that nobody waits for an answer any more (cancellation
// page). initialize must not be cancelled.
func (c *Core) withdraw(leaf *table.Leaf[Outbound], reason string, o *lifecycle.Output) {
	if leaf.V.Method == protocol.MethodInitialize {
		return
	}
	within := lifecycle.Call{}
	if leaf.V.within.get(c) != nil {
		within = leaf.V.within.call(c)
	}
	p := protocol.CancelledParams{RequestID: jsonrpc.Int(int64(leaf.Key)), Reason: reason}
	note("notifications/cancelled", jsonrpc.Raw(p.AppendJSON(nil)), within, o)
	o.Send[len(o.Send)-1].Req = c.Req(leaf.Key)
}

// Cancel gives a request of ours up.
func (c *Core) Cancel(req lifecycle.Req, reason string, o *lifecycle.Output) error {
	leaf := c.find(req)
	if leaf == nil {
		return lifecycle.ErrGone
	}
	if row := leaf.V.Revision.Row(leaf.V.Method); row != nil && !row.Cancellable {
		return c.opError("cancel", lifecycle.ErrPhase, leaf.V.name(), nil)
	}
	c.drop(leaf)
	if !utf8.ValidString(reason) {
		reason = string([]rune(reason)) // as it goes out
	}
	c.withdraw(leaf, reason, o)
	c.fail(leaf, &lifecycle.Cause{Kind: lifecycle.CauseCancelled, Reason: reason}, o)
	c.settle(o)
	return nil
}

// expireOutbound gives up what the peer did not answer in time. It reports whether
// initialize was among it, and whether that was one ping too many.
func (c *Core) expireOutbound(o *lifecycle.Output) (handshake, silent bool) {
	var due []*table.Leaf[Outbound]
	if c.out, due = c.out.Expire(c.now); len(due) == 0 {
		return false, false
	}
	cause := &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}
	for _, leaf := range due {
		c.release(leaf)
		c.fail(leaf, cause, o)
		c.withdraw(leaf, "timed out", o)
		switch leaf.V.Method {
		case protocol.MethodInitialize:
			handshake = true
		case protocol.MethodPing:
			silent = c.missed(leaf) || silent
		}
	}
	return handshake, silent
}
