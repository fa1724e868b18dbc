package peerbugs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// malformed are invalid answers to %s.
var malformed = []string{
	`{"jsonrpc":"2.0","id":%s}`,
	`{"id":%s,"result":{}}`,
	`{"jsonrpc":"2.0","id":%s,"result":null}`,
	`{"jsonrpc":"2.0","id":%s,"result":[]}`,
	`{"jsonrpc":"2.0","id":%s,"result":"ok"}`,
	`{"jsonrpc":"2.0","id":%s,"result":{},"result":{}}`,
	`{"jsonrpc":"2.0","id":%s,"error":"boom"}`,
	`{"jsonrpc":"2.0","id":%s,"error":null}`,
	`{"jsonrpc":"2.0","id":%s,"error":[]}`,
	`{"jsonrpc":"2.0","id":%s,"error":{}}`,
	`{"jsonrpc":"2.0","id":%s,"error":{"code":1}}`,
	`{"jsonrpc":"2.0","id":%s,"error":{"message":"m"}}`,
	`{"jsonrpc":"2.0","id":%s,"error":{"code":"1","message":"m"}}`,
	`{"jsonrpc":"2.0","id":%s,"error":{"code":1.5,"message":"m"}}`,
	`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":null}}`,
	`{"jsonrpc":"2.0","id":%s,"result":{},"error":{"code":1,"message":"m"}}`,
	`{"jsonrpc":"2.0","id":%s,"result":null,"error":{"code":1,"message":"m"}}`,
	`{"jsonrpc":"2.0","id":%s,"result":{},"error":null}`,
}

// orphans are responses to no request.
var orphans = []string{
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"p"}}`,
	`{"jsonrpc":"2.0","error":{"code":-32700,"message":"p"}}`,
	`{"jsonrpc":"2.0","id":null,"result":{}}`,
	`{"jsonrpc":"2.0","id":1.5,"result":{}}`,
	`{"jsonrpc":"2.0","id":{},"error":{"code":1,"message":"m"}}`,
}

// Case 11: a malformed answer ends only its own request, at once and once, as a failure;
// nothing is sent. A stray one ends nothing.
//
// rows: JRPC-011 JRPC-012 JRPC-014 JRPC-015 JRPC-016 ERR-011
func Test11MalformedAnswers(t *testing.T) {
	for _, role := range roles {
		for _, r := range requestsTo[role.Peer()] {
			x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
			x, first := ask(x, r, lifecycle.RequestOptions{})
			id := x.LastID()
			x, second := ask(x, r, lifecycle.RequestOptions{})
			for _, form := range malformed {
				text := fmt.Sprintf(form, id)
				y, out := x.Receive(text)
				if len(out.Send) != 0 || out.Close != nil || len(out.Events) != 2 || out.Events[0].Kind != lifecycle.Violation {
					t.Errorf("%s, %s: sent %q, events %s", r.name, text, verbs.Lines(out), reports(out))
					continue
				}
				ev := out.Events[1]
				if ev.Kind != lifecycle.RequestFailed || ev.Req != first || !errors.Is(ev.Failure(), &lifecycle.Cause{Kind: lifecycle.CauseInvalidResponse}) {
					t.Errorf("%s, %s: %s of %v, %v", r.name, text, ev.Kind, ev.Req, ev.Failure())
				}
				_, out = y.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, r.result))
				silent(t, "the right answer afterwards", out, "ignored JRPC-033")
				_, out = y.Receive(y.Result(r.result))
				silent(t, "the answer to the other", out, "response received")
				if out.Events[0].Req != second {
					t.Errorf("%s, %s: then %v was answered, want %v", r.name, text, out.Events[0].Req, second)
				}
			}
		}
	}
}

// Case 11: with a method as well, it is not an answer but an invalid request, even under the id
// of a request of ours.
//
// rows: JRPC-039
func Test11MethodBesideAnswer(t *testing.T) {
	for _, role := range roles {
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		x, _ = ask(x, requestTo(role.Peer()), lifecycle.RequestOptions{})
		id := x.LastID()
		for _, rest := range []string{`"result":{}`, `"error":{"code":1,"message":"m"}`, `"result":{},"error":null`} {
			y, out := x.Receive(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping",` + rest + `}`)
			if outcome(out) != "-32600" || reports(out) != "violation JRPC-039" || y.Status() != x.Status() {
				t.Errorf("%v, %s: %s, events %s, %+v", role, rest, outcome(out), reports(out), y.Status())
			}
		}
	}
}

// Case 40: an error without a usable id is reported; a bare string as error fails its own
// request; the session and the other requests continue, also during the handshake.
//
// rows: JRPC-015 JRPC-032 LIFE-038
func Test40ErrorsOfNobody(t *testing.T) {
	for _, role := range roles {
		r := requestTo(role.Peer())
		x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
		x, a := ask(x, r, lifecycle.RequestOptions{})
		idOfA := x.LastID()
		x, b := ask(x, r, lifecycle.RequestOptions{})
		for _, text := range orphans {
			y, out := x.Receive(text)
			silent(t, text, out, "violation JRPC-032")
			if y.Status() != x.Status() {
				t.Errorf("%s: %+v became %+v", text, x.Status(), y.Status())
			}
			if strings.Contains(text, `"code":-32700`) && (out.Events[0].Err == nil || out.Events[0].Err.Code != -32700) {
				t.Errorf("%s: the report has the error %v", text, out.Events[0].Err)
			}
		}
		x, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":"boom"}`, idOfA))
		silent(t, "a string as error", out, "violation JRPC-015, request failed")
		if ev := out.Events[1]; ev.Req != a || ev.Failure() == nil || string(out.Events[0].Body) != `"boom"` {
			t.Errorf("%v failed with %v, reported %s", ev.Req, ev.Failure(), out.Events[0].Body)
		}
		x, out = x.Receive(x.Result(r.result))
		if silent(t, "the answer to the other", out, "response received"); out.Events[0].Req != b {
			t.Errorf("%v was answered, want %v", out.Events[0].Req, b)
		}
		alive(t, x)
	}
	x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Initializing)
	for _, text := range orphans {
		y, out := x.Receive(text)
		silent(t, "in the handshake: "+text, out, "violation JRPC-032")
		if y, _ = y.Finish(spoken, "{}"); y.Phase() != lifecycle.Ready {
			t.Errorf("%s: the handshake ends in %v", text, y.Phase())
		}
	}
}

// Case 40: a malformed answer to initialize ends the handshake, and nothing is sent.
//
// rows: LIFE-008
func Test40InTheHandshake(t *testing.T) {
	x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Initializing)
	for _, form := range malformed {
		text := fmt.Sprintf(form, x.LastID())
		y, out := x.Receive(text)
		if y.Phase() != lifecycle.Failed || out.Close == nil || len(out.Send) != 0 {
			t.Errorf("in the handshake: %s: %v, close %v, sent %q", text, y.Phase(), out.Close, verbs.Lines(out))
		}
	}
}

// Case 16: a request that times out ends once and the peer gets one cancellation, with the
// id of the request; later messages for it change nothing.
//
// rows: TIME-002 TIME-003 CANC-002 CANC-013 LIFE-032
func Test16TimeoutTellsThePeer(t *testing.T) {
	for _, role := range roles {
		for _, r := range append([]request{{name: "ping", result: "{}"}}, requestsTo[role.Peer()]...) {
			x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
			x, req := ask(x, r, lifecycle.RequestOptions{Timeout: 100 * time.Millisecond, Progress: true})
			id := x.LastID()
			x, out := x.Tick(100*time.Millisecond - 1)
			silent(t, r.name+" just before", out, "")
			x, out = x.Tick(1)
			want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"timed out"}}`
			if got := strings.Join(verbs.Lines(out), "\n"); got != want || reports(out) != "request failed" || out.Events[0].Req != req ||
				!errors.Is(out.Events[0].Failure(), &lifecycle.Cause{Kind: lifecycle.CauseTimedOut}) {
				t.Errorf("%s: sent %s, events %s, want %s", r.name, got, reports(out), want)
			}
			for text, want := range map[string]string{
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, r.result):                                                "ignored JRPC-033",
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"m"}}`, id):                                     "ignored JRPC-033",
				fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, id): "ignored PROG-022",
			} {
				_, out = x.Receive(text)
				silent(t, r.name+", late: "+text, out, want)
			}
			if _, _, err := x.Cancel(req, "late"); !errors.Is(err, lifecycle.ErrGone) {
				t.Errorf("%s: cancelled afterwards: %v", r.name, err)
			}
			_, out = x.Tick(100 * time.Millisecond)
			silent(t, r.name+" later", out, "")
		}
	}
	x := at(full(t, protocol.Client, lifecycle.Policy{}), lifecycle.Initializing)
	x, out := x.Tick(5 * time.Minute)
	if len(out.Send) != 0 || out.Close == nil || x.Phase() != lifecycle.Failed {
		t.Errorf("initialize: sent %q, close %v, %v", verbs.Lines(out), out.Close, x.Phase())
	}
}
