package model

import (
	"errors"
	"fmt"

	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Why is a cause: of an event, of the close action or of the end of a session.
type Why struct {
	Kind   lifecycle.CauseKind // what happened
	Reason string              // who caused it gave this; anyWords for words of the machine's own
	RPC    string              // the error of the peer, as failure writes it
	Local  bool                // it wraps the cause that the step handed in
	Said   bool                // it wraps an error that says what is wrong
}

// anyWords stands for words of the machine's own choice.
const anyWords = "*"

// whyOf reads a cause, as the one that is wanted would have it.
func whyOf(c *lifecycle.Cause, want Why) Why {
	if c == nil {
		return Why{}
	}
	w := Why{Kind: c.Kind, Reason: c.Reason, RPC: failure(c.RPC), Local: errors.Is(c.Err, ErrLocal)}
	w.Said = c.Err != nil && !w.Local && c.Err.Error() != ""
	if want.Reason == anyWords && w.Reason != "" {
		w.Reason = anyWords
	}
	return w
}

// failure writes out an error of the peer.
func failure(e *jsonrpc.Error) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%d %q %s", e.Code, e.Message, e.Data)
}

// malformed is the cause of a request whose answer is none.
func malformed(m *jsonrpc.Message) Why {
	return Why{Kind: lifecycle.CauseInvalidResponse, RPC: failure(m.Err), Reason: anyWords}
}

// described adds to the change of the phase that was just made what the peer said.
func (x *Expect) described(m *jsonrpc.Message, revision string) {
	ev := &x.Events[len(x.Events)-1]
	ev.Body, ev.Revision = string(m.Body), revision
}

// implementation reads clientInfo or serverInfo.
func implementation(v any) protocol.Implementation {
	o, _ := v.(map[string]any)
	text := func(name string) string { s, _ := o[name].(string); return s }
	return protocol.Implementation{Name: text("name"), Version: text("version"), Title: text("title")}
}

// fate returns what became of the message that was received.
func (n *Naive) fate(x *Expect) lifecycle.Fate {
	waits := false
	for _, seq := range x.Calls {
		waits = waits || n.call(lifecycle.MakeCall(nil, seq, 0)) >= 0
	}
	switch {
	case waits:
		return lifecycle.FateAccepted
	case x.answered:
		return lifecycle.FateAnswered
	case x.took:
		return lifecycle.FateAccepted
	}
	return lifecycle.FateRefused
}

// faultRows are the rows that a malformed message breaks (docs/methods.md, Input that is no
// valid message).
var faultRows = map[jsonrpc.Fault]string{
	jsonrpc.FaultSyntax: "JRPC-042", jsonrpc.FaultUTF8: "JRPC-042", jsonrpc.FaultTrailing: "JRPC-042",
	jsonrpc.FaultSize: "JRPC-046", jsonrpc.FaultDepth: "JRPC-046", jsonrpc.FaultNotObject: "JRPC-043",
	jsonrpc.FaultEmpty: "JRPC-043", jsonrpc.FaultBatch: "JRPC-029", jsonrpc.FaultBoth: "JRPC-011",
	jsonrpc.FaultResult: "JRPC-014", jsonrpc.FaultError: "JRPC-015", jsonrpc.FaultVersion: "JRPC-002",
	jsonrpc.FaultRepeated: "JRPC-045", jsonrpc.FaultMixed: "JRPC-039", jsonrpc.FaultParams: "JRPC-027",
	jsonrpc.FaultMethod: "JRPC-024", jsonrpc.FaultNullID: "JRPC-004", jsonrpc.FaultID: "JRPC-037",
}

// faultRow returns the row of faultRows, which has two cases that depend on more.
func faultRow(m *jsonrpc.Message) string {
	switch {
	case m.Fault == jsonrpc.FaultResult && m.Body == "":
		return "JRPC-012"
	case m.Fault == jsonrpc.FaultID && m.Shape == jsonrpc.KindResult:
		return "JRPC-032"
	}
	return faultRows[m.Fault]
}

// judgeRows are the rows that a result of the wrong shape breaks.
var judgeRows = map[string]string{
	"ping": "SCHEMA-021", "tools/list": "TOOL-003", "tools/call": "TOOL-014", "resources/list": "RES-003",
	"resources/templates/list": "RES-010", "resources/read": "RES-006", "resources/subscribe": "SCHEMA-021",
	"resources/unsubscribe": "SCHEMA-021", "prompts/list": "PROMPT-002", "prompts/get": "PROMPT-006",
	"server/discover": "DISC-002", "subscriptions/listen": "SUBS-014", "completion/complete": "COMPL-007", "logging/setLevel": "SCHEMA-021", "roots/list": "ROOT-003",
	"sampling/createMessage": "SAMP-008", "elicitation/create": "ELIC-011",
}
