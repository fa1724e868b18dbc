package peerbugs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// pinging is a side that pings each 100 ms, waits 50 ms and gives up after two misses.
func pinging(t *testing.T, role protocol.Party) verbs.Side {
	t.Helper()
	keep, wait := lifecycle.Keepalive{Interval: 100 * ms, Misses: 2}, lifecycle.Timeouts{Ping: 50 * ms}
	if role == protocol.Client {
		return verbs.NewClient(t, client.Config{Keepalive: keep, Timeouts: wait}).Open(spoken, "{}")
	}
	return verbs.NewServer(t, server.Config{Keepalive: keep, Timeouts: wait}).Open(spoken, "{}")
}

// pinged lets d pass and expects exactly one ping.
func pinged(t *testing.T, x verbs.Side, d time.Duration) verbs.Side {
	t.Helper()
	x, out := x.Tick(d)
	if len(out.Send) != 1 || out.Send[0].Message.Method != "ping" || len(out.Events) != 0 || out.Close != nil {
		t.Fatalf("after %v: sent %q, events %s, want a ping", d, verbs.Lines(out), reports(out))
	}
	return x
}

// missed lets the ping time out.
func missed(t *testing.T, x verbs.Side) verbs.Side {
	t.Helper()
	id := x.LastID()
	x, out := x.Tick(50 * ms)
	if strings.Join(verbs.Lines(out), "\n") != cancelledLine(id, "timed out") || reports(out) != "request failed" || x.Phase() != lifecycle.Ready {
		t.Fatalf("a miss: sent %q, events %s, %v", verbs.Lines(out), reports(out), x.Phase())
	}
	return x
}

// Case 44: any answer is a sign of life, and one miss ends nothing.
func Test44AnyAnswerIsLife(t *testing.T) {
	for _, role := range roles {
		for name, answer := range map[string]string{
			"result": `"result":{}`, "result with more": `"result":{"a":1,"_meta":{"b":null}}`, "internal error": `"error":{"code":-32603,"message":"m"}`,
			"own error": `"error":{"code":7,"message":""}`, "no error": `"error":"busy"`, "neither": `"x":1`, "both": `"result":{},"error":{"code":1,"message":"m"}`,
		} {
			x := missed(t, pinged(t, pinging(t, role), 100*ms))
			x = pinged(t, x, 50*ms)
			x, _ = x.Receive(`{"jsonrpc":"2.0","id":` + x.LastID() + `,` + answer + `}`)
			x = missed(t, pinged(t, x, 100*ms)) // the first again, otherwise the session would be over
			if x = pinged(t, x, 50*ms); x.Phase() != lifecycle.Ready {
				t.Errorf("%v, %s: %v", role, name, x.Phase())
			}
		}
	}
}

// Case 44: a peer that does not support ping is alive and is not pinged again, with any
// limit of misses.
func Test44PingIsNotSupported(t *testing.T) {
	for _, role := range roles {
		first := pinged(t, pinging(t, role), 100*ms)
		second := pinged(t, missed(t, first), 50*ms)
		for _, x := range []verbs.Side{first, second} {
			x, out := x.Receive(`{"jsonrpc":"2.0","id":` + x.LastID() + `,"error":{"code":-32601,"message":"m"}}`)
			if len(out.Send) != 0 || x.Phase() != lifecycle.Ready {
				t.Errorf("%v: sent %q, %v", role, verbs.Lines(out), x.Phase())
			}
			if due, some := x.NextDeadline(); some {
				t.Errorf("%v: something is due at %v", role, due)
			}
			x, out = x.Tick(time.Hour)
			silent(t, "an hour later", out, "")
			alive(t, x)
		}
	}
}

// Case 44: two misses in a row end the session, once.
func Test44TwoMisses(t *testing.T) {
	for _, role := range roles {
		x := pinged(t, missed(t, pinged(t, pinging(t, role), 100*ms)), 50*ms)
		x, out := x.Tick(50 * ms)
		if out.Close == nil || out.Close.Kind != lifecycle.CausePeerSilent || x.Phase() != lifecycle.ShuttingDown || len(verbs.Events(out, lifecycle.PhaseChanged)) != 1 {
			t.Fatalf("%v: close %v, %v, events %s", role, out.Close, x.Phase(), reports(out))
		}
		x, out = x.Tick(time.Hour)
		silent(t, "an hour later", out, "")
		if x, out = x.Disconnected(nil); x.Phase() != lifecycle.Disconnected || reports(out) != "phase changed" {
			t.Errorf("%v: %v, events %s", role, x.Phase(), reports(out))
		}
	}
}

// Case 44: after a jump of the clock one ping is sent, and at most one is open.
func Test44JumpingClock(t *testing.T) {
	for _, role := range roles {
		x := pinging(t, role)
		for _, jump := range []time.Duration{100 * ms, 10 * time.Second, 1000 * time.Hour} {
			x = pinged(t, x, jump)
			if x.Status().Outbound != 1 {
				t.Errorf("%v, after %v: %d pings are on their way", role, jump, x.Status().Outbound)
			}
			var out lifecycle.Output
			x, out = x.Tick(49 * ms)
			silent(t, "while it is on its way", out, "")
			x, _ = x.Receive(x.Result("{}"))
		}
	}
}
