package engine

import (
	"slices"
	"unicode/utf8"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Receive takes a message in as far as both roles do it alike. It returns what is
// left for the role. The phase is live.
func (c *Core) Receive(m *jsonrpc.Message, o *lifecycle.Output) Intake {
	if m.Kind != jsonrpc.KindInvalid {
		c.alive()
	}
	switch m.Kind {
	case jsonrpc.KindRequest:
		if m.ID.IsZero() || m.ID == jsonrpc.Null { // made by hand
			Violation(ruleNullID, m, o)
			return Intake{}
		}
		return c.request(m, o)
	case jsonrpc.KindNotification:
		return c.notification(m, o)
	case jsonrpc.KindResult, jsonrpc.KindError:
		return c.response(m, o)
	}
	return Intake{Verdict: c.invalid(m, o)}
}

// Batch returns the messages of an array if the negotiated revision has batches,
// and otherwise reports it as a whole.
func (c *Core) Batch(m *jsonrpc.Message, o *lifecycle.Output) []jsonrpc.Message {
	list := m.Batch()
	switch {
	case !c.Negotiated().IsZero() && c.ses.Revision.Batches():
		if len(list) <= c.env.Limits.Batch {
			return list
		}
		Violation(ruleTooLarge, m, o)
	default:
		Violation(ruleBatch, m, o)
	}
	c.answerUnreadable(jsonrpc.CodeInvalidRequest, o)
	return nil
}

// Latest returns the last of the calls that is still open, or else the last one.
func (c *Core) Latest(calls []lifecycle.Call) lifecycle.Call {
	for _, call := range slices.Backward(calls) {
		if c.Open(call) {
			return call
		}
	}
	if len(calls) == 0 {
		return lifecycle.Call{}
	}
	return calls[len(calls)-1]
}

// notification runs the checks on a notification. None is ever answered.
func (c *Core) notification(m *jsonrpc.Message, o *lifecycle.Output) Intake {
	method := protocol.MethodOf(m.Method)
	row := c.ses.Revision.Row(method)
	if row == nil && c.serves(method, m.Method) {
		row = protocol.CustomNotificationRow()
	}
	switch {
	case row == nil:
		Ignored(ruleUnknownNote, m, o)
		return Intake{}
	case !row.Notification:
		Violation(ruleRequestNoID, m, o)
		return Intake{}
	case !row.Receiver.Has(c.env.Self):
		Violation(ruleNoteDirection, m, o)
		return Intake{}
	case method == protocol.MethodCancelled:
		c.cancelled(m, o)
		return Intake{}
	case method == protocol.MethodProgress:
		c.progress(m, o)
		return Intake{}
	case !row.Serve.Has(c.phase):
		c.early(method, m, o)
		return Intake{}
	}
	if !c.passes(method) {
		if err := row.CheckParams(m.Body, m.Span); err != nil {
			misfit(m, err, o)
			return Intake{}
		}
	}
	if method == protocol.MethodLoggingMessage && !c.allowLog(true) {
		return Intake{}
	}
	if row.Gate&^c.ses.Caps != 0 && !c.Negotiated().IsZero() {
		Violation(ruleNoteCapability, m, o) // and delivered: dropping it helps nobody
	}
	return Intake{Verdict: Notification, Row: row}
}

// early reports a notification that has no place in this phase.
func (c *Core) early(method protocol.Method, m *jsonrpc.Message, o *lifecycle.Output) {
	switch {
	case method == protocol.MethodInitialized && c.phase == protocol.Uninitialized:
		Violation("LIFE-013", m, o)
	case method == protocol.MethodInitialized && c.phase == protocol.Ready:
		Violation("LIFE-014", m, o)
	default:
		Ignored(ruleNotePhase, m, o)
	}
}

// Deliver gives a notification to the application.
func Deliver(m *jsonrpc.Message, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.NotificationReceived, Method: m.Method, Body: m.Body, Span: m.Span,
	})
}

// Notify checks and sends a notification of ours. On error nothing was changed.
func (c *Core) Notify(p protocol.Params, within lifecycle.Call, o *lifecycle.Output) error {
	switch {
	case p == nil:
		return c.opError("notify", lifecycle.ErrParams, "", nil)
	case !c.Live():
		return c.opError("notify", lifecycle.ErrPhase, "", nil)
	}
	name := protocol.MethodName(p)
	method := protocol.MethodOf(name)
	row := c.ses.Revision.Row(method)
	if row == nil {
		if method != protocol.MethodUnknown {
			return c.opError("notify", lifecycle.ErrRevision, name, nil)
		}
		row = protocol.CustomNotificationRow()
	}
	switch {
	case !row.Notification, name == "", !utf8.ValidString(name), !row.Receiver.Has(c.env.Self.Peer()),
		method == protocol.MethodInitialized, method == protocol.MethodCancelled, method == protocol.MethodProgress:
		return c.opError("notify", lifecycle.ErrParams, name, errNoNotification)
	case !row.Send.Has(c.phase) || c.closed:
		return c.opError("notify", lifecycle.ErrPhase, name, nil)
	case row.Gate&^c.env.Caps != 0:
		return c.opError("notify", lifecycle.ErrCapability, name, nil)
	case !within.IsZero() && c.lookup(within) == nil:
		return lifecycle.ErrGone
	}
	body, err := protocol.EncodeParams(p)
	if err == nil && !c.passes(method) {
		err = row.CheckParams(body, jsonrpc.Span{})
	}
	if err != nil {
		return c.opError("notify", lifecycle.ErrParams, name, err)
	}
	note(name, c.Fit(method, protocol.BodyParams, body, within, lifecycle.Req{}, o), within, o)
	return nil
}
