package peerbugs_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Case 54: a notification may have no params. If params are required it is reported
// and has no effect; nothing is answered, and null and {} count as absent.
func Test54NotificationsWithoutParams(t *testing.T) {
	lists := []string{"notifications/tools/list_changed", "notifications/resources/list_changed", "notifications/prompts/list_changed"}
	inEach(t, func(t *testing.T, x verbs.Side) {
		for _, n := range notifications {
			seen := ""
			for i, params := range []string{"", `,"params":null`, `,"params":{}`} {
				text := fmt.Sprintf(`{"jsonrpc":"2.0","method":%q%s}`, n, params)
				y, out := x.Receive(text)
				if len(out.Send) != 0 || out.Close != nil || i > 0 && reports(out) != seen {
					t.Errorf("%s: sent %q, events %s, without params %s", text, verbs.Lines(out), reports(out), seen)
				}
				seen = reports(out)
				if n != "notifications/initialized" && y.Status() != x.Status() {
					t.Errorf("%s: %+v became %+v", text, x.Status(), y.Status())
				}
				alive(t, y)
			}
			want := ""
			switch {
			case n == "notifications/cancelled":
				want = "violation CANC-018"
			case n == "notifications/progress":
				want = "violation PROG-006"
			case x.Phase() != lifecycle.Ready:
				continue // they must only not be answered
			case x.Role == protocol.Client && slices.Contains(lists, n), x.Role == protocol.Server && n == "notifications/roots/list_changed":
				want = "notification received"
			case x.Role == protocol.Client && (n == "notifications/message" || n == "notifications/resources/updated"):
				want = "violation ERR-005"
			default:
				continue
			}
			if seen != want {
				t.Errorf("%v, %s: events %s, want %s", x.Phase(), n, seen, want)
			}
		}
		if x.Role == protocol.Server && x.Phase() == lifecycle.Initializing {
			if y, _ := x.Receive(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); y.Phase() != lifecycle.Ready {
				t.Errorf("initialized without params leads to %v", y.Phase())
			}
		}
	})
}

// Case 55: progress is any number, and 3 and "3" are two tokens, in both directions.
func Test55ProgressIsANumber(t *testing.T) {
	ready := map[protocol.Party]verbs.Side{}
	for _, role := range roles {
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		// Ours: the application chose the tokens.
		r := requestTo(role.Peer())
		reqs := map[string]lifecycle.Req{}
		for _, token := range []string{"3", `"3"`} {
			params := strings.TrimSuffix(r.params, "}") + `,"_meta":{"progressToken":` + token + `}}`
			x, reqs[token] = ask(x, request{name: r.name, params: params}, lifecycle.RequestOptions{})
		}
		for token, req := range reqs {
			last := x
			for _, p := range []string{`"progress":-1e2`, `"progress":0.25,"total":1e2`, `"progress":0.2500000000000001`, `"progress":1E+3,"total":1000.0`, `"progress":9007199254740993`, `"progress":1e300`} {
				body := `{"progressToken":` + token + `,` + p + `}`
				text := `{"jsonrpc":"2.0","method":"notifications/progress","params":` + body + `}`
				var out lifecycle.Output
				last, out = last.Receive(text)
				silent(t, text, out, "progress received")
				if ev := out.Events[0]; ev.Req != req || string(ev.Body) != body {
					t.Errorf("%s: %v got %s, want %v", text, ev.Req, ev.Body, req)
				}
			}
		}
		// Theirs.
		x, number := open(t, x, "1", `{"progressToken":3}`)
		x, text := open(t, x, "2", `{"progressToken":"3"}`)
		for call, token := range map[lifecycle.Call]string{number: "3", text: `"3"`} {
			total := 1e2
			_, out, err := x.Progress(call, protocol.ProgressParams{Progress: 0.25, Total: &total})
			if want := `{"method":"notifications/progress","params":{"progressToken":` + token + `,"progress":0.25,"total":100}}`; err != nil || wire(out) != want {
				t.Errorf("%v, sent %s, want %s", err, wire(out), want)
			}
		}
		ready[role] = x
	}
	// Every finite number is received as it was sent.
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.Float64().Draw(rt, "progress")
		x := ready[protocol.Server]
		for c := range x.Inbound() {
			_, out, err := x.Progress(c.Call, protocol.ProgressParams{Progress: p})
			if math.IsInf(p, 0) || math.IsNaN(p) {
				if err == nil {
					rt.Errorf("%v went out as %s", p, wire(out))
				}
				continue
			}
			if err != nil {
				rt.Fatalf("%v: %v", p, err)
			}
			back, err := protocol.Decode[protocol.ProgressParams](out.Send[0].Message.Body)
			if err != nil || back.Progress != p {
				rt.Errorf("%v went out as %s, %v", p, wire(out), err)
			}
		}
	})
}

// Case 56: any integer is an id and is echoed unchanged, also in a cancellation. Our own are small and positive.
func Test56IDsOfAnySize(t *testing.T) {
	ids := []string{"-1", "4294967296", "-4294967296", "2147483648", "9007199254740993", "-9223372036854775808", "9223372036854775807", "18446744073709551615", "-123456789012345678901234567890"}
	for _, role := range roles {
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		calls := map[string]lifecycle.Call{}
		for _, id := range ids {
			_, out := x.Receive(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)
			if wire(out) != `{"id":`+id+`,"result":{}}` {
				t.Errorf("a ping under %s draws %s", id, wire(out))
			}
			_, out = x.Receive(`{"jsonrpc":"2.0","id":` + id + `,"method":"nope"}`)
			if !strings.HasPrefix(wire(out), `{"id":`+id+`,"error":{"code":-32601,`) {
				t.Errorf("a request under %s draws %s", id, wire(out))
			}
			x, calls[id] = open(t, x, id, "{}")
		}
		for _, id := range ids {
			y, out := cancel(x, id)
			if silent(t, id, out, "request cancelled"); out.Events[0].Call != calls[id] {
				t.Errorf("the cancellation of %s ends %v", id, out.Events[0].Call)
			}
			if _, _, err := finish(y, calls[id]); err == nil {
				t.Errorf("%s is answered after its cancellation", id)
			}
			_, out, err := finish(x, calls[id])
			if err != nil || !strings.HasPrefix(wire(out), `{"id":`+id+`,"result":`) {
				t.Errorf("%s is answered %s, %v", id, wire(out), err)
			}
		}
		// Our ids are 1, 2, …, whatever the peer's are.
		r := requestTo(role.Peer())
		next := 1
		if role == protocol.Client {
			next = 2 // initialize had the first
		}
		for i := range 5 {
			if x, _ = ask(x, r, lifecycle.RequestOptions{}); x.LastID() != fmt.Sprint(next+i) {
				t.Errorf("%v: our request has the id %s, want %d", role, x.LastID(), next+i)
			}
		}
	}
	for _, role := range roles {
		x := full(t, role, lifecycle.Policy{})
		if role == protocol.Client {
			if x, _, _ = x.Initialize(); x.LastID() != "1" {
				t.Errorf("initialize has the id %s", x.LastID())
			}
		}
	}
}

// levels are the log levels, least severe first.
var levels = []protocol.LoggingLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// logged are the sent levels.
func logged(t *testing.T, x verbs.Side) string {
	t.Helper()
	var list []string
	for _, l := range levels {
		_, out, err := x.Notify(protocol.LoggingMessageParams{Level: l, Data: `"x"`})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Send) == 1 {
			list = append(list, string(l))
		}
	}
	return strings.Join(list, " ")
}

func from(i int) string {
	var list []string
	for _, l := range levels[i:] {
		list = append(list, string(l))
	}
	return strings.Join(list, " ")
}

// Case 57: a level is one of eight, or -32602. The client's level applies from the next
// message on; before, the server's own default does.
func Test57LogLevels(t *testing.T) {
	fresh := at(full(t, protocol.Server, lifecycle.Policy{}), lifecycle.Ready)
	if got := logged(t, fresh); got != from(0) {
		t.Errorf("before a level is set: %s", got)
	}
	for i, l := range levels {
		x := verbs.NewServer(t, server.Config{Logging: true, LogLevel: l}).Open(spoken, "{}")
		if got := logged(t, x); got != from(i) {
			t.Errorf("with the default %s: %s", l, got)
		}
		x, out := fresh.Receive(line("a", "logging/setLevel", fmt.Sprintf(`{"level":%q}`, l)))
		if wire(out) != `{"id":"a","result":{}}` || logged(t, x) != from(i) {
			t.Errorf("%s: sent %s, then %s", l, wire(out), logged(t, x))
		}
		for _, bad := range []string{`"loud"`, `"Error"`, `"ERROR"`, `"warn"`, `"trace"`, `""`, `" info"`, `"info\u0000"`, `null`, `3`, `true`, `{}`, `["info"]`} {
			y, out := x.Receive(line("b", "logging/setLevel", `{"level":`+bad+`}`))
			if outcome(out) != "-32602" || logged(t, y) != from(i) {
				t.Errorf("%s: %s, then %s", bad, outcome(out), logged(t, y))
			}
		}
		y, _ := x.Receive(line("c", "logging/setLevel", `{"level":"debug"}`))
		if got := logged(t, y); got != from(0) {
			t.Errorf("from %s down to debug: %s", l, got)
		}
	}
}
