package peerbugs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Case 27: before the handshake a server answers every request except ping and initialize
// with -32600 and runs none; the handshake then proceeds as usual.
func Test27NothingIsServedBeforeTheHandshake(t *testing.T) {
	x := full(t, protocol.Server, lifecycle.Policy{})
	fresh := x
	for i, r := range requestsTo[protocol.Server] {
		for _, id := range []string{"1", `"a"`, fmt.Sprint(i)} {
			var out lifecycle.Output
			x, out = x.Receive(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + r.name + `","params":` + r.params + `}`)
			if outcome(out) != "-32600" || reports(out) != "violation LIFE-001" || x.Status() != fresh.Status() {
				t.Errorf("%s: %s, events %s, %+v", r.name, outcome(out), reports(out), x.Status())
			}
		}
	}
	x = x.Open(spoken, allOfClient)
	if x, out := x.Receive(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`); outcome(out) != "dispatched" || x.Status().Inbound != 1 {
		t.Errorf("afterwards: %s", outcome(out))
	}
	// Forwarded methods are not served either.
	y := verbs.NewServer(t, server.Config{Serve: []string{"tools/call", "x/own"}, ServeUnknown: true})
	for _, name := range []string{"x/own", "x/other", "tools/call"} {
		if _, out := y.Receive(line("a", name, `{"name":"t"}`)); outcome(out) != "-32600" {
			t.Errorf("%s: %s", name, outcome(out))
		}
	}
}

// Case 28: a ping is answered and can be sent in every phase of the handshake, both ways,
// and delays nothing.
func Test28PingsDuringTheHandshake(t *testing.T) {
	s, c := full(t, protocol.Server, lifecycle.Policy{}), full(t, protocol.Client, lifecycle.Policy{})
	both := func(when string) {
		t.Helper()
		for _, x := range []*verbs.Side{&s, &c} {
			for _, params := range []string{"", "null", "{}", `{"_meta":{"progressToken":1}}`} {
				var out lifecycle.Output
				if *x, out = x.Receive(line("p", "ping", params)); wire(out) != `{"id":"p","result":{}}` || len(out.Events) != 0 {
					t.Errorf("%s, the %v: sent %s, events %s", when, x.Role, wire(out), reports(out))
				}
			}
		}
	}
	both("before")
	c, hello, err := c.Initialize()
	if err != nil {
		t.Fatal(err)
	}
	both("initialize is on its way")
	s, answer := s.Receive(verbs.Lines(hello)[0])
	both("the result is on its way")
	// Both sides ping and get their answer before the handshake ends.
	for _, x := range []*verbs.Side{&s, &c} {
		y, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
		if err != nil {
			t.Fatal(x.Role, err)
		}
		id := string(out.Send[0].Message.ID.Append(nil))
		y, out = y.Receive(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
		silent(t, "pong", out, "response received")
		*x = y
	}
	c, done := c.Receive(verbs.Lines(answer)[0])
	both("initialized is on its way")
	s, _ = s.Receive(verbs.Lines(done)[0])
	both("afterwards")
	if s.Phase() != lifecycle.Ready || c.Phase() != lifecycle.Ready {
		t.Errorf("the server is %v, the client %v", s.Phase(), c.Phase())
	}
}

// Case 29: a request that overtakes notifications/initialized is served, or refused if
// the policy says so; either way the session continues.
func Test29RequestsBeforeInitialized(t *testing.T) {
	for _, strict := range []bool{false, true} {
		x := at(full(t, protocol.Server, lifecycle.Policy{StrictInitialized: strict}), lifecycle.Initializing)
		var held []lifecycle.Call
		for i, r := range requestsTo[protocol.Server] {
			want := map[bool]string{true: "dispatched", false: "result"}[r.app]
			if strict {
				want = "-32600"
			}
			var out lifecycle.Output
			if x, out = x.Receive(line(fmt.Sprint(i), r.name, r.params)); outcome(out) != want || x.Phase() != lifecycle.Initializing || out.Close != nil {
				t.Errorf("strict %v, %s: %s, want %s; %v", strict, r.name, outcome(out), want, x.Phase())
			}
			if outcome(out) == "dispatched" {
				held = append(held, out.Opened)
			}
		}
		x, out := x.Receive(verbs.Initialized)
		if x.Phase() != lifecycle.Ready || len(out.Send) != 0 || x.Status().Inbound != len(held) {
			t.Errorf("strict %v: %v, sent %q, %d open", strict, x.Phase(), verbs.Lines(out), x.Status().Inbound)
		}
		for _, call := range held { // calls opened before are answered after
			var err error
			if x, out, err = x.Fail(call, jsonrpc.Error{Code: 1, Message: "m"}); err != nil || len(out.Send) != 1 {
				t.Errorf("strict %v: %v, sent %q", strict, err, verbs.Lines(out))
			}
		}
	}
}

// Case 30: whatever precedes the answer to initialize, the client waits for it and
// becomes ready. A request of the server except ping is refused.
func Test30EarlyMessagesToAClient(t *testing.T) {
	x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Initializing)
	early := []string{
		`{"jsonrpc":"2.0","method":"window/logMessage","params":{}}`, `{"jsonrpc":"2.0","method":"window/logMessage","params":[]}`,
		`{"jsonrpc":"2.0","method":"$/progress"}`, `{"jsonrpc":"2.0","id":"x","method":"window/workDoneProgress/create","params":{"token":1}}`,
	}
	for _, n := range notifications {
		for _, params := range paramsOf {
			if params != "" {
				params = `,"params":` + params
			}
			early = append(early, fmt.Sprintf(`{"jsonrpc":"2.0","method":%q%s}`, n, params))
		}
	}
	for _, r := range requestsTo[protocol.Client] {
		for _, params := range []string{r.params, "", "[]"} {
			text := line("early", r.name, params)
			early = append(early, text)
			if _, out := x.Receive(text); outcome(out) != "-32600" || reports(out) != "violation LIFE-039" {
				t.Errorf("%s: %s, events %s", text, outcome(out), reports(out))
			}
		}
	}
	for _, id := range []string{"99", `"1"`, "0", "null"} {
		early = append(early, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":1,"message":"m"}}`)
	}
	all := x
	for _, text := range early {
		y, out := x.Receive(text)
		if y.Phase() != lifecycle.Initializing || out.Close != nil || y.Status().Outbound != 1 {
			t.Errorf("%s: %v, close %v", text, y.Phase(), out.Close)
		}
		if strings.Contains(text, `"method":"notifications/`) && len(out.Send) != 0 {
			t.Errorf("%s: sent %q", text, verbs.Lines(out))
		}
		if y, out = y.Finish(spoken, allOfServer); y.Phase() != lifecycle.Ready || len(out.Send) != 1 {
			t.Errorf("%s: the handshake ends in %v, sent %q", text, y.Phase(), verbs.Lines(out))
		}
		all, _ = all.Receive(text)
	}
	if all, _ = all.Finish(spoken, allOfServer); all.Phase() != lifecycle.Ready {
		t.Errorf("after all of them the handshake ends in %v", all.Phase())
	}
}

// Case 32: a session has one initialize. A second one is always refused, a second
// notifications/initialized is reported, and neither changes what was negotiated or is open.
func Test32InitializeTwice(t *testing.T) {
	for _, phase := range []lifecycle.Phase{lifecycle.Initializing, lifecycle.Ready, lifecycle.ShuttingDown} {
		x := at(full(t, protocol.Server, lifecycle.Policy{}), phase)
		for _, params := range []string{
			`{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"y","version":"1"}}`, goodInitialize, "", "null", "{}", "[]", `{"protocolVersion":1}`,
		} {
			y, out := x.Receive(`{"jsonrpc":"2.0","id":9,"method":"initialize"` + map[bool]string{false: `,"params":` + params}[params == ""] + `}`)
			if outcome(out) != "-32600" || reports(out) != "violation LIFE-015" {
				t.Errorf("%v, %s: %s, events %s", phase, params, outcome(out), reports(out))
			}
			if y.Status() != x.Status() || string(y.Peer().AppendJSON(nil)) != string(x.Peer().AppendJSON(nil)) || y.PeerCapabilities() != x.PeerCapabilities() || y.Revision() != spoken {
				t.Errorf("%v, %s: %+v, %v, %v", phase, params, y.Status(), y.Peer(), y.PeerCapabilities())
			}
			alive(t, y)
		}
		if phase == lifecycle.Initializing {
			continue
		}
		y, out := x.Receive(verbs.Initialized)
		want := map[lifecycle.Phase]string{lifecycle.Ready: "violation LIFE-014", lifecycle.ShuttingDown: "ignored LIFE-043"}[phase]
		if silent(t, phase.String(), out, want); y.Status() != x.Status() {
			t.Errorf("%v: %+v became %+v", phase, x.Status(), y.Status())
		}
	}
}
