package lifecycle

import (
	"iter"
	"slices"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/jsonrpc/rawjson"
	"github.com/sansmcp/mcp/protocol"
)

// Outgoing is a message to send, never a batch (HTTP-005, HTTP-008).
type Outgoing struct {
	// Message is for jsonrpc.Append or AppendLine.
	Message jsonrpc.Message
	// Call is the inbound request that the message answers or was sent within; zero if there is
	// none (HTTP-016, HTTP-027).
	Call Call
	// Req is the outbound request that the message sends, or cancels (notifications/cancelled);
	// zero for other messages. Pass it to SendFailed.
	Req Req
	// Final is true on the response to Call, the last message of its stream.
	Final bool
	// Direct is true on an answer to the message that Receive was given, or to a member of its
	// batch: an HTTP server may write it as the body of its response.
	Direct bool
}

// Fate is what became of the message that Receive was given.
type Fate uint8

// The fates. FateNone is the zero value.
const (
	// FateNone means that the Output does not come from Receive.
	FateNone Fate = iota
	// FateAccepted means that the message was accepted, and that an answer, if required, follows
	// later. If it opened no Call, no answer follows, and an HTTP server responds 202.
	FateAccepted
	// FateAnswered means that every answer to the message is in Send.
	FateAnswered
	// FateRefused means that the message has no effect: the text is not a message, its id is that
	// of an open request, it is a batch in a revision without batches, or it came after Close. An
	// HTTP server responds 400, with the error that is in Send under Policy.AnswerUnreadable.
	FateRefused
)

// String returns the name of the fate.
func (f Fate) String() string {
	return rawjson.NameOf(f, "fate(?)", "none", "accepted", "answered", "refused")
}

// Output is what a transition asks of its caller. The caller owns the slices. Each list is in
// causal order. Write Send before acting on Close; no other order between the fields is promised.
type Output struct {
	// Send are the messages to send, in this order.
	Send []Outgoing
	// Events are what happened, in causal order: progress comes before the answer (PROG-023).
	Events []Event
	// Opened is the Call that a Receive opened, set even when it was answered in the same step. If
	// it is zero, this Output's Send has everything sent for the message. A batch may open many:
	// see OpenedCalls; this is the last of them that is still open, otherwise the last one.
	Opened Call
	// Req is the handle of the request that a Request or Initialize sent.
	Req Req
	// Close, when set, asks the driver to close the transport, after everything in Send is written.
	// From then on nothing is sent.
	Close *Cause
	// Fate is what became of the message that Receive was given.
	Fate Fate
}

// OpenedCalls iterates over all Calls that a Receive opened: first those that Send answers, or
// acknowledges as subscriptions, then those that the application must answer.
func (o Output) OpenedCalls() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		for i := range o.Send {
			if s := &o.Send[i]; (s.Direct || protocol.Acknowledges(s.Message.Method)) && !s.Call.IsZero() && !yield(s.Call) {
				return
			}
		}
		for i := range o.Events {
			if ev := &o.Events[i]; ev.Kind == RequestReceived && !yield(ev.Call) {
				return
			}
		}
	}
}

// EndedCalls iterates over all Calls that ended in this step: answered in Send, cancelled, or lost.
// It lists each Call of a State exactly once, so that a driver can free its resources. The
// exception is a question of a server without sessions that the client answers, by Respond or Fail,
// or that expires: its answer is a member of the repeated request, not a message.
func (o Output) EndedCalls() iter.Seq[Call] {
	return func(yield func(Call) bool) {
		for i := range o.Send {
			if s := &o.Send[i]; s.Final && !yield(s.Call) {
				return
			}
		}
		for i := range o.Events {
			ev := &o.Events[i]
			if (ev.Kind == RequestCancelled || ev.Kind == RequestLost) && !yield(ev.Call) {
				return
			}
		}
	}
}

// IsZero reports whether the Output is empty.
func (o Output) IsZero() bool {
	return len(o.Send) == 0 && len(o.Events) == 0 && o.Close == nil && o.Opened.IsZero() && o.Req.IsZero()
}

// Merge appends p to o, to combine several transitions. A later Opened, Req, Close or Fate replaces
// an earlier one.
func (o *Output) Merge(p Output) {
	if len(o.Send) == 0 {
		o.Send = p.Send
	} else {
		o.Send = append(slices.Clip(o.Send), p.Send...) // p and o may be kept by others
	}
	if len(o.Events) == 0 {
		o.Events = p.Events
	} else {
		o.Events = append(slices.Clip(o.Events), p.Events...)
	}
	if !p.Opened.IsZero() {
		o.Opened = p.Opened
	}
	if !p.Req.IsZero() {
		o.Req = p.Req
	}
	if p.Close != nil {
		o.Close = p.Close
	}
	if p.Fate != FateNone {
		o.Fate = p.Fate
	}
}
