package rows_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

var (
	spoken = protocol.Revision20250618 // see everywhere
	roles  = []protocol.Party{protocol.Server, protocol.Client}
	errEOF = errors.New("the pipe is closed")
)

const (
	allOfServer = `{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"completions":{},"logging":{}}`
	allOfClient = `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`
	listChanges = protocol.CapToolsListChanged | protocol.CapResourcesListChanged | protocol.CapPromptsListChanged
)

// everywhere runs tests in each revision, as the spoken one.
func everywhere(t *testing.T, tests func(t *testing.T)) {
	usual := spoken
	defer func() { spoken = usual }()
	for _, spoken = range protocol.Revisions() {
		t.Run(spoken.String(), tests)
	}
}

// another is a revision other than the spoken one.
func another() protocol.Revision {
	if spoken == protocol.Revision20241105 {
		return protocol.Revision20250618
	}
	return protocol.Revision20241105
}

// elicitation is a server's request from 2025-06-18 on.
var elicitation = protocol.RawRequest{Name: "elicitation/create", Body: `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`}

func elicits() bool {
	return spoken != protocol.Revision20241105 && spoken != protocol.Revision20250326
}

// completes reports whether completion/complete needs a capability, as from 2025-03-26 on.
func completes() bool { return spoken != protocol.Revision20241105 }

// featuresOf returns the requests that a party answers for a capability in the spoken
// revision, with params.
func featuresOf(party protocol.Party) []protocol.RawRequest { return featuresAt(spoken, party) }

func featuresAt(r protocol.Revision, party protocol.Party) (list []protocol.RawRequest) {
	methods, _ := verbs.Methods(r)
	for _, m := range methods {
		if m.Request && m.Sender == party.Peer() && m.Name != "initialize" {
			list = append(list, protocol.RawRequest{Name: m.Name, Body: jsonrpc.Raw(m.Params)})
		}
	}
	return list
}

// allFeatures are those of all revisions.
func allFeatures(party protocol.Party) []protocol.RawRequest {
	return featuresAt(protocol.Revisions()[0], party)
}

func names(list []protocol.RawRequest) (out []string) {
	for _, r := range list {
		out = append(out, r.Name)
	}
	return out
}

// full is a side that offers everything, answered by the application.
func full(t testing.TB, role protocol.Party) verbs.Side {
	if role == protocol.Server {
		return fullServer(t, lifecycle.Policy{})
	}
	return verbs.NewClient(t, client.Config{Serve: names(allFeatures(role)), RootsListChanged: true})
}

func fullServer(t testing.TB, policy lifecycle.Policy) verbs.Side {
	return verbs.NewServer(t, server.Config{
		Serve: names(allFeatures(protocol.Server)), ListChanged: listChanges, Logging: true, ChangeDelay: -1, Policy: policy,
	})
}

// fullPeer are the capabilities of a peer of the role that offers everything.
func fullPeer(role protocol.Party) string {
	if role == protocol.Server {
		return allOfClient
	}
	return allOfServer
}

// at brings x into a live phase with a peer that offers everything. While shutting down, one
// request of the peer, with the id "held", keeps the session open.
func at(x verbs.Side, phase lifecycle.Phase) verbs.Side {
	x.T.Helper()
	if phase == lifecycle.Uninitialized {
		return x
	}
	if phase == lifecycle.Initializing {
		x, _ = x.Begin(spoken, fullPeer(x.Role))
		return x
	}
	x = x.Open(spoken, fullPeer(x.Role))
	if phase == lifecycle.ShuttingDown {
		x, _ = hold(x)
		x, _ = x.Shutdown(1 << 40)
	}
	if x.Phase() != phase {
		x.T.Fatalf("in %v, want %v", x.Phase(), phase)
	}
	return x
}

// hold opens a request of the peer that the application answers.
func hold(x verbs.Side) (verbs.Side, lifecycle.Call) {
	x.T.Helper()
	x, out := x.Receive(ask("held", featuresOf(x.Role)[1]))
	if len(verbs.Events(out, lifecycle.RequestReceived)) != 1 {
		x.T.Fatalf("not dispatched: %q", verbs.Lines(out))
	}
	return x, out.Opened
}

// send makes a request of ours.
func send(x verbs.Side, r protocol.RawRequest) (verbs.Side, lifecycle.Req) {
	x.T.Helper()
	x, out, err := x.Request(r, lifecycle.RequestOptions{})
	if err != nil {
		x.T.Fatal(err)
	}
	return x, out.Req
}

func ask(id string, r protocol.RawRequest) string {
	return string(jsonrpc.Append(nil, jsonrpc.Message{Kind: jsonrpc.KindRequest, ID: jsonrpc.String(id), Method: r.Name, Body: r.Body}))
}

// sent compares the sent messages. A line is written without "jsonrpc":"2.0".
func sent(t testing.TB, out lifecycle.Output, want ...string) {
	t.Helper()
	got := verbs.Lines(out)
	for i := range got {
		got[i] = strings.Replace(got[i], `"jsonrpc":"2.0",`, "", 1)
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("sent (-want +got)\n%s", diff)
	}
}

// refused expects one error with the code as the whole answer, and nothing dispatched.
func refused(t testing.TB, out lifecycle.Output, code int64) *jsonrpc.Error {
	t.Helper()
	if len(out.Send) != 1 || out.Send[0].Message.Err == nil || out.Send[0].Message.Err.Code != code {
		t.Errorf("sent %q, want one error %d", verbs.Lines(out), code)
		return &jsonrpc.Error{}
	}
	if len(verbs.Events(out, lifecycle.RequestReceived)) != 0 {
		t.Error("dispatched all the same")
	}
	return out.Send[0].Message.Err
}

// quiet expects that nothing is sent.
func quiet(t testing.TB, out lifecycle.Output) {
	t.Helper()
	if len(out.Send) != 0 || out.Close != nil {
		t.Errorf("sent %q, close %v", verbs.Lines(out), out.Close)
	}
}

// in expects the phase.
func in(t testing.TB, x verbs.Side, phase lifecycle.Phase) {
	t.Helper()
	if x.Phase() != phase {
		t.Errorf("in %v, want %v", x.Phase(), phase)
	}
}

// fails expects an error of the kind.
func fails(t testing.TB, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error %v, want %v", err, kind)
	}
}

// events expects these kinds of events, each with its rule if it has one.
func events(t testing.TB, out lifecycle.Output, want ...string) {
	t.Helper()
	got := []string{}
	for _, ev := range out.Events {
		got = append(got, strings.TrimSpace(ev.Kind.String()+" "+ev.Rule))
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
}

// closes expects a close action with the cause.
func closes(t testing.TB, out lifecycle.Output, kind lifecycle.CauseKind) {
	t.Helper()
	if out.Close == nil || out.Close.Kind != kind {
		t.Errorf("close action %v, want %v", out.Close, kind)
	}
}

// each runs f for both roles, on a side that offers everything.
func each(t *testing.T, f func(t *testing.T, x verbs.Side)) {
	for _, role := range roles {
		t.Run(role.String(), func(t *testing.T) { f(t, full(t, role)) })
	}
}

func idOf(r lifecycle.Req) string { return fmt.Sprint(r.Seq()) }

// line returns the one sent message.
func line(t testing.TB, out lifecycle.Output) string {
	t.Helper()
	lines := verbs.Lines(out)
	if len(lines) != 1 {
		t.Fatalf("sent %q, want one message", lines)
	}
	return lines[0]
}
