package peerbugs_test

import (
	"fmt"
	"testing"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// sets are sets of supported revisions, newest first.
var sets = [][]protocol.Revision{
	protocol.Revisions(),
	{protocol.Revision20251125}, {protocol.Revision20250618}, {protocol.Revision20250326}, {protocol.Revision20241105},
	{protocol.Revision20251125, protocol.Revision20250618}, {protocol.Revision20250618, protocol.Revision20241105}, {protocol.Revision20250326, protocol.Revision20241105},
}

// strangers are versions that no side here supports.
var strangers = []string{"1999-01-01", "2025-11-24", "2026-07-28", "2099-01-01", "", "DRAFT-2025-v3", "2025-6-18", " 2025-06-18", "2025-06-18 ", "2025-06-18\\n"}

// Case 33: a server answers a supported version with that version, every other
// with the newest that it supports, and a missing one with -32602.
//
// rows: VERS-003 VERS-004 VERS-005 VERS-010 LIFE-004
func Test33ServerNegotiates(t *testing.T) {
	for _, set := range sets {
		fresh := verbs.NewServer(t, server.Config{Revisions: set})
		offers := map[string]protocol.Revision{}
		for _, name := range strangers {
			offers[name] = set[0]
		}
		for _, r := range protocol.Revisions() {
			offers[r.String()] = set[0]
		}
		for _, r := range set {
			offers[r.String()] = r
		}
		for offer, want := range offers {
			x, out := fresh.Receive(line("i", "initialize", fmt.Sprintf(`{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`, offer)))
			if outcome(out) != "result" || x.Phase() != lifecycle.Initializing {
				t.Fatalf("%v, offered %q: %s, %v", set, offer, outcome(out), x.Phase())
			}
			r, err := protocol.Decode[protocol.InitializeResult](out.Send[0].Message.Body)
			if err != nil || r.ProtocolVersion != want.String() || x.Revision() != want {
				t.Errorf("%v, offered %q: answered %q and speaks %v, want %v; %v", set, offer, r.ProtocolVersion, x.Revision(), want, err)
			}
		}
		for _, version := range []string{"null", "1", "20250618", "{}", `["2025-06-18"]`, "true"} {
			x, out := fresh.Receive(line("i", "initialize", fmt.Sprintf(`{"protocolVersion":%s,"capabilities":{},"clientInfo":{"name":"c","version":"1"}}`, version)))
			if outcome(out) != "-32602" || x.Phase() != lifecycle.Uninitialized {
				t.Errorf("%v, offered %s: %s, %v", set, version, outcome(out), x.Phase())
			}
		}
	}
}

// Case 33: a client offers the newest version that it supports, accepts any that it
// supports, and fails for every other answer without confirming it.
//
// rows: VERS-001 VERS-002 VERS-006 VERS-007 VERS-008 VERS-009
func Test33ClientChecksTheAnswer(t *testing.T) {
	const rest = `"capabilities":{},"serverInfo":{"name":"s","version":"1"}}`
	for _, set := range sets {
		x, out, err := verbs.NewClient(t, client.Config{Revisions: set}).Initialize()
		if err != nil {
			t.Fatal(err)
		}
		p, err := protocol.Decode[protocol.InitializeParams](out.Send[0].Message.Body)
		if err != nil || p.ProtocolVersion != set[0].String() {
			t.Errorf("%v: offers %q, %v", set, p.ProtocolVersion, err)
		}
		supported := map[string]bool{}
		for _, r := range set {
			supported[r.String()] = true
			y, out := x.Receive(x.Result(fmt.Sprintf(`{"protocolVersion":%q,`, r) + rest))
			if y.Phase() != lifecycle.Ready || y.Revision() != r || len(out.Send) != 1 || out.Send[0].Message.Method != "notifications/initialized" || out.Close != nil {
				t.Errorf("%v, answered %v: %v with %v, sent %q", set, r, y.Phase(), y.Revision(), verbs.Lines(out))
			}
		}
		answers := []string{"null", "1", "[]"}
		for _, name := range strangers {
			answers = append(answers, `"`+name+`"`)
		}
		for _, r := range protocol.Revisions() {
			if !supported[r.String()] {
				answers = append(answers, `"`+r.String()+`"`)
			}
		}
		for _, answer := range answers {
			y, out := x.Receive(x.Result(`{"protocolVersion":` + answer + `,` + rest))
			if y.Phase() != lifecycle.Failed || len(out.Send) != 0 || out.Close == nil || y.Status().Cause == nil || !y.Revision().IsZero() {
				t.Errorf("%v, answered %s: %v with %v, sent %q, close %v", set, answer, y.Phase(), y.Revision(), verbs.Lines(out), out.Close)
			}
			if answer[0] == '"' && out.Close != nil && out.Close.Kind != lifecycle.CauseUnsupportedRevision {
				t.Errorf("%v, answered %s: the cause is %v", set, answer, out.Close)
			}
			if _, _, err := y.Request(protocol.PingParams{}, lifecycle.RequestOptions{}); err == nil {
				t.Errorf("%v, answered %s: a ping was sent", set, answer)
			}
		}
	}
}
