package relay_test

import (
	"slices"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// resume has another relay go on with the session, as if the process of the first had died with its servers.
func (w *world) resume() {
	w.t.Helper()
	for _, p := range w.peers {
		p.open, p.got = false, nil
	}
	r, err := relay.New(w.cfg, w.defs, w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	w.r = r
	w.later(func() { w.relay(w.r.Resume(w.s, w.now)) })
}

// A Relay goes on with a session that began at another one, which left nothing but the State: its servers get the
// level and the subscriptions, the client hears of their news under its own uris, and that the lists have changed.
func TestResume(t *testing.T) {
	w := newWorld(t, []string{"left", "right"}, func(w *world) {
		for _, p := range w.peers {
			p.cfg.Logging = true
		}
	}, resources)
	w.pass(time.Second)
	want := w.list("tools/list")
	w.ask("logging/setLevel", `{"level":"error"}`)
	for _, uri := range []string{"own://left", "own://right"} {
		if body := w.ask("resources/subscribe", `{"uri":"`+uri+`"}`); body != "{}" {
			t.Fatal(body)
		}
	}
	before := w.count(toolsChanged)
	w.resume()
	w.pass(time.Minute)
	if got := w.list("tools/list"); !slices.Equal(got, want) {
		t.Error(got)
	}
	if n := w.count(toolsChanged) - before; n != 1 {
		t.Errorf("told %d times that tools have changed", n)
	}
	methods := func(name string) (list []string) {
		for _, m := range w.peers[name].got {
			if m.Method == "logging/setLevel" || m.Method == "resources/subscribe" || m.Method == "resources/unsubscribe" {
				list = append(list, m.Method)
			}
		}
		return list
	}
	for name := range w.peers {
		if got := methods(name); !slices.Equal(got, []string{"logging/setLevel", "resources/subscribe"}) {
			t.Error(name, got)
		}
	}
	news := func(name string) int {
		before := w.count("notifications/resources/updated")
		w.on(name)(w.peers[name].s.Notify(w.now, protocol.ResourceUpdatedParams{URI: "own://" + name}, server.Call{}))
		return w.count("notifications/resources/updated") - before
	}
	if news("left") != 1 || news("right") != 1 {
		t.Error("the client does not hear of what it had subscribed to")
	}
	if err := w.r.Check(w.s); err != nil {
		t.Error(err)
	}
	for _, uri := range []string{"own://left", "own://right"} {
		if body := w.ask("resources/unsubscribe", `{"uri":"`+uri+`"}`); body != "{}" {
			t.Error(body)
		}
		if err := w.r.Check(w.s); err != nil {
			t.Error(err)
		}
	}
	if news("left")+news("right") != 0 {
		t.Error("it hears of what it has unsubscribed from")
	}
	if got := methods("right"); !slices.Equal(got, []string{"logging/setLevel", "resources/subscribe", "resources/unsubscribe"}) {
		t.Error(got)
	}
	// It does nothing in a session that is over, or has not begun.
	over, _ := w.s.Disconnected(w.now, nil)
	if _, s, eff := w.r.Resume(over, w.now); s != over || len(eff.Actions) > 0 {
		t.Error(eff)
	}
}
