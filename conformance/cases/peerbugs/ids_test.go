package peerbugs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// spellings are ids; those in one row are equal.
var spellings = [][]string{
	{"7", "7.0", "7e0", "70e-1"}, {`"7"`, `"\u0037"`}, {"0", "-0", "0.0", "0e5"}, {`"0"`}, {`""`}, {`" "`}, {"-7"}, {`"-7"`},
	{"1e3", "1000"}, {`"1e3"`}, {"9007199254740992"}, {"9007199254740993"}, {"9223372036854775807"}, {"9223372036854775808", "9223372036854775808.0"},
	{"1e30", "1000000000000000000000000000000"}, {`"1e30"`}, {`"a\u0000b"`}, {`"ab"`}, {`"null"`}, {`"\ud83d\ude00"`, `"😀"`},
}

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// open lets the peer send a request for the application.
func open(t failer, x verbs.Side, id, meta string) (verbs.Side, lifecycle.Call) {
	t.Helper()
	r := requestTo(x.Role)
	params := strings.TrimSuffix(r.params, "}") + `,"_meta":` + meta + `}`
	x, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, r.name, params))
	if outcome(out) != "dispatched" {
		t.Fatalf("a request with the id %s: %s", id, outcome(out))
	}
	return x, out.Opened
}

func cancel(x verbs.Side, id string) (verbs.Side, lifecycle.Output) {
	return x.Receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
}

// finish answers the call with a valid result.
func finish(x verbs.Side, call lifecycle.Call) (verbs.Side, lifecycle.Output, error) {
	return x.Respond(call, protocol.Raw(requestTo(x.Role).result))
}

// Case 5: ids are equal by value and type, in flight and in
// cancellations, and are echoed unchanged.
//
// rows: JRPC-007 JRPC-008 JRPC-034 JRPC-035 JRPC-036 CANC-019
func Test05IDsOfTwoTypes(t *testing.T) {
	ready := map[protocol.Party]verbs.Side{}
	for _, role := range roles {
		ready[role] = at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
	}
	rapid.Check(t, func(rt *rapid.T) {
		role := rapid.SampledFrom(roles).Draw(rt, "role")
		i, j := rapid.IntRange(0, len(spellings)-1).Draw(rt, "i"), rapid.IntRange(0, len(spellings)-1).Draw(rt, "j")
		a, b := rapid.SampledFrom(spellings[i]).Draw(rt, "a"), rapid.SampledFrom(spellings[j]).Draw(rt, "b")
		x, first := open(rt, ready[role], a, "{}")

		// While a is in flight, b is in flight exactly if it is equal.
		_, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, b))
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, b); i == j && reports(out) != "violation JRPC-034" ||
			i != j && strings.Join(verbs.Lines(out), "\n") != want {
			rt.Errorf("with %s in flight a ping %s: sent %q, events %s", a, b, verbs.Lines(out), reports(out))
		}
		// A cancellation of b cancels a exactly if they are equal.
		y, out := cancel(x, b)
		if want := "ignored CANC-010"; i == j && reports(out) != "request cancelled" || i != j && reports(out) != want || len(out.Send) != 0 {
			rt.Errorf("with %s in flight the cancellation of %s: sent %q, events %s", a, b, verbs.Lines(out), reports(out))
		}
		_, out, err := finish(y, first)
		if i == j && !errors.Is(err, lifecycle.ErrGone) || i != j && err != nil {
			rt.Errorf("after the cancellation of %s the answer to %s: %v", b, a, err)
		}
		// The answer has a unchanged.
		_, out, err = finish(x, first)
		if want := `{"jsonrpc":"2.0","id":` + a + `,`; err != nil || len(out.Send) != 1 || !strings.HasPrefix(verbs.Lines(out)[0], want) {
			rt.Errorf("the answer to %s: sent %q, %v", a, verbs.Lines(out), err)
		}
	})
}

// Case 5 for our requests: an answer or progress with "2" is not for 2.
//
// rows: JRPC-007 JRPC-035 PROG-026
func Test05AnswersOfTwoTypes(t *testing.T) {
	for _, role := range roles {
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		x, req := ask(x, requestTo(role.Peer()), lifecycle.RequestOptions{Progress: true})
		id := x.LastID()
		result := requestTo(role.Peer()).result
		for _, c := range []struct{ line, want string }{
			{`{"jsonrpc":"2.0","id":"` + id + `","result":` + result + `}`, "violation JRPC-031"},
			{`{"jsonrpc":"2.0","id":"` + id + `","error":{"code":1,"message":"m"}}`, "violation JRPC-031"},
			{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"` + id + `","progress":1}}`, "ignored PROG-021"},
			{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + id + `.0,"progress":1}}`, "progress received"},
			{`{"jsonrpc":"2.0","id":` + id + `.0,"result":` + result + `}`, "response received"},
			{`{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`, "ignored JRPC-033"},
		} {
			var out lifecycle.Output
			x, out = x.Receive(c.line)
			silent(t, fmt.Sprintf("%v, %s", role, c.line), out, c.want)
			for _, ev := range out.Events {
				if (ev.Kind == lifecycle.ProgressReceived || ev.Kind == lifecycle.ResponseReceived) && ev.Req != req {
					t.Errorf("%v, %s: for %v, want %v", role, c.line, ev.Req, req)
				}
			}
		}
	}
}

// Case 34: values that are false in other languages are ids, tokens and answers like any
// others.
//
// rows: CANC-020 JRPC-008 PROG-007 JRPC-003
func Test34FalsyIDs(t *testing.T) {
	for _, role := range roles {
		for _, id := range []string{"0", `""`, "-0", "0.0"} {
			t.Run(role.String()+"/"+id, func(t *testing.T) {
				x, call := open(t, at(full(t, role, lifecycle.Policy{}), lifecycle.Ready), id, `{"progressToken":`+id+`}`)
				if x.Status().Inbound != 1 {
					t.Fatalf("%d requests in flight, want 1", x.Status().Inbound)
				}
				_, out := cancel(x, id)
				silent(t, "cancelled", out, "request cancelled")
				if out.Events[0].Call != call {
					t.Errorf("cancelled %v, want %v", out.Events[0].Call, call)
				}
				y, out, err := x.Progress(call, protocol.ProgressParams{Progress: 0})
				token := strings.Replace(strings.TrimSuffix(id, ".0"), "-", "", 1) // progress is a message of its own
				if want := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,"progress":0}}`; err != nil || strings.Join(verbs.Lines(out), "\n") != want {
					t.Errorf("progress: %q, %v, want %q", verbs.Lines(out), err, want)
				}
				_, out, err = y.Fail(call, protocol.InvalidParams("no"))
				if want := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32602,"message":"no"}}`; err != nil || strings.Join(verbs.Lines(out), "\n") != want {
					t.Errorf("failed: %q, %v, want %q", verbs.Lines(out), err, want)
				}
				_, out, err = finish(y, call)
				if err != nil || len(out.Send) != 1 || !strings.HasPrefix(verbs.Lines(out)[0], `{"jsonrpc":"2.0","id":`+id+`,"result":`) {
					t.Errorf("answered: %q, %v", verbs.Lines(out), err)
				}
			})
		}
		// Our ids begin at a number that is none of these, and every request has an id.
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Uninitialized)
		if role == protocol.Client {
			_, out, err := x.Initialize()
			if err != nil || !strings.HasPrefix(verbs.Lines(out)[0], `{"jsonrpc":"2.0","id":1,`) {
				t.Errorf("the first request is %q, %v", verbs.Lines(out), err)
			}
		}
		// A stray answer to a falsy id matches nothing.
		x = at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		x, _ = ask(x, requestTo(role.Peer()), lifecycle.RequestOptions{Timeout: time.Hour})
		for _, id := range []string{"0", `""`, "-1"} {
			_, out := x.Receive(`{"jsonrpc":"2.0","id":` + id + `,"result":{}}`)
			silent(t, "a result for "+id, out, "violation JRPC-031")
		}
	}
}
