package gating_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// request is a request with any number of faults at once: one value of each dimension.
type request struct {
	phase    string // open, fresh, leaving, over; begun where requests are refused then
	envelope string // good, version, params
	id       string // new, in flight
	method   string // good, unknown, wrong direction, notification
	gate     string // declared, undeclared
	limit    string // room, full, rate
	params   string // good, bad
}

var dimensions = [7][]string{
	{"open", "fresh", "begun", "leaving", "over"},
	{"good", "version", "params"},
	{"new", "in flight"},
	{"good", "unknown", "wrong direction", "notification"},
	{"declared", "undeclared"},
	{"room", "full", "rate"},
	{"good", "bad"},
}

// want states the answer: the first check that fails decides (methods.md, order of
// checks; ERR-012). "" means no answer.
func (q request) want() string {
	switch {
	case q.phase == "over":
		return ""
	case q.id == "in flight": // before the envelope: any answer would be the first one's
		return ""
	case q.envelope != "good":
		return "-32600"
	case q.method != "good":
		return "-32601"
	case q.phase == "leaving":
		return "-32603"
	case q.phase != "open":
		return "-32600"
	case q.gate == "undeclared":
		return "-32601 capability"
	case q.limit != "room":
		return "-32603"
	case q.params == "bad":
		return "-32602"
	}
	return "answered"
}

// blamed: a request for something that only others know, or a late one, is not a violation.
func (q request) blamed() bool {
	switch {
	case q.phase == "over", q.want() == "answered":
		return false
	case q.id == "in flight" || q.envelope != "good":
		return true
	case q.method != "good":
		return q.method != "unknown"
	}
	return q.phase != "leaving"
}

// possible: before the handshake nothing can be in flight, or use up a limit.
func (q request) possible() bool {
	early := q.phase == "fresh" || q.phase == "begun"
	return !early || q.id == "new" && q.limit == "room"
}

// text is the request. Its method needs a capability that busy does not need.
func (q request) text(role protocol.Party) string {
	version, id, method, params := "2.0", `"q"`, "prompts/get", `{"name":"p"}`
	if role == protocol.Client {
		method, params = "roots/list", `{}`
	}
	if q.params == "bad" {
		params = `{"name":1,"_meta":7}`
	}
	switch q.envelope {
	case "version":
		version = "1.0"
	case "params":
		params = `"x"`
	}
	if q.id == "in flight" {
		id = `"busy"`
	}
	switch q.method {
	case "unknown":
		method = "foo/bar"
	case "notification":
		method = "notifications/message"
	case "wrong direction":
		method = map[protocol.Party]string{protocol.Server: "roots/list", protocol.Client: "tools/call"}[role]
	}
	return fmt.Sprintf(`{"jsonrpc":%q,"id":%s,"method":%q,"params":%s}`, version, id, method, params)
}

// side returns a session in the situation of the request.
func (q request) side(t *testing.T, role protocol.Party, r protocol.Revision) verbs.Side {
	var limits lifecycle.Limits
	switch q.limit {
	case "full":
		limits.Inbound = 1
	case "rate":
		limits.Requests = lifecycle.Rate{PerSecond: 0.001, Burst: 1}
	}
	busy, gated := "tools/call", "prompts/get"
	if role == protocol.Client {
		busy, gated = "sampling/createMessage", "roots/list"
	}
	serve := []string{busy, gated}
	if q.gate == "undeclared" {
		serve = serve[:1]
	}
	var x verbs.Side
	if role == protocol.Server {
		x = verbs.NewServer(t, server.Config{
			Serve: serve, Limits: limits, Policy: lifecycle.Policy{StrictInitialized: true},
		})
	} else {
		x = verbs.NewClient(t, client.Config{Serve: serve, Limits: limits})
	}
	switch q.phase {
	case "fresh":
		return x
	case "begun":
		x, _ = x.Begin(r, "{}")
		return x
	}
	x = x.Open(r, "{}")
	if q.id == "in flight" || q.limit != "room" || q.phase == "leaving" {
		params := `{"name":"t"}`
		if role == protocol.Client {
			params = `{"messages":[],"maxTokens":1}`
		}
		var out lifecycle.Output
		if x, out = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":"busy","method":%q,"params":%s}`, busy, params)); len(out.Send) > 0 {
			t.Fatalf("busy was answered %q", verbs.Lines(out))
		}
	}
	switch q.phase {
	case "leaving":
		x, _ = x.Shutdown(time.Hour)
	case "over":
		x, _ = x.Disconnected(nil)
	}
	return x
}

// Every combination of faults, not only every pair, gets the answer that the order of
// checks defines, and open requests stay open.
//
// rows: ERR-012
func TestOrderOfChecks(t *testing.T) {
	for _, role := range []protocol.Party{protocol.Server, protocol.Client} {
		for _, r := range protocol.Revisions() {
			n := 0
			for pick := [7]int{}; ; {
				q := request{}
				for i, f := range []*string{&q.phase, &q.envelope, &q.id, &q.method, &q.gate, &q.limit, &q.params} {
					*f = dimensions[i][pick[i]]
				}
				if q.possible() {
					n++
					q.check(t, role, r)
				}
				i := 0
				for ; i < len(pick); i++ {
					if pick[i]++; pick[i] < len(dimensions[i]) {
						break
					}
					pick[i] = 0
				}
				if i == len(pick) {
					break
				}
			}
			if n != 3*3*2*4*2*3*2+2*3*1*4*2*1*2 {
				t.Errorf("%d combinations", n)
			}
		}
	}
}

func (q request) check(t *testing.T, role protocol.Party, r protocol.Revision) {
	t.Helper()
	x := q.side(t, role, r)
	before := x.Status()
	next, out := x.Receive(q.text(role))
	got := ""
	if len(out.Send)+len(verbs.Events(out, lifecycle.RequestReceived)) > 0 {
		got = outcome(t, out)
	}
	if want := q.want(); got != want {
		t.Errorf("%v, %v, %+v: %q, want %q", role, r, q, got, want)
	}
	opened := len(verbs.Events(out, lifecycle.RequestReceived))
	if after := next.Status(); after.Phase != before.Phase || after.Inbound != before.Inbound+opened || after.Outbound != before.Outbound {
		t.Errorf("%v, %v, %+v: %+v became %+v", role, r, q, before, after)
	}
	if n := len(verbs.Events(out, lifecycle.Violation)); (n == 1) != q.blamed() || n > 1 {
		t.Errorf("%v, %v, %+v: events %s", role, r, q, verbs.Kinds(out))
	}
}

// Exceptions from the order: a ping is answered before the phase and the limits
// are checked, and a repeated initialize has its own answer.
func TestOutsideTheOrder(t *testing.T) {
	for _, role := range []protocol.Party{protocol.Server, protocol.Client} {
		for _, phase := range []string{"fresh", "begun", "open", "leaving"} {
			for _, limit := range []string{"room", "full", "rate"} {
				q := request{phase: phase, id: "new", method: "good", gate: "undeclared", limit: limit}
				if !q.possible() {
					continue
				}
				x := q.side(t, role, protocol.Revision20250618)
				ask := func(method, params, want string) {
					t.Helper()
					_, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q","method":%q,"params":%s}`, method, params))
					if got := outcome(t, out); got != want {
						t.Errorf("%v, %+v: %s %s is %s, want %s", role, q, method, params, got, want)
					}
				}
				ask("ping", `{"x":1}`, "answered")
				ask("ping", `{"_meta":1}`, "-32602")
				again := "-32600"
				if role == protocol.Client {
					again = "-32601"
				}
				if phase == "fresh" && role == protocol.Server {
					again = "-32602"
				}
				ask("initialize", `{}`, again)
			}
		}
	}
}
