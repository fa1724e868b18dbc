package gating_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/conformance/verbs"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

const sec = time.Second

// dueAt checks that a Tick one nanosecond before at does nothing, that these kinds of
// events occur at it, and that NextDeadline announced it.
func dueAt(x verbs.Side, at time.Duration, want string) (verbs.Side, lifecycle.Output) {
	x.T.Helper()
	when := x.Now.Add(at)
	if next, ok := x.NextDeadline(); !ok || !next.Equal(when) {
		x.T.Errorf("%v: due at %v (%v), want %v for %s", x.Role, next, ok, when, want)
	}
	if _, out := x.Tick(at - 1); !out.IsZero() {
		x.T.Errorf("%v: a nanosecond early: %q %s", x.Role, verbs.Lines(out), verbs.Kinds(out))
	}
	x, out := x.Tick(at)
	if got := verbs.Kinds(out); got != want {
		x.T.Errorf("%v: at the deadline %s, want %s", x.Role, got, want)
	}
	return x, out
}

func told(x verbs.Side, req lifecycle.Req, value int) verbs.Side {
	x.T.Helper()
	x, _ = x.Receive(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%d}}`, req.Seq(), value))
	return x
}

// Each deadline acts at its instant and not one nanosecond before.
func TestInstants(t *testing.T) {
	for _, role := range parties {
		x := edged(t, role, protocol.Revision20250618, func(_ *lifecycle.Limits, w *lifecycle.Timeouts, _ *lifecycle.Keepalive) {
			w.Inbound = 7 * sec
		})
		ask := func(opt lifecycle.RequestOptions) (verbs.Side, lifecycle.Req) {
			y, out, err := x.Request(protocol.PingParams{}, opt)
			if err != nil {
				t.Fatal(err)
			}
			return y, out.Req
		}
		y, _ := ask(lifecycle.RequestOptions{Timeout: 10})
		dueAt(y, 10, "request failed")
		for _, at := range []time.Duration{9, 10, 11} { // before Tick an answer is never too late
			if _, out := y.After(at).Receive(y.Result("{}")); verbs.Kinds(out) != "response received" {
				t.Errorf("%v: an answer at %d of 10: %s", role, at, verbs.Kinds(out))
			}
		}
		// Progress before the deadline extends it, at the deadline it does not.
		y, req := ask(lifecycle.RequestOptions{Timeout: 10, ResetOnProgress: true})
		dueAt(told(y.After(9), req, 1), 10, "request failed")
		if z := told(y.After(10), req, 1); true {
			if at, _ := z.NextDeadline(); !at.Equal(y.Now.Add(10)) {
				t.Errorf("%v: progress at the deadline puts it off to %v", role, at.Sub(y.Now))
			}
		}
		// The maximum: one less, the exact number, one more.
		for maximum, want := range map[time.Duration]time.Duration{14: 14, 15: 15, 16: 15, lifecycle.NoTimeout: 15} {
			y, req := ask(lifecycle.RequestOptions{Timeout: 10, ResetOnProgress: true, Maximum: maximum})
			dueAt(told(y.After(5), req, 1), want-5, "request failed")
		}
		y, _ = ask(lifecycle.RequestOptions{Timeout: 10, Maximum: 9}) // an explicit one shortens
		dueAt(y, 9, "request failed")

		y, _ = x.Receive(xAsk(1, "{}"))
		dueAt(y, 7*sec, "request expired")
		y, _ = y.Shutdown(5 * sec)
		y, out := dueAt(y, 5*sec, "request lost")
		if out.Close == nil || out.Close.Kind != lifecycle.CauseShutdown {
			t.Errorf("%v: close %v at the end of the grace time", role, out.Close)
		}
	}
}

// The default maximum bounds extension by progress, and does not shorten an explicit
// timeout.
func TestDefaultMaximumInstant(t *testing.T) {
	for _, role := range parties {
		x := edged(t, role, protocol.Revision20250618, func(_ *lifecycle.Limits, w *lifecycle.Timeouts, _ *lifecycle.Keepalive) {
			w.Maximum = 5 * sec
		})
		for timeout, want := range map[time.Duration]time.Duration{5*sec - 1: 5*sec - 1, 5 * sec: 5 * sec, 5*sec + 1: 5*sec + 1, time.Hour: time.Hour} {
			y, _, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: timeout})
			if err != nil {
				t.Fatal(err)
			}
			dueAt(y, want, "request failed")
		}
		if y, _, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: lifecycle.NoTimeout}); err != nil {
			t.Error(err)
		} else if at, ok := y.NextDeadline(); ok {
			t.Errorf("%v: without a timeout it is due at %v", role, at)
		}
		y, out, err := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: 4 * sec, ResetOnProgress: true})
		if err != nil {
			t.Fatal(err)
		}
		dueAt(told(y.After(3*sec), out.Req, 1), 2*sec, "request failed")
	}
}

// Deadlines at one instant act in the order of docs/methods.md and of cause: our
// requests by id, then what they end, then the requests of the peer, then the grace time.
func TestInstantsThatCoincide(t *testing.T) {
	for _, role := range parties {
		x := edged(t, role, protocol.Revision20250618, func(_ *lifecycle.Limits, w *lifecycle.Timeouts, k *lifecycle.Keepalive) {
			w.Inbound, w.Ping, *k = 10*sec, 5*sec, lifecycle.Keepalive{Interval: 10 * sec}
		})
		x, _ = x.Receive(xAsk(1, "{}"))
		x, first, _ := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: 10 * sec})
		x, second, _ := x.Request(protocol.PingParams{}, lifecycle.RequestOptions{Timeout: 10 * sec})
		_, out := dueAt(x, 10*sec, "request failed, request failed, request expired")
		if out.Events[0].Req != first.Req || out.Events[1].Req != second.Req {
			t.Errorf("%v: the order is %v, %v", role, out.Events[0].Req, out.Events[1].Req)
		}
		want := []string{"notifications/cancelled", "notifications/cancelled", "ping", ""}
		for i, o := range out.Send {
			if len(out.Send) != len(want) || o.Message.Method != want[i] {
				t.Errorf("%v: sent %q, want %q", role, verbs.Lines(out), want)
				break
			}
		}
		// At the end of the grace time, simultaneous deadlines have already acted.
		x, _ = x.Shutdown(10 * sec)
		_, out = dueAt(x, 10*sec, "request failed, request failed, request expired")
		if out.Close == nil || out.Close.Kind != lifecycle.CauseShutdown || len(out.Send) != 3 {
			t.Errorf("%v: close %v, sent %q", role, out.Close, verbs.Lines(out))
		}
	}
}

// Pings are sent at their instants; the session ends with the ping that is one too many,
// and a sign of life counts if it arrives after the ping.
func TestKeepaliveInstants(t *testing.T) {
	for _, role := range parties {
		x := edged(t, role, protocol.Revision20250618, func(_ *lifecycle.Limits, w *lifecycle.Timeouts, k *lifecycle.Keepalive) {
			w.Ping, *k = 2*sec, lifecycle.Keepalive{Interval: 10 * sec, Misses: 2}
		})
		x, out := dueAt(x, 10*sec, "")
		if len(out.Send) != 1 || out.Send[0].Message.Method != "ping" || !out.Req.IsZero() {
			t.Errorf("%v: sent %q, Req %v", role, verbs.Lines(out), out.Req)
		}
		y, _ := dueAt(x, 2*sec, "request failed")
		y, _ = dueAt(y, 8*sec, "")
		_, out = dueAt(y, 2*sec, "request failed, phase changed")
		if out.Close == nil || out.Close.Kind != lifecycle.CausePeerSilent {
			t.Errorf("%v: close %v after two pings", role, out.Close)
		}
		life := `{"jsonrpc":"2.0","method":"notifications/x"}`
		for after, silent := range map[time.Duration]bool{0: true, 1: false} {
			z, _ := y.After(after).Receive(life) // the ping has just been sent
			_, out := z.Tick(2*sec - after)
			// A message clears the earlier miss; at the same instant it does not answer this ping.
			if out.Close != nil {
				t.Errorf("%v: silent although something came %v after the ping", role, after)
			}
			z, _ = z.Tick(2*sec - after)
			z, _ = z.Tick(8 * sec)
			_, out = z.Tick(2 * sec)
			if got := out.Close != nil; got != silent {
				t.Errorf("%v: something came %v after a ping, then a ping was missed: closed %v", role, after, got)
			}
		}
	}
}

// List changes are announced at the end of their delay.
func TestAnnouncementInstant(t *testing.T) {
	x := verbs.NewServer(t, server.Config{
		Catalog: catalogOf(t, "a"), Serve: []string{"tools/call"}, ListChanged: protocol.CapToolsListChanged, ChangeDelay: 10,
	}).Open(protocol.Revision20250618, `{}`)
	x, out, err := x.Offer(catalogOf(t, "b"))
	if err != nil || !out.IsZero() {
		t.Fatal(err, out)
	}
	_, out = dueAt(x, 10, "")
	if len(out.Send) != 1 || out.Send[0].Message.Method != "notifications/tools/list_changed" {
		t.Errorf("sent %q", verbs.Lines(out))
	}
}

func catalogOf(t *testing.T, tool string) *server.Catalog {
	t.Helper()
	c, err := server.NewCatalog(server.Items{Tools: []protocol.Tool{{Name: tool, InputSchema: `{"type":"object"}`}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
