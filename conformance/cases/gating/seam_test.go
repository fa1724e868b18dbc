package gating_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// relayed returns a ready session of the role that serves x/ask, at a revision with
// batches.
func relayed(t *testing.T, role protocol.Party, keep lifecycle.Keepalive, policy lifecycle.Policy) verbs.Side {
	timeouts := lifecycle.Timeouts{Inbound: time.Hour, Ping: 5 * time.Second}
	if role == protocol.Server {
		return verbs.NewServer(t, server.Config{Serve: []string{"x/ask"}, Keepalive: keep, Policy: policy, Timeouts: timeouts}).Open(protocol.Revision20250326, anyCaps)
	}
	return verbs.NewClient(t, client.Config{Serve: []string{"x/ask"}, Keepalive: keep, Policy: policy, Timeouts: timeouts}).Open(protocol.Revision20250326, anyCaps)
}

var bothRoles = []protocol.Party{protocol.Server, protocol.Client}

const ask = `{"jsonrpc":"2.0","id":"a","method":"x/ask"}`

// What a transport must know of the message that it just passed in: whether anything is still
// to come, which message of Send answers it, and which calls it opened.
func TestFate(t *testing.T) {
	for _, role := range bothRoles {
		x := relayed(t, role, lifecycle.Keepalive{}, lifecycle.Policy{AnswerUnreadable: true})
		x, _ = x.Receive(`{"jsonrpc":"2.0","id":"open","method":"x/ask"}`)
		x, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			text           string
			fate           lifecycle.Fate
			direct, opened int // answers marked as such, and calls opened
		}{
			{ask, lifecycle.FateAccepted, 0, 1},
			{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, lifecycle.FateAnswered, 1, 1},
			{`{"jsonrpc":"2.0","id":1,"method":"who/knows"}`, lifecycle.FateAnswered, 1, 1},
			{`{"jsonrpc":"2.0","id":"open","method":"x/ask"}`, lifecycle.FateRefused, 0, 0},
			{`{"jsonrpc":"2.0","method":"notifications/own"}`, lifecycle.FateAccepted, 0, 0},
			{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"open"}}`, lifecycle.FateAccepted, 0, 0},
			{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, lifecycle.FateAccepted, 0, 0},
			{x.Result(`{}`), lifecycle.FateAccepted, 0, 0},
			{`{"jsonrpc":"2.0","id":99,"result":{}}`, lifecycle.FateAccepted, 0, 0},
			{`{"jsonrpc":"2.0","id":1,"method":5}`, lifecycle.FateAnswered, 1, 1},
			{`{`, lifecycle.FateRefused, 1, 0},
			{`{"jsonrpc":"2.0"}`, lifecycle.FateRefused, 1, 0},
			{`[` + ask + `]`, lifecycle.FateAccepted, 0, 1},
			{`[` + ask + `,{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"x/ask"}]`, lifecycle.FateAccepted, 1, 3},
			{`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, lifecycle.FateAnswered, 2, 2},
			{`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/own"}]`, lifecycle.FateAnswered, 1, 1},
			{`[{"jsonrpc":"2.0","method":"notifications/own"}]`, lifecycle.FateAccepted, 0, 0},
			{`[{"jsonrpc":"2.0","id":"open","method":"x/ask"}]`, lifecycle.FateRefused, 0, 0},
			{`[5]`, lifecycle.FateRefused, 1, 0},
			{`[]`, lifecycle.FateRefused, 1, 0},
		} {
			next, out := x.Receive(c.text)
			direct := 0
			for _, o := range out.Send {
				if o.Direct {
					direct++
				}
			}
			opened := slices.Collect(out.OpenedCalls())
			if out.Fate != c.fate || direct != c.direct || len(opened) != c.opened {
				t.Errorf("%v: %s: %v, %d direct answers, opened %v; want %v, %d, %d", role, c.text, out.Fate, direct, opened, c.fate, c.direct, c.opened)
			}
			pending := 0
			for _, call := range opened {
				for info := range next.Inbound() {
					if info.Call == call {
						pending++
					}
				}
			}
			if pending > 0 && out.Fate != lifecycle.FateAccepted {
				t.Errorf("%v: %s: %d calls are open, %v", role, c.text, pending, out.Fate)
			}
		}
		if _, out := x.Tick(time.Second); out.Fate != lifecycle.FateNone {
			t.Errorf("%v: a Tick is %v", role, out.Fate)
		}
		closed, _ := x.Shutdown(0)
		if _, out := closed.Receive(ask); out.Fate != lifecycle.FateRefused || !out.IsZero() {
			t.Errorf("%v: after Close: %+v", role, out)
		}
		_ = out
	}
}

// Every outgoing request names its Req, also a ping of the keepalive, and so does its
// cancellation.
func TestOutgoingNamesItsReq(t *testing.T) {
	for _, role := range bothRoles {
		x := relayed(t, role, lifecycle.Keepalive{Interval: time.Minute}, lifecycle.Policy{})
		x, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: time.Hour})
		if err != nil || out.Send[0].Req != out.Req || out.Req.IsZero() {
			t.Fatal(err, out)
		}
		req := out.Req
		if _, out, _ := x.Cancel(req, ""); len(out.Send) != 1 || out.Send[0].Req != req || out.Send[0].Message.Kind != jsonrpc.KindNotification {
			t.Errorf("%v: cancelled: %+v", role, out.Send)
		}
		x, out = x.Tick(time.Minute)
		if len(out.Send) != 1 || out.Send[0].Req.IsZero() || out.Send[0].Req == req || !out.Req.IsZero() {
			t.Fatalf("%v: keepalive: %+v", role, out)
		}
		if x, out = x.SendFailed(out.Send[0].Req, io.EOF); len(out.Events) != 1 || x.Status().Outbound != 1 {
			t.Errorf("%v: a ping that did not get out: %+v", role, out)
		}
	}
}

// A lost answer fails only its request, and the peer learns that the answer is no longer wanted;
// the handshake fails as a whole.
func TestAnswerLost(t *testing.T) {
	for _, role := range bothRoles {
		x := relayed(t, role, lifecycle.Keepalive{}, lifecycle.Policy{})
		x, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		req := out.Req
		x, _, err = x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, out = x.ResponseLost(req, io.EOF)
		if got := strings.Join(verbs.Lines(out), ""); !strings.Contains(got, `"method":"notifications/cancelled"`) || !strings.Contains(got, "the answer is lost") {
			t.Errorf("%v: sent %s", role, got)
		}
		if len(out.Events) != 1 || out.Events[0].Req != req || x.Status().Outbound != 1 ||
			!errors.Is(out.Events[0].Failure(), &lifecycle.Cause{Kind: lifecycle.CauseResponseLost}) || !errors.Is(out.Events[0].Failure(), io.EOF) {
			t.Errorf("%v: %+v", role, out.Events)
		}
		if x, out = x.ResponseLost(req, io.EOF); !out.IsZero() || x.Phase() != lifecycle.Ready {
			t.Errorf("%v: twice: %+v", role, out)
		}
	}
	c, out := verbs.NewClient(t, client.Config{}).Begin(protocol.Revision20250618, "")
	c, out = c.ResponseLost(out.Req, io.EOF)
	if c.Phase() != lifecycle.Failed || len(out.Send) != 0 || out.Close == nil || c.Status().Cause.Kind != lifecycle.CauseResponseLost {
		t.Errorf("initialize: %v %+v", c.Phase(), out)
	}
}

// Everything that ends a call, except its answer, cancels the requests within it, oldest first,
// and no others.
func TestRequestsWithinACall(t *testing.T) {
	cancel := func(x verbs.Side, _ lifecycle.Call) (verbs.Side, lifecycle.Output) {
		return x.Receive(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`)
	}
	for _, role := range bothRoles {
		for name, end := range map[string]func(verbs.Side, lifecycle.Call) (verbs.Side, lifecycle.Output){
			"cancelled": cancel,
			"restored and cancelled": func(x verbs.Side, call lifecycle.Call) (verbs.Side, lifecycle.Output) {
				return cancel(x.With(restore(t, x)), call)
			},
			"abandoned": func(x verbs.Side, call lifecycle.Call) (verbs.Side, lifecycle.Output) { return x.Abandon(call) },
			"expired":   func(x verbs.Side, _ lifecycle.Call) (verbs.Side, lifecycle.Output) { return x.Tick(time.Hour) },
			"answered": func(x verbs.Side, call lifecycle.Call) (verbs.Side, lifecycle.Output) {
				x, out, err := x.Respond(call, protocol.EmptyResult{})
				if err != nil {
					t.Fatal(err)
				}
				return x, out
			},
		} {
			x := relayed(t, role, lifecycle.Keepalive{}, lifecycle.Policy{})
			x, out := x.Receive(ask)
			call := out.Opened
			x, out = x.After(time.Second).Receive(`{"jsonrpc":"2.0","id":"b","method":"x/ask"}`)
			other := out.Opened
			var ids []string
			for _, within := range []lifecycle.Call{call, other, {}, call, call} {
				var err error
				if x, out, err = x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Within: within, Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout}); err != nil {
					t.Fatal(err)
				}
				if within == call {
					ids = append(ids, out.Send[0].Message.ID.String())
				}
			}
			// One of them has its answer before the call ends.
			x, _ = x.Receive(`{"jsonrpc":"2.0","id":` + ids[1] + `,"result":{}}`)
			ids = slices.Delete(ids, 1, 2)
			if name == "answered" {
				ids = nil
			}
			x, out = end(x.After(-time.Second), call)
			var told, failed []string
			for _, o := range out.Send {
				if o.Message.Method == "notifications/cancelled" {
					p, err := protocol.Decode[protocol.CancelledParams](o.Message.Body)
					if err != nil || p.Reason != "the call is over" || !o.Call.IsZero() {
						t.Errorf("%v, %s: %+v", role, name, o)
					}
					told = append(told, p.RequestID.String())
				}
			}
			for _, ev := range verbs.Events(out, lifecycle.RequestFailed) {
				if ev.Cause.Kind != lifecycle.CauseCancelled {
					t.Errorf("%v, %s: %+v", role, name, ev)
				}
				failed = append(failed, ev.ID.String())
			}
			if !slices.Equal(told, ids) || !slices.Equal(failed, ids) {
				t.Errorf("%v, %s: told of %v, failed %v, want %v", role, name, told, failed, ids)
			}
			if want := 4 - len(ids); x.Status().Outbound != want {
				t.Errorf("%v, %s: %d requests are left, want %d", role, name, x.Status().Outbound, want)
			}
			if ended := slices.Collect(out.EndedCalls()); len(ended) != 1 || ended[0].Seq() != call.Seq() {
				t.Errorf("%v, %s: ended %v", role, name, ended)
			}
		}
	}
}

// restore returns x restored from a snapshot.
func restore(t *testing.T, x verbs.Side) verbs.Machine {
	timeouts := lifecycle.Timeouts{Inbound: time.Hour, Ping: 5 * time.Second}
	m, err := verbs.Config{
		Party:  x.Role,
		Server: server.Config{Info: verbs.Who, Serve: []string{"x/ask"}, Timeouts: timeouts},
		Client: client.Config{Info: verbs.Who, Serve: []string{"x/ask"}, Timeouts: timeouts},
	}.Restore(x.Snapshot(), x.Now)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A handle is valid for the State that made it and its successors: not for
// another one of the same Config with the same history, nor for a restored one.
func TestHandlesOfOtherStates(t *testing.T) {
	for _, role := range bothRoles {
		fresh := func() verbs.Side {
			if role == protocol.Server {
				return verbs.NewServer(t, server.Config{Serve: []string{"x/ask"}})
			}
			return verbs.NewClient(t, client.Config{Serve: []string{"x/ask"}})
		}
		one := fresh()
		two, _, err := one.Do(verbs.Verb{Op: verbs.OpNewSession})
		if err != nil {
			t.Fatal(err)
		}
		begin := func(x verbs.Side) (verbs.Side, lifecycle.Call, lifecycle.Req) {
			x, out := x.Open(protocol.Revision20250618, anyCaps).Receive(ask)
			call := out.Opened
			x, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return x, call, out.Req
		}
		one, call, req := begin(one)
		two, call2, req2 := begin(two)
		third, _, _ := begin(fresh())
		if call.Seq() != call2.Seq() || req.Seq() != req2.Seq() || call == call2 || req == req2 {
			t.Fatalf("%v: %v %v %v %v", role, call, call2, req, req2)
		}
		for name, x := range map[string]verbs.Side{"another": two, "a third": third, "restored": one.With(restore(t, one))} {
			for _, v := range []verbs.Verb{
				{Op: verbs.OpRespond, Call: call, Result: protocol.EmptyResult{}}, {Op: verbs.OpFail, Call: call, Err: &jsonrpc.Error{Code: 1}},
				{Op: verbs.OpFinish, Call: call, Result: protocol.EmptyResult{}}, {Op: verbs.OpProgress, Call: call, Progress: protocol.ProgressParams{Progress: 1}},
				{Op: verbs.OpRequest, Params: protocol.PingParams{}, Options: lifecycle.RequestOptions{Within: call}}, {Op: verbs.OpCancel, Req: req},
			} {
				if _, _, err := x.Do(v); !errors.Is(err, lifecycle.ErrGone) {
					t.Errorf("%v, %s: %v with a handle of the first: %v", role, name, v.Op, err)
				}
			}
			for _, v := range []verbs.Verb{
				{Op: verbs.OpSendFailed, Req: req, Cause: io.EOF}, {Op: verbs.OpResponseLost, Req: req, Cause: io.EOF}, {Op: verbs.OpAbandon, Call: call},
			} {
				if _, out, _ := x.Do(v); !out.IsZero() {
					t.Errorf("%v, %s: %v with a handle of the first: %+v", role, name, v.Op, out)
				}
			}
			if _, out, err := x.Respond(x.Call(call.Seq(), call.Key()), protocol.EmptyResult{}); err != nil || len(out.Send) != 1 {
				t.Errorf("%v, %s: its own handle by its numbers: %v %+v", role, name, err, out)
			}
			if _, _, err := x.Cancel(x.Req(req.Seq()), ""); err != nil {
				t.Errorf("%v, %s: its own handle by its number: %v", role, name, err)
			}
		}
	}
}

// due returns how long it is until the next deadline.
func due(t *testing.T, x verbs.Side) time.Duration {
	t.Helper()
	at, ok := x.NextDeadline()
	if !ok {
		t.Fatalf("%v: nothing is due", x.Role)
	}
	return at.Sub(x.Now)
}

// Any message of the peer is a sign of life: a session whose peer answers no ping but sends
// other messages continues, and one whose peer then falls silent ends in time.
func TestAnyMessageIsLife(t *testing.T) {
	for _, role := range bothRoles {
		for name, line := range map[string]string{
			"a ping": `{"jsonrpc":"2.0","id":"p","method":"ping"}`, "a request": `{"jsonrpc":"2.0","id":"w","method":"who/knows"}`,
			"a notification": `{"jsonrpc":"2.0","method":"notifications/nobody/knows"}`, "a late answer": `{"jsonrpc":"2.0","id":1,"result":{}}`,
			"a stray answer": `{"jsonrpc":"2.0","id":777,"error":{"code":1,"message":"m"}}`, "a batch": `[{"jsonrpc":"2.0","method":"notifications/own"}]`,
			"nothing": "", "nonsense": `{`, "a bad envelope": `{"jsonrpc":"1.0","method":"notifications/own"}`,
		} {
			lives := name != "nothing" && name != "nonsense" && name != "a bad envelope"
			x := relayed(t, role, lifecycle.Keepalive{Interval: 10 * time.Second, Misses: 2}, lifecycle.Policy{})
			say := func() {
				if line != "" {
					x, _ = x.Receive(line)
				}
			}
			for range 20 { // a ping every 10 s, a miss after 5 s
				x, _ = x.Tick(due(t, x))
				x = x.After(2 * time.Second)
				say()
				if x, _ = x.Tick(due(t, x)); x.Phase() != lifecycle.Ready {
					break
				}
			}
			if got := x.Phase() == lifecycle.Ready; got != lives {
				t.Errorf("%v, %s: the session is %v", role, name, x.Phase())
			}
			if !lives {
				continue
			}
			silent := x.Now
			for x.Phase() == lifecycle.Ready {
				x, _ = x.Tick(due(t, x))
			}
			if d := x.Now.Sub(silent); d > 30*time.Second || x.Status().Cause.Kind != lifecycle.CausePeerSilent {
				t.Errorf("%v, %s: given up after %v, %v", role, name, d, x.Status().Cause)
			}
		}
	}
}

// A request without a session is answered so that its client can continue: with a result if it
// is a ping, and so that it falls back to initialize if it is from a later revision.
func TestBeforeASession(t *testing.T) {
	for method, code := range map[string]int64{
		"ping": 0, "server/discover": jsonrpc.CodeMethodNotFound, "x/nobody": jsonrpc.CodeMethodNotFound, "tools/list": jsonrpc.CodeInvalidRequest, "x/ask": jsonrpc.CodeInvalidRequest,
	} {
		x := verbs.NewServer(t, server.Config{Serve: []string{"x/ask", "tools/call"}})
		x, out := x.Receive(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`)
		if len(out.Send) != 1 || out.Fate != lifecycle.FateAnswered || (out.Send[0].Message.Err == nil) != (code == 0) || code != 0 && out.Send[0].Message.Err.Code != code {
			t.Errorf("%s: %+v", method, out)
		}
		x.Open(protocol.Revision20250618, "{}")
	}
}
