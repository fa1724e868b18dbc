package relay_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// rest ends the servers.
func (w *world) rest() {
	w.t.Helper()
	w.later(func() { w.relay(w.r.Rest(w.s, w.now)) })
	for name, p := range w.peers {
		if p.open {
			w.t.Errorf("%s runs still", name)
		}
	}
}

// Servers that rest cost no connection. What they listed stays, and the next request brings them
// back: nobody is told of anything that did not change, whatever the policy of loss.
func TestRest(t *testing.T) {
	for _, loss := range []naming.Loss{naming.Hide, naming.Keep} {
		w := newWorld(t, []string{"left", "right"}, func(w *world) {
			w.cfg.Naming.OnLoss, w.moves = loss, true
			w.peers["left"].cfg.Logging = true
		})
		w.pass(time.Second)
		want := w.list("tools/list")
		if len(want) != 6 {
			t.Fatal(want)
		}
		w.ask("logging/setLevel", `{"level":"error"}`)
		w.rest()
		w.pass(time.Hour)
		if !w.r.Resting() || w.count(toolsChanged) != 0 || w.peers["left"].opens != 1 {
			t.Error(w.r.Resting(), w.count(toolsChanged), w.peers["left"].opens)
		}
		for _, st := range w.r.Statuses() {
			if st.Condition != manager.Idle {
				t.Error(st)
			}
		}
		if got := w.list("tools/list"); !slices.Equal(got, want) {
			t.Error(got)
		}
		if w.r.Resting() || w.peers["left"].opens != 2 || w.peers["right"].opens != 2 {
			t.Error("not connected again")
		}
		w.pass(time.Minute)
		if n := w.count(toolsChanged); n != 0 {
			t.Errorf("told %d times", n)
		}
		levels := 0
		for _, m := range w.peers["left"].got {
			if m.Method == "logging/setLevel" {
				levels++
			}
		}
		if levels != 2 {
			t.Errorf("the level was set %d times", levels)
		}
		w.result(w.call("right"))
	}
}

// A call of a server that rests waits until the server is back, and one of a name that no server
// has until that is known.
func TestRestCalls(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	w.pass(time.Second)
	w.list("tools/list")
	w.rest()
	w.rest() // again is nothing
	w.peers["right"].mute = true
	left, right, none := w.call("left"), w.call("right"), w.call("none")
	w.result(left)
	for _, req := range []client.Req{right, none} {
		if _, ok := w.end(req); ok {
			t.Error("answered before the server is back")
		}
	}
	w.speak("right")
	w.result(right)
	w.fault(none)
}

// A server that comes back with other tools, and one that does not come back, are told as ever; the
// list keeps what they had until then.
func TestRestChanges(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	w.pass(time.Second)
	was := w.list("tools/list")
	w.rest()
	w.peers["right"].dead = true
	w.peers["left"].h.Tool(protocol.Tool{Name: "new", InputSchema: `{"type":"object"}`}, echo("left"))
	w.peers["left"].mute = true
	if got := w.list("tools/list"); slices.Contains(got, "new") || len(got) > len(was) {
		t.Error(got)
	}
	w.speak("left")
	w.pass(time.Second)
	if w.count(toolsChanged) == 0 {
		t.Error("not told")
	}
	if got := w.list("tools/list"); !slices.Contains(got, "new") || slices.Contains(got, "right") {
		t.Error(got)
	}
}

// Subscriptions are made again, at the server that has them and at no other.
func TestRestSubscriptions(t *testing.T) {
	for _, lost := range []bool{false, true} { // also of a server that is just lost
		w := newWorld(t, []string{"left", "right"}, resources)
		w.pass(time.Second)
		w.result(w.request(protocol.SubscribeParams{URI: "left+own://left"}, noTimeout))
		if lost {
			w.later(func() { w.kill("left") })
		}
		w.rest()
		w.list("tools/list")
		w.pass(time.Second)
		got := w.count("notifications/resources/updated")
		w.on("left")(noReq(w.peers["left"].s.Notify(w.now, protocol.ResourceUpdatedParams{URI: "own://left"}, server.Call{})))
		if w.count("notifications/resources/updated") != got+1 {
			t.Errorf("lost %v: not told of an update", lost)
		}
		asked := 0
		for _, p := range w.peers {
			for _, m := range p.got {
				if m.Method == "resources/subscribe" {
					asked++
				}
			}
		}
		if asked != 2 {
			t.Errorf("lost %v: %d subscriptions were asked for", lost, asked)
		}
	}
}

// Other servers may be configured, and one restarted, while all rest; the end of the session ends
// the rest.
func TestRestOthers(t *testing.T) {
	w := newWorld(t, []string{"left", "right"}, func(w *world) { w.moves = true })
	w.pass(time.Second)
	w.list("tools/list")
	w.rest()
	set := func(r relay.Relay, s server.State, eff relay.Effects, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		w.later(func() { w.relay(r, s, eff) })
	}
	set(w.r.Restart(w.s, w.now, "left"))
	w.defs = w.defs[:1]
	set(w.r.SetServers(w.s, w.now, w.defs))
	w.pass(time.Minute)
	if w.peers["left"].opens != 1 || !w.r.Resting() {
		t.Error("it does not rest any more")
	}
	if got := w.list("tools/list"); slices.Contains(got, "right") {
		t.Error(got)
	}
	w.rest()
	w.later(func() { w.relay(w.r.Close(w.s, w.now)) })
	if w.r.Resting() {
		t.Error("it rests after its end")
	}
	w.later(func() { w.relay(w.r.Rest(w.s, w.now)) })
	if w.r.Resting() {
		t.Error("it rests after its end")
	}
	if r, _, _ := (relay.Relay{}).Rest(w.s, w.now); r.Resting() {
		t.Error("the zero Relay rests")
	}
}

// Calls that are open are answered.
func TestRestWithCalls(t *testing.T) {
	w := newWorld(t, []string{"left"}, func(w *world) { w.moves = true })
	w.pass(time.Second)
	req := w.call("left-slow")
	w.rest()
	w.fault(req)
	if _, ok := w.r.NextDeadline(); ok {
		w.pass(time.Second)
	}
}

// A server that had a session is not asked again what it is after a rest, also by a Relay that was restored meanwhile.
// One that has none any more is found out, and asked from then on.
//
// rows: ERA-017
// revisions: 2026-07-28
func TestRestKeepsTheVerdict(t *testing.T) {
	for _, moves := range []bool{false, true} {
		w := newWorld(t, []string{"left", "right"}, func(w *world) {
			w.cfg.Manager.Client.Revisions, w.moves = protocol.AllRevisions(), moves
			w.peers["right"].cfg.Revisions = protocol.AllRevisions()
		})
		asked := func(name string) int {
			return strings.Count(strings.Join(w.lines, "\n"), "relay>"+name+` {"jsonrpc":"2.0","id":1,"method":"server/discover"`)
		}
		again := func(left, right int) {
			t.Helper()
			w.rest()
			if n := len(w.list("tools/list")); n != 6 {
				t.Error(n, "tools")
			}
			if asked("left") != left || asked("right") != right {
				t.Errorf("moves %v: asked %d and %d times", moves, asked("left"), asked("right"))
			}
		}
		w.pass(time.Second)
		w.list("tools/list")
		again(1, 2)
		again(1, 3)
		if !w.r.Handshake("left") || w.r.Handshake("right") || w.r.Handshake("other") {
			t.Error(w.r.Handshake("left"), w.r.Handshake("right"))
		}
		w.peers["left"].cfg.Revisions = protocol.StatelessRevisions()
		again(1, 4) // what it says to initialize names the revision that it has
		again(2, 5)
		if w.r.Handshake("left") {
			t.Error("it has no sessions any more")
		}
	}
}
