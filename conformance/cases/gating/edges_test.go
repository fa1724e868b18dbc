package gating_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// edged opens a side of either role under limits and times, with an application that
// answers x/ask, and resources to subscribe to.
func edged(t *testing.T, role protocol.Party, revision protocol.Revision, set func(*lifecycle.Limits, *lifecycle.Timeouts, *lifecycle.Keepalive)) verbs.Side {
	t.Helper()
	var limits lifecycle.Limits
	var times lifecycle.Timeouts
	var keep lifecycle.Keepalive
	if set != nil {
		set(&limits, &times, &keep)
	}
	if role == protocol.Client {
		return verbs.NewClient(t, client.Config{Serve: []string{"x/ask"}, Limits: limits, Timeouts: times, Keepalive: keep}).
			Open(revision, `{"logging":{},"resources":{"subscribe":true}}`)
	}
	return verbs.NewServer(t, server.Config{
		Serve: []string{"x/ask", "resources/read"}, Subscribe: true, Logging: true, Unlisted: true, Limits: limits, Timeouts: times, Keepalive: keep,
	}).Open(revision, `{}`)
}

var parties = []protocol.Party{protocol.Server, protocol.Client}

func xAsk(id int, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x/ask","params":%s}`, id, params)
}

// passed reports whether a request reached the application; otherwise it must be refused with
// -32603 and the row of limits.
func passed(x verbs.Side, out lifecycle.Output) bool {
	x.T.Helper()
	if verbs.Kinds(out) == "request received" && len(out.Send) == 0 {
		return true
	}
	if len(out.Send) != 1 || out.Send[0].Message.Err == nil || out.Send[0].Message.Err.Code != -32603 || verbs.Kinds(out) != "violation" || out.Events[0].Rule != "ERR-013" {
		x.T.Errorf("%v: neither passed nor refused: %q %s", x.Role, verbs.Lines(out), verbs.Kinds(out))
	}
	return false
}

// Each limit: one less, the exact number, one more.
func TestLimitsToTheLast(t *testing.T) {
	const limit = 3
	for _, role := range parties {
		t.Run(role.String(), func(t *testing.T) {
			all := func(l *lifecycle.Limits, _ *lifecycle.Timeouts, _ *lifecycle.Keepalive) {
				*l = lifecycle.Limits{Inbound: limit, Outbound: limit, Batch: limit, Subscriptions: limit, Text: 20}
			}
			x := edged(t, role, protocol.Revision20250618, all)
			y := x
			for n := range limit + 1 {
				if full := n >= limit; y.Status().Saturated != full {
					t.Errorf("saturated with %d of %d: %v", n, limit, y.Status().Saturated)
				}
				var out lifecycle.Output
				if y, out = y.Receive(xAsk(n, "{}")); passed(y, out) != (n < limit) {
					t.Errorf("request %d of the peer: %s", n+1, verbs.Kinds(out))
				}
			}
			for info := range y.Inbound() { // a free place again
				y, _, _ = y.Respond(info.Call, protocol.Raw("{}"))
				break
			}
			if _, out := y.Receive(xAsk(9, "{}")); !passed(y, out) {
				t.Error("no place is free after an answer")
			}
			outboundToTheLast(t, x, limit)
			textsToTheLast(t, x, 20)
			subscriptionsToTheLast(t, x, limit)
			z := edged(t, role, protocol.Revision20250326, all)
			for n := 1; n <= limit+1; n++ {
				_, out := z.Receive("[" + strings.Repeat(`{"jsonrpc":"2.0","method":"x/ask"},`, n-1) + `{"jsonrpc":"2.0","id":1,"method":"ping"}]`)
				if answered := len(out.Send) == 1; answered != (n <= limit) {
					t.Errorf("a batch of %d: %q %s", n, verbs.Lines(out), verbs.Kinds(out))
				}
			}
		})
	}
}

func outboundToTheLast(t *testing.T, x verbs.Side, limit int) {
	var last lifecycle.Req
	for n := range limit + 1 {
		next, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{})
		if errors.Is(err, lifecycle.ErrLimit) != (n >= limit) || err != nil && n < limit {
			t.Errorf("request %d of ours: %v", n+1, err)
		}
		if x = next; err == nil {
			last = out.Req
		}
	}
	// A request that replaces another takes its place.
	if _, _, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Replaces: last}); err != nil {
		t.Errorf("in place of another: %v", err)
	}
	x, _, _ = x.Cancel(last, "")
	if _, _, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Replaces: last}); err != nil {
		t.Errorf("after a cancellation: %v", err)
	}
}

func textsToTheLast(t *testing.T, x verbs.Side, limit int) {
	for n := limit - 1; n <= limit+1; n++ {
		text := strings.Repeat("7", n)
		for what, line := range map[string]string{
			"id":     `{"jsonrpc":"2.0","id":"` + text + `","method":"x/ask"}`,
			"number": `{"jsonrpc":"2.0","id":` + text + `,"method":"x/ask"}`,
			"token":  xAsk(1, `{"_meta":{"progressToken":"`+text+`"}}`),
		} {
			if _, out := x.Receive(line); passed(x, out) != (n <= limit || what == "number" && n <= 18) {
				t.Errorf("%s of %d bytes: %s", what, n, verbs.Kinds(out))
			}
		}
	}
}

func subscriptionsToTheLast(t *testing.T, x verbs.Side, limit int) {
	for n := range limit + 1 {
		uri := fmt.Sprintf("a:%d", n)
		if x.Role == protocol.Server {
			for _, again := range []bool{false, true} {
				var out lifecycle.Output
				x, out = x.Receive(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"` + uri + `"}}`)
				if ok := len(out.Send) == 1 && out.Send[0].Message.Err == nil; ok != (n < limit) {
					t.Errorf("subscription %d, again %v: %q", n+1, again, verbs.Lines(out))
				}
			}
			continue
		}
		x, _, _ = x.Request(protocol.SubscribeParams{URI: uri}, lifecycle.RequestOptions{})
		x, _ = x.Receive(x.Result("{}"))
		have := 0
		for range x.Client().Subscriptions() {
			have++
		}
		if have != min(n+1, limit) {
			t.Errorf("%d subscriptions are remembered of %d", have, n+1)
		}
	}
}

// A rate is exact to the nanosecond: two a second, three at once.
func TestRatesToTheInstant(t *testing.T) {
	const step = 500 * time.Millisecond
	rate := lifecycle.Rate{PerSecond: 2, Burst: 3}
	for _, role := range parties {
		x := edged(t, role, protocol.Revision20250618, func(l *lifecycle.Limits, _ *lifecycle.Timeouts, _ *lifecycle.Keepalive) {
			l.Requests, l.Progress, l.Logs = rate, rate, rate
		})
		x, asked, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Progress: true})
		if err != nil {
			t.Fatal(err)
		}
		x, out := x.Receive(`{"jsonrpc":"2.0","id":"open","method":"x/ask","params":{"_meta":{"progressToken":1}}}`)
		call := out.Opened
		x = x.After(time.Minute)
		progress := 0.0
		for what, try := range map[string]func(verbs.Side) (verbs.Side, bool){
			"requests": func(x verbs.Side) (verbs.Side, bool) {
				progress++
				x, out := x.Receive(xAsk(int(progress), "{}"))
				return x, passed(x, out)
			},
			"progress received": func(x verbs.Side) (verbs.Side, bool) {
				progress++
				x, out := x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%v}}`, asked.Req.Seq(), progress))
				return x, verbs.Kinds(out) == "progress received"
			},
			"progress sent": func(x verbs.Side) (verbs.Side, bool) {
				progress++
				x, out, err := x.Progress(call, protocol.ProgressParams{Progress: progress})
				return x, err == nil && len(out.Send) == 1
			},
			"logs": func(x verbs.Side) (verbs.Side, bool) {
				if x.Role == protocol.Server {
					x, out, err := x.Notify(protocol.LoggingMessageParams{Level: "error", Data: "1"})
					return x, err == nil && len(out.Send) == 1
				}
				x, out := x.Receive(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":1}}`)
				return x, verbs.Kinds(out) == "notification received"
			},
		} {
			y := x
			for i, c := range []struct {
				after time.Duration
				want  bool
			}{
				{0, true}, {0, true}, {0, true}, {0, false}, {step - 1, false}, {1, true}, {0, false}, {step, true}, {step - 1, false}, {2, true},
				{2*step - 1, true}, {0, true}, {0, false}, {time.Hour, true}, {0, true}, {0, true}, {0, false},
			} {
				var got bool
				if y, got = try(y.After(c.after)); got != c.want {
					t.Errorf("%v, %s, try %d: passed %v", role, what, i, got)
				}
			}
		}
		spared(t, x, call)
	}
}

// spared: what is not sent, or is refused for another reason, does not count against a rate, and
// dropped progress leaves the minimum unchanged.
func spared(t *testing.T, x verbs.Side, call lifecycle.Call) {
	y := x
	for i := range 3 {
		var out lifecycle.Output
		if y, out, _ = y.Progress(call, protocol.ProgressParams{Progress: 1 + float64(i)}); len(out.Send) != 1 {
			t.Errorf("%v: progress %d within the rate is left out", y.Role, i)
		}
		for range 5 {
			if _, _, err := y.Progress(call, protocol.ProgressParams{Progress: 1}); !errors.Is(err, lifecycle.ErrProgress) {
				t.Errorf("%v: progress that does not grow: %v", y.Role, err)
			}
		}
	}
	y, out, err := y.Progress(call, protocol.ProgressParams{Progress: 50})
	if err != nil || len(out.Send) != 0 {
		t.Errorf("%v: over the rate: %v, sent %q", y.Role, err, verbs.Lines(out))
	}
	if _, out, err = y.After(time.Second).Progress(call, protocol.ProgressParams{Progress: 4}); err != nil || len(out.Send) != 1 {
		t.Errorf("%v: below progress that was left out: %v, sent %q", y.Role, err, verbs.Lines(out))
	}
	if x.Role == protocol.Client {
		return
	}
	y, _ = x.Receive(`{"jsonrpc":"2.0","id":"level","method":"logging/setLevel","params":{"level":"error"}}`)
	for range 10 {
		y, out, err = y.Notify(protocol.LoggingMessageParams{Level: "warning", Data: "1"})
		if err != nil || len(out.Send) != 0 || y.Status().DroppedLogs != 0 {
			t.Errorf("below the level: %v, sent %q, %d dropped", err, verbs.Lines(out), y.Status().DroppedLogs)
		}
	}
	for i := range 4 {
		if y, out, err = y.Notify(protocol.LoggingMessageParams{Level: "error", Data: "1"}); err != nil || len(out.Send) == 1 != (i < 3) {
			t.Errorf("wanted message %d after unwanted ones: %v, sent %q", i, err, verbs.Lines(out))
		}
	}
}

// A request that an earlier check refuses, or that is answered before, does not count against the
// rate (docs/methods.md, The order of checks).
func TestRefusalsUseNoRate(t *testing.T) {
	for _, role := range parties {
		x := edged(t, role, protocol.Revision20250618, func(l *lifecycle.Limits, _ *lifecycle.Timeouts, _ *lifecycle.Keepalive) {
			l.Inbound, l.Requests = 1, lifecycle.Rate{PerSecond: 1, Burst: 2}
		})
		early := func() {
			t.Helper()
			for _, line := range []string{
				`{"jsonrpc":"2.0","id":"e","method":"ping"}`, `{"jsonrpc":"2.0","id":"e","method":"who/knows"}`, `{"jsonrpc":"2.0","id":"e","method":"initialize","params":{}}`,
				`{"jsonrpc":"2.0","id":"e","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":"e","method":"x/ask","params":5}`,
				`{"jsonrpc":"2.0","id":"e","method":"completion/complete"}`, `{"jsonrpc":"2.0","id":"e","method":"sampling/createMessage"}`,
			} {
				for range 3 {
					var out lifecycle.Output
					if x, out = x.Receive(line); len(out.Send) != 1 || out.Send[0].Message.Err != nil && out.Send[0].Message.Err.Code == -32603 {
						t.Errorf("%v: %s: %q", role, line, verbs.Lines(out))
					}
				}
			}
		}
		early()
		x, out := x.Receive(xAsk(1, "{}"))
		call := out.Opened
		for range 5 {
			if x, out = x.Receive(xAsk(2, "{}")); passed(x, out) {
				t.Errorf("%v: one too many passed", role)
			}
			x, _ = x.Receive(xAsk(1, "{}")) // in flight
		}
		early()
		x, _, err := x.Respond(call, protocol.Raw("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if x, out = x.Receive(xAsk(3, "{}")); !passed(x, out) {
			t.Errorf("%v: what was refused has used the rate", role)
		}
		x, _, _ = x.Respond(out.Opened, protocol.Raw("{}"))
		if x, out = x.Receive(xAsk(4, "{}")); passed(x, out) {
			t.Errorf("%v: over the rate", role)
		}
	}
}
