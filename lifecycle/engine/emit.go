package engine

import (
	"strings"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What a transition writes into its Output: events, messages, the fate of what came in. All of it
// is appended in the order of cause and never changed afterwards, so that a caller may keep it.
// Texts of the peer in it are parts of the message that came in; only what waits to be sent for
// long, as the id of an answer, is copied.

// event adds an event to o and returns it, to be filled in place: most Outputs have one.
func event(kind lifecycle.EventKind, o *lifecycle.Output) *lifecycle.Event {
	if o.Events == nil {
		o.Events = make([]lifecycle.Event, 1)
	} else {
		o.Events = append(o.Events, lifecycle.Event{})
	}
	ev := &o.Events[len(o.Events)-1]
	ev.Kind = kind
	return ev
}

// outgoing is to messages what event is to events.
func outgoing(o *lifecycle.Output) *lifecycle.Outgoing {
	if o.Send == nil {
		o.Send = make([]lifecycle.Outgoing, 1)
	} else {
		o.Send = append(o.Send, lifecycle.Outgoing{})
	}
	return &o.Send[len(o.Send)-1]
}

// Violation reports that the peer broke a rule with m.
func Violation(rule string, m *jsonrpc.Message, o *lifecycle.Output) { violation(rule, m, nil, o) }

// violation reports what exactly was wrong as well.
func violation(rule string, m *jsonrpc.Message, cause *lifecycle.Cause, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.Violation, Rule: rule, ID: m.ID, Method: m.Method, Body: m.Body, Err: m.Err, Call: o.Opened, Cause: cause,
	})
}

// misfit reports params that do not fit their method.
func misfit(m *jsonrpc.Message, err error, o *lifecycle.Output) {
	violation("ERR-005", m, &lifecycle.Cause{Err: err}, o)
}

// Ignored reports that m was dropped without blame.
func ignored(rule string, m *jsonrpc.Message, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.Ignored, Rule: rule, ID: m.ID, Method: m.Method, Body: m.Body, Err: m.Err,
	})
}

// LocalViolation reports that what the application sends for a call, or has said of a
// request, breaks a rule. cause may be nil.
func LocalViolation(rule, method string, call lifecycle.Call, cause *lifecycle.Cause, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{Kind: lifecycle.LocalViolation, Rule: rule, Method: method, Call: call, Cause: cause})
}

// Downgraded reports that a message that goes out says less than it was given to say.
func Downgraded(method string, r protocol.Revision, call lifecycle.Call, req lifecycle.Req, o *lifecycle.Output) {
	o.Events = append(o.Events, lifecycle.Event{
		Kind: lifecycle.Downgraded, Method: method, Call: call, Req: req, Revision: r,
	})
}

// Reply answers the request m, which was just opened, with a result.
func Reply(m *jsonrpc.Message, body jsonrpc.Raw, o *lifecycle.Output) {
	r := reply(m, o)
	r.Kind, r.Body = jsonrpc.KindResult, body
}

// ReplyError answers the request m, which was just opened, with an error.
func ReplyError(m *jsonrpc.Message, e jsonrpc.Error, o *lifecycle.Output) {
	r := reply(m, o)
	r.Kind, r.Err = jsonrpc.KindError, &e
}

// reply adds an answer to the request m under its id and returns it, to be filled. The id
// is copied, as is its spelling: an answer that waits to be written does not keep the
// request (JRPC-008, JRPC-019).
func reply(m *jsonrpc.Message, o *lifecycle.Output) *jsonrpc.Message {
	o.Fate = lifecycle.FateAnswered
	out := outgoing(o)
	out.Call, out.Final, out.Direct = o.Opened, true, true
	out.Message.ID = m.ID.Clone()
	if s := m.Spelling(); s != "" {
		out.Message = out.Message.Spelled(jsonrpc.Raw(strings.Clone(string(s))))
	}
	return &out.Message
}

// note sends a notification, within a call or about a request of ours, if any. A notification is
// not awaited, so nothing is noted of it.
func note(method string, body jsonrpc.Raw, within lifecycle.Call, req lifecycle.Req, o *lifecycle.Output) {
	m := jsonrpc.Message{Kind: jsonrpc.KindNotification, Method: method, Body: body}
	o.Send = append(o.Send, lifecycle.Outgoing{Message: m, Call: within, Req: req})
}
