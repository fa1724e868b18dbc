package peerbugs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// Case 38: a ping is answered in its own step with nothing else in it, whatever is open.
//
// rows: PING-003
func Test38PingIsNeverHeldUp(t *testing.T) {
	for _, role := range roles {
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		for i := range 100 {
			x, _ = open(t, x, fmt.Sprint(i), fmt.Sprintf(`{"progressToken":%d}`, i))
			alive(t, x)
		}
		// Also before the handshake and while shutting down.
		for _, phase := range live {
			alive(t, at(full(t, role, lifecycle.Policy{}), phase))
		}
	}
}

// Case 38: open calls do not delay a notification, a response, a cancellation, or answers in another
// order.
//
// rows: CANC-008 ERR-013
func Test38NothingIsHeldUp(t *testing.T) {
	const many = 100
	for _, role := range roles {
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		var calls []lifecycle.Call
		for i := range many {
			var call lifecycle.Call
			x, call = open(t, x, fmt.Sprint(i), "{}")
			calls = append(calls, call)
		}
		// A request of ours within the first call is answered while all are open.
		r := requestTo(role.Peer())
		x, req := ask(x, r, lifecycle.RequestOptions{Within: calls[0]})
		x, out := x.Receive(x.Result(r.result))
		if silent(t, "the answer within a call", out, "response received"); out.Events[0].Req != req {
			t.Errorf("%v was answered, want %v", out.Events[0].Req, req)
		}
		note := map[protocol.Party]string{protocol.Server: "notifications/roots/list_changed", protocol.Client: "notifications/tools/list_changed"}[role]
		x, out = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, note))
		silent(t, note, out, "notification received")
		x, out = cancel(x, fmt.Sprint(many/2))
		if silent(t, "a cancellation", out, "request cancelled"); out.Events[0].Call != calls[many/2] {
			t.Errorf("%v was cancelled, want %v", out.Events[0].Call, calls[many/2])
		}
		if x.Status().Inbound != many-1 {
			t.Errorf("%d calls are open, want %d", x.Status().Inbound, many-1)
		}
		// The last one is answered first; nothing else moves.
		for i := many - 1; i >= 0; i-- {
			if i == many/2 {
				continue
			}
			var err error
			if x, out, err = finish(x, calls[i]); err != nil || len(out.Send) != 1 || out.Send[0].Message.ID != jsonrpc.Int(int64(i)) {
				t.Errorf("call %d: %v, sent %q", i, err, verbs.Lines(out))
			}
		}
	}
}

// Messages of a call are sent in the order of the application's verbs:
// progress and messages within it before its answer, and nothing after it. Progress
// increases, and each message names its own call.
//
// rows: PROG-008 PROG-013 PROG-014 PROG-023
func Test65ProgressBeforeResponse(t *testing.T) {
	ready := map[protocol.Party]verbs.Side{}
	for _, role := range roles {
		ready[role] = at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
	}
	rapid.Check(t, func(rt *rapid.T) {
		x := ready[rapid.SampledFrom(roles).Draw(rt, "role")]
		n := rapid.IntRange(1, 4).Draw(rt, "calls")
		calls := make([]lifecycle.Call, n)
		said, done, last := make([][]string, n), make([]bool, n), make([]float64, n)
		sent := map[lifecycle.Call][]string{}
		for i := range n {
			x, calls[i] = open(rt, x, fmt.Sprint(i), fmt.Sprintf(`{"progressToken":"t%d"}`, i))
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			i := rapid.IntRange(0, n-1).Draw(rt, "call")
			var out lifecycle.Output
			var err error
			good, what := !done[i], ""
			switch rapid.IntRange(0, 4).Draw(rt, "verb") {
			case 0, 1, 2:
				p := float64(rapid.IntRange(1, 6).Draw(rt, "progress"))
				good, what = good && p > last[i], fmt.Sprint("notifications/progress ", p)
				if x, out, err = x.Progress(calls[i], protocol.ProgressParams{Progress: p}); good {
					last[i] = p
				}
			case 3:
				r := requestTo(x.Role.Peer())
				what = r.name
				x, out, err = x.Request(protocol.RawRequest{Name: r.name, Body: jsonrpc.Raw(r.params)}, lifecycle.RequestOptions{Within: calls[i]})
			case 4:
				what = "answer"
				x, out, err = finish(x, calls[i])
				done[i] = true
			}
			if (err == nil) != good {
				rt.Fatalf("call %d, %s: %v", i, what, err)
			}
			if good {
				said[i] = append(said[i], what)
			}
			for _, o := range out.Send {
				text := o.Message.Method
				switch {
				case o.Final:
					text = "answer"
				case text == "notifications/progress":
					p, err := protocol.Decode[protocol.ProgressParams](o.Message.Body)
					if token, _ := p.ProgressToken.Str(); err != nil || token != fmt.Sprintf("t%d", i) {
						rt.Fatalf("call %d: sent %s", i, o.Message.Body)
					}
					text += fmt.Sprint(" ", p.Progress)
				}
				if o.Final || slices.Contains(said[i], text) { // whether there is more is not checked here
					sent[o.Call] = append(sent[o.Call], text)
				}
			}
		}
		for i, call := range calls {
			if got, want := strings.Join(sent[call], "; "), strings.Join(said[i], "; "); got != want {
				rt.Errorf("call %d: sent %s, want %s", i, got, want)
			}
		}
	})
}
