package engine

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Violation reports that the peer broke a rule with m.
func Violation(rule string, m *jsonrpc.Message, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.Violation, Rule: rule, ID: m.ID, Method: m.Method, Body: m.Body, Err: m.Err, Call: o.Opened,
	})
}

// Ignored reports that m was dropped without blame.
func Ignored(rule string, m *jsonrpc.Message, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.Ignored, Rule: rule, ID: m.ID, Method: m.Method, Body: m.Body, Err: m.Err,
	})
}

// LocalViolation reports that what the application sends for a call breaks a rule.
func LocalViolation(rule string, m protocol.Method, call lifecycle.Call, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{Kind: lifecycle.LocalViolation, Rule: rule, Method: m.String(), Call: call})
}

// Fit returns a body as the negotiated revision has it, and reports what is lost by it.
// Members that are null in place of absent go without a report, unless the policy keeps
// them: nothing is lost. The body belongs to call or to req.
func (c *Core) Fit(m protocol.Method, kind protocol.BodyKind, body jsonrpc.Raw, call lifecycle.Call, req lifecycle.Req, o *lifecycle.Output) jsonrpc.Raw {
	if !c.env.Policy.KeepNulls && !c.passes(m) {
		body = protocol.WithoutNulls(m, kind, body)
	}
	return c.Downgrade(m, kind, body, call, req, o)
}

// Downgrade is Fit for a body that is known to have none of these nulls.
func (c *Core) Downgrade(m protocol.Method, kind protocol.BodyKind, body jsonrpc.Raw, call lifecycle.Call, req lifecycle.Req, o *lifecycle.Output) jsonrpc.Raw {
	if c.passes(m) {
		return body
	}
	body, lossy := c.ses.Revision.Downgrade(m, kind, body)
	if lossy {
		Downgraded(m, c.ses.Revision, call, req, o)
	}
	return body
}

// Downgraded reports that a message that goes out says less than it was given to say.
func Downgraded(m protocol.Method, r protocol.Revision, call lifecycle.Call, req lifecycle.Req, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.Downgraded, Method: m.String(), Call: call, Req: req, Revision: r,
	})
}

// Reply answers the request m, which was just opened, with a result.
func Reply(m *jsonrpc.Message, body jsonrpc.Raw, o *lifecycle.Output) {
	reply(m, jsonrpc.Message{Kind: jsonrpc.KindResult, Body: body}, o)
}

// ReplyError answers the request m, which was just opened, with an error.
func ReplyError(m *jsonrpc.Message, e jsonrpc.Error, o *lifecycle.Output) {
	reply(m, jsonrpc.Message{Kind: jsonrpc.KindError, Err: &e}, o)
}

// reply sends r under the id of the request m. The id is copied, as is its spelling: an
// answer that waits to be written does not keep the request.
func reply(m *jsonrpc.Message, r jsonrpc.Message, o *lifecycle.Output) {
	r.ID = m.ID.Clone()
	if s := m.Spelling(); s != "" {
		r = r.Spelled(jsonrpc.Raw(strings.Clone(string(s))))
	}
	o.Send = append(o.Send, lifecycle.Outgoing{Message: r, Call: o.Opened, Final: true, Direct: true})
}

// note sends a notification.
func note(method string, body jsonrpc.Raw, within lifecycle.Call, o *lifecycle.Output) {
	m := jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: method, Body: body}
	o.Send = append(o.Send, lifecycle.Outgoing{Message: m, Call: within})
}

// answer sends the response to an inbound request that leaves the table.
func answer(call lifecycle.Call, v *Inbound, m jsonrpc.Message, o *lifecycle.Output) {
	m.ID = v.ID
	if v.ext != nil && v.ext.spelling != "" {
		m = m.Spelled(v.ext.spelling)
	}
	o.Send = append(o.Send, lifecycle.Outgoing{Message: m, Call: call, Final: true})
}

// methodName returns the name of a method for an event.
func methodName(m protocol.Method, custom string) string {
	if m == protocol.MethodUnknown {
		return custom
	}
	return m.String()
}
