package peerbugs_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

const ms = time.Millisecond

// cancelledLine is the cancellation of a request of ours.
func cancelledLine(id, reason string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s,"reason":%q}}`, id, reason)
}

// failed are the requests that end without an answer, with their causes.
func failed(out lifecycle.Output) string {
	list := []string{}
	for _, ev := range verbs.Events(out, lifecycle.RequestFailed) {
		list = append(list, ev.Req.String()+" "+ev.Cause.Kind.String())
	}
	return strings.Join(list, ", ")
}

// Case 13: a request with a reset by progress gets a token on the wire without asking for
// it, each its own; progress then extends the wait, up to the maximum.
func Test13ResetNeedsAToken(t *testing.T) {
	for _, role := range roles {
		for _, r := range append([]request{{name: "ping", result: "{}"}}, requestsTo[role.Peer()]...) {
			x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
			opt := lifecycle.RequestOptions{ResetOnProgress: true, Timeout: 100 * ms, Maximum: 250 * ms}
			tokens := map[jsonrpc.ID]bool{}
			var token jsonrpc.ID
			for range 3 { // the last one is watched, the others only wait
				var out lifecycle.Output
				var err error
				if x, out, err = x.Request(protocol.RawRequest{Name: r.name, Body: jsonrpc.Raw(r.params)}, opt); err != nil {
					t.Fatal(r.name, err)
				}
				p, err := protocol.Decode[protocol.PingParams](out.Send[0].Message.Body)
				if token, _ = p.Meta.ProgressToken(); err != nil || token.IsZero() || tokens[token] {
					t.Errorf("%s: no token of its own in %q", r.name, verbs.Lines(out))
				}
				tokens[token] = true
			}
			id := x.LastID()
			for i := 1; i <= 2; i++ {
				var out lifecycle.Output
				x, out = x.Tick(80 * ms)
				if len(verbs.Events(out, lifecycle.RequestFailed)) != 2*(i-1) {
					t.Errorf("%s at %d ms: %s", r.name, 80*i, failed(out))
				}
				x, out = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token.Append(nil), i))
				silent(t, r.name+", progress", out, "progress received")
			}
			x, out := x.Tick(89 * ms)
			silent(t, r.name+" at 249 ms", out, "")
			x, out = x.Tick(11 * ms)
			if strings.Join(verbs.Lines(out), "\n") != cancelledLine(id, "timed out") || !strings.HasSuffix(failed(out), " timed out") || x.Status().Outbound != 0 {
				t.Errorf("%s at 260 ms: sent %q, %s", r.name, verbs.Lines(out), failed(out))
			}
		}
	}
}

// Case 42: a request that was not sent fails once, alone. Its deadline ends with it,
// the peer gets no cancellation of what it never saw, and the session continues.
func Test42SendFailed(t *testing.T) {
	lost := errors.New("refused by the transport")
	for _, role := range roles {
		for _, r := range append([]request{{name: "ping", result: "{}"}}, requestsTo[role.Peer()]...) {
			x := at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
			x, a := ask(x, r, lifecycle.RequestOptions{Timeout: 100 * ms})
			idOfA := x.LastID()
			x, b := ask(x, r, lifecycle.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout})
			x, out := x.SendFailed(a, lost)
			silent(t, r.name, out, "request failed")
			if ev := out.Events[0]; ev.Req != a || ev.Cause.Kind != lifecycle.CauseNotSent || !errors.Is(ev.Failure(), lost) {
				t.Errorf("%s: %v failed with %v", r.name, ev.Req, ev.Failure())
			}
			if due, some := x.NextDeadline(); some {
				t.Errorf("%s: something is due at %v", r.name, due)
			}
			x, out = x.SendFailed(a, lost)
			silent(t, r.name+", failed again", out, "")
			x, out = x.Tick(time.Hour)
			silent(t, r.name+", later", out, "")
			x, out = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, idOfA, r.result))
			silent(t, r.name+", answered all the same", out, "ignored JRPC-033")
			x, out = x.Receive(x.Result(r.result))
			if silent(t, r.name+", the other", out, "response received"); out.Events[0].Req != b {
				t.Errorf("%s: %v was answered, want %v", r.name, out.Events[0].Req, b)
			}
			alive(t, x)
		}
	}
}

// Case 43: when requests time out, each has failed in the same step, whatever becomes of
// the cancellations sent with it, and in the order of their deadlines. (An Output
// has events and messages in two lists, so neither precedes the other.)
func Test43TimeoutsFailAtOnce(t *testing.T) {
	ready := map[protocol.Party]verbs.Side{}
	for _, role := range roles {
		ready[role] = at(full(t, role, lifecycle.Policy{}), lifecycle.Ready)
	}
	rapid.Check(t, func(rt *rapid.T) {
		x := ready[rapid.SampledFrom(roles).Draw(rt, "role")]
		r := requestTo(x.Role.Peer())
		timeouts := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 8).Draw(rt, "timeouts")
		at := rapid.IntRange(1, 5).Draw(rt, "time")
		var want, told []string
		ids := map[lifecycle.Req]string{}
		reqs := make([]lifecycle.Req, len(timeouts))
		for i, d := range timeouts {
			x, reqs[i] = ask(x, r, lifecycle.RequestOptions{Timeout: time.Duration(d) * ms})
			ids[reqs[i]] = x.LastID()
		}
		for d := 1; d <= at; d++ {
			for i, req := range reqs {
				if timeouts[i] == d {
					want = append(want, req.String()+" timed out")
					told = append(told, cancelledLine(ids[req], "timed out"))
				}
			}
		}
		y, out := x.Tick(time.Duration(at) * ms)
		if failed(out) != strings.Join(want, ", ") || len(out.Events) != len(want) {
			rt.Errorf("failed: %s, want %s", failed(out), strings.Join(want, ", "))
		}
		if got := strings.Join(verbs.Lines(out), "\n"); got != strings.Join(told, "\n") {
			rt.Errorf("sent %s, want %s", got, strings.Join(told, "\n"))
		}
		if y.Status().Outbound != len(reqs)-len(want) {
			rt.Errorf("%d requests wait, want %d", y.Status().Outbound, len(reqs)-len(want))
		}
		for _, ev := range out.Events { // the events do not wait for the notifications
			if _, _, err := y.Cancel(ev.Req, ""); !errors.Is(err, lifecycle.ErrGone) {
				rt.Errorf("%v is still there: %v", ev.Req, err)
			}
			if _, out := y.SendFailed(ev.Req, nil); !out.IsZero() {
				rt.Errorf("%v fails again", ev.Req)
			}
		}
	})
}

// Case 45: a refused request leaves nothing. A past deadline cannot be
// set: a timeout is a duration, and a negative one is an error.
func Test45RefusedRequestsLeaveNothing(t *testing.T) {
	for _, role := range roles {
		for _, phase := range append(live, lifecycle.Disconnected, lifecycle.Failed) {
			x := at(full(t, role, lifecycle.Policy{}), phase)
			over := lifecycle.Call{}
			if phase == lifecycle.Ready {
				x, over = open(t, x, "1", "{}")
				x, _, _ = finish(x, over)
			}
			var earlier lifecycle.Req
			if phase == lifecycle.Ready {
				x, earlier = ask(x, request{name: "ping"}, lifecycle.RequestOptions{})
			}
			for _, r := range append([]request{{name: "ping"}, {name: "nope"}}, requestsTo[role.Peer()]...) {
				for name, opt := range map[string]lifecycle.RequestOptions{
					"a nanosecond before NoTimeout": {Timeout: lifecycle.NoTimeout - 1}, "a second ago": {Timeout: -time.Second}, "for ever ago": {Timeout: -1 << 63},
					"a maximum in the past": {Maximum: -time.Second}, "in the place of another": {Timeout: -time.Second, Replaces: earlier}, "within a call that is over": {Within: over},
				} {
					if name == "within a call that is over" && over.IsZero() {
						continue
					}
					// A refused verb returns the State unchanged and an empty Output: side checks it.
					y, _, err := x.Request(protocol.RawRequest{Name: r.name, Body: jsonrpc.Raw(r.params)}, opt)
					due, some := y.NextDeadline()
					if want, had := x.NextDeadline(); err == nil || due != want || some != had || y.Status() != x.Status() {
						t.Errorf("%v, %v, %s %s: %v, %+v", role, phase, r.name, name, err, y.Status())
					}
				}
			}
		}
	}
}
