package model

import (
	"errors"
	"fmt"
	"slices"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// wellFormed checks invariants of the text of every message.
func wellFormed(m *jsonrpc.Message) error {
	text := string(jsonrpc.Append(nil, *m))
	v, _ := parse(text)
	object, _ := v.(map[string]any)
	for _, check := range []func(string, map[string]any) error{grammar, oneOutcome, answers, noIDOnNotes, paramsObject, oneObject, cancelledID} {
		if err := check(text, object); err != nil {
			return err
		}
	}
	if _, isObject := object["result"].(map[string]any); m.Kind == jsonrpc.KindResult && !isObject {
		return errors.New("the result is no object")
	}
	return nil
}

// nobody reports whether a message is an error for unreadable input, which has the id
// null or, from 2025-11-25 on, none.
func nobody(m *jsonrpc.Message) bool {
	return m.Kind == jsonrpc.KindError && (m.ID == jsonrpc.Null || m.ID.IsZero())
}

// valid checks that a message satisfies the schema of the applicable revision, and that its
// party may send it. method is that of the answered request, "" if unknown.
// alone is for messages by the rules of requests without a session.
func valid(m *jsonrpc.Message, before, after verbs.Machine, method string, alone bool) error {
	rev := after.Revision()
	if rev.IsZero() {
		rev = before.Revision()
	}
	if rev.IsZero() {
		rev = protocol.Revisions()[0]
	}
	if alone {
		rev = protocol.StatelessRevisions()[0]
	}
	if m.Method != "" {
		method = m.Method
	}
	row := rev.Row(method)
	switch {
	case !protocol.Known(method):
		return nil
	case row == nil:
		return fmt.Errorf("%v does not have it", rev)
	case m.Kind == jsonrpc.KindResult && alone && str(string(m.Body), "resultType") == protocol.ResultInputRequired:
		_, _, err := row.ReadInput(m.Body)
		return err
	case m.Kind == jsonrpc.KindResult:
		return row.CheckResult(m.Body, jsonrpc.Span{})
	case m.Kind == jsonrpc.KindError:
		return nil
	case row.Notification != (m.Kind == jsonrpc.KindNotification) || !row.Receiver.Has(before.Party().Peer()):
		return errors.New("a message that the other side sends")
	}
	return row.CheckParams(m.Body, jsonrpc.Span{})
}

// parseErrors checks that -32700 is sent only for text that is not JSON.
func parseErrors(v *verbs.Verb, m *jsonrpc.Message) error {
	if m.Err == nil || m.Err.Code != jsonrpc.CodeParseError {
		return nil
	}
	switch v.Message.Fault {
	case jsonrpc.FaultSyntax, jsonrpc.FaultUTF8, jsonrpc.FaultTrailing:
		if v.Op == verbs.OpReceive && nobody(m) {
			return nil
		}
	}
	return errors.New("a parse error for what was read")
}

// accepted checks that a request gets its Call, unless its id is in flight.
func (l *Ledger) accepted(before verbs.Machine, v *verbs.Verb, out lifecycle.Output) error {
	if v.Op != verbs.OpReceive || !before.Phase().Live() || l.closed {
		return nil
	}
	m := v.Message
	if m.Kind != jsonrpc.KindRequest {
		return nil
	}
	inFlight := slices.ContainsFunc(out.Events, func(ev lifecycle.Event) bool { return ev.Rule == "JRPC-204" }) // of a server that may ask nothing
	for c := range before.Inbound() {
		inFlight = inFlight || c.ID == m.ID
	}
	if inFlight != out.Opened.IsZero() {
		return fmt.Errorf("in flight before: %v, opened: %v", inFlight, out.Opened)
	}
	return nil
}
