package engine

import (
	"strconv"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What cannot be read as a message. The rule is that a fault of the peer is answered if, and only
// if, the peer waits for an answer that it can tell from others: under an id that is its own and
// not in flight. All else is reported and dropped; an answer to a response could be answered in
// turn, without end.

// invalid deals with a message of KindInvalid, row by row of the table in docs/methods.md
// (input that is no valid message). Only a malformed response changes the State: it ends the
// request that it answers. Text that could not be read to its end has a Shape and an ID too,
// where they were certain.
func (c *Core) invalid(m *jsonrpc.Message, in *Intake, o *lifecycle.Output) {
	switch {
	// It may answer a request of ours, whatever is wrong with it.
	case m.Shape == jsonrpc.KindResult:
		c.invalidResponse(m, in, o)
	case m.Shape == jsonrpc.KindNotification:
		Violation(faultRule(m), m, o)
	case !m.ID.IsZero():
		c.invalidRequest(m, o)
	default:
		Violation(faultRule(m), m, o)
		code := jsonrpc.CodeInvalidRequest
		if faultRule(m) == "JRPC-042" {
			code = jsonrpc.CodeParseError
		}
		c.answerUnreadable(code, o)
	}
}

// invalidRequest refuses a bad envelope under its id, unless that id is in flight:
// then the refusal would be taken for the answer to the first.
func (c *Core) invalidRequest(m *jsonrpc.Message, o *lifecycle.Output) {
	key := c.env.key(m.ID)
	// It is opened and answered in one step, so it has a Call, which a stream may belong to.
	if leaf := c.in.Get(key); leaf == nil || leaf.V.id != m.ID {
		c.open(key, o)
		ReplyError(m, protocol.InvalidRequest("invalid request"), o)
	}
	Violation(faultRule(m), m, o)
}

// invalidResponse never draws an answer: that could start a loop (ERR-011, JRPC-044).
func (c *Core) invalidResponse(m *jsonrpc.Message, in *Intake, o *lifecycle.Output) {
	Violation(faultRule(m), m, o)
	// Ids of ours are positive integers; nothing else can name a request.
	n, ok := m.ID.Int64()
	if !ok || n <= 0 {
		return
	}
	leaf := c.byWireID(uint64(n))
	if leaf == nil || leaf.V.asking() {
		return
	}
	// The client decides what becomes of the handshake.
	if isInitialize(leaf.V.row) || leaf.V.probes() {
		in.Verdict, in.Row = Handshake, leaf.V.row
		return
	}
	c.alive(&c.requests) // malformed, but a sign of life
	// The peer has answered, though nobody can say what: waiting on would only end in the
	// timeout.
	c.drop(leaf)
	c.fail(leaf, &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse, RPC: m.Err, Reason: faultText(m)}, o)
	c.settle(o)
}

// faultText says what is wrong with a response, and which limit it is over.
func faultText(m *jsonrpc.Message) string {
	if m.Limit() == 0 {
		return m.Fault.String()
	}
	return m.Fault.String() + ": more than " + strconv.Itoa(m.Limit()) + " bytes, the MaxBytes of the transport"
}

// answerUnreadable answers what has no usable id, if the policy asks for it.
func (c *Core) answerUnreadable(code int64, o *lifecycle.Output) {
	if !c.env.Policy.AnswerUnreadable {
		return
	}
	m := jsonrpc.Message{Kind: jsonrpc.KindError, Err: &jsonrpc.Error{Code: code, Message: "invalid request"}}
	if code == jsonrpc.CodeParseError {
		m.Err.Message = "parse error"
	}
	if c.prof.Revision.NullErrorID() {
		m.ID = jsonrpc.Null // newer revisions leave it out (JRPC-101)
	}
	o.Send = append(o.Send, lifecycle.Outgoing{Message: m, Direct: true})
}

// faultRule names the row that an invalid message breaks. Events name it, and docs/methods.md
// lists it: a peer that breaks several is told the first that was found.
func faultRule(m *jsonrpc.Message) string {
	switch m.Fault {
	case jsonrpc.FaultSyntax, jsonrpc.FaultUTF8, jsonrpc.FaultTrailing:
		return "JRPC-042"
	case jsonrpc.FaultSize, jsonrpc.FaultDepth:
		return "JRPC-046"
	case jsonrpc.FaultVersion:
		return "JRPC-002"
	case jsonrpc.FaultID:
		if m.Shape == jsonrpc.KindResult {
			return "JRPC-032"
		}
		return "JRPC-037"
	case jsonrpc.FaultNullID:
		return "JRPC-004"
	case jsonrpc.FaultMethod:
		return "JRPC-024"
	case jsonrpc.FaultParams:
		return "JRPC-027"
	case jsonrpc.FaultRepeated:
		return "JRPC-045"
	case jsonrpc.FaultMixed:
		return "JRPC-039"
	case jsonrpc.FaultBoth:
		return "JRPC-011"
	case jsonrpc.FaultResult:
		if m.Body == "" {
			return "JRPC-012"
		}
		return "JRPC-014"
	case jsonrpc.FaultError:
		return "JRPC-015"
	case jsonrpc.FaultBatch:
		return "JRPC-029"
	}
	return "JRPC-043"
}
