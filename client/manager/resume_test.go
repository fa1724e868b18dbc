package manager_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/protocol"
)

// subscribe subscribes to resources of a server, which agrees.
func (r *rig) subscribe(name string, uris ...string) {
	r.t.Helper()
	for _, uri := range uris {
		r.do(r.m.Request(r.now, name, protocol.SubscribeParams{URI: uri}, manager.RequestOptions{}))
		r.answer(name, `"result":{}`)
	}
}

// reopen loses a connection and opens it again, up to the answer to initialize.
func (r *rig) reopen(name string) manager.Effects {
	r.t.Helper()
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link(name)}))
	r.sleep(time.Second)
	out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link(name)}))
	return r.say(name, hello(lastID(r.t, out)))
}

// Rows B17, E14: a new session gets the log level and the subscriptions of the last one, in the
// order in which they were first made, before the server is ready.
func TestResume(t *testing.T) {
	r := one(t, manager.Options{Supervise: true, Resubscribe: true})
	r.do(r.m.Request(r.now, "a", protocol.SetLevelParams{Level: protocol.LoggingLevel("warning")}, manager.RequestOptions{}))
	r.answer("a", `"result":{}`)
	r.subscribe("a", "z:1", "a:2", "m:3", "b:4")
	r.subscribe("a", "z:1") // again: it keeps its place
	r.do(r.m.Request(r.now, "a", protocol.UnsubscribeParams{URI: "m:3"}, manager.RequestOptions{}))
	r.answer("a", `"result":{}`)
	r.do(r.m.Request(r.now, "a", protocol.SubscribeParams{URI: "no:5"}, manager.RequestOptions{})) // refused: not remembered
	r.answer("a", `"error":{"code":-32002,"message":"no"}`)
	if got := slices.Collect(r.m.Subscriptions("a")); !slices.Equal(got, []string{"z:1", "a:2", "b:4"}) {
		t.Fatal(got)
	}
	out := r.reopen("a")
	got := sent(out, "a")
	for i, want := range []string{"notifications/initialized", `"level":"warning"`, `"uri":"z:1"`, `"uri":"a:2"`, `"uri":"b:4"`} {
		if len(got) != 5 || !strings.Contains(got[i], want) {
			t.Fatalf("%v", got)
		}
	}
	if s, _ := r.m.Status("a"); s.Condition != manager.Restoring || s.ReadyCount != 1 {
		t.Errorf("%+v", s)
	}
	if _, _, err := r.m.Request(r.now, "a", protocol.PingParams{}, manager.RequestOptions{}); err == nil {
		t.Error("it is used before it is ready")
	}
	if _, err := r.m.ServerInfo("a"); err != nil {
		t.Error(err)
	}
	for id := 2; id <= 5; id++ {
		answer := `"result":{}`
		if id == 4 { // what the server refuses is told and forgotten
			answer = `"error":{"code":-32002,"message":"no"}`
		}
		out = r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, answer))
		for _, ev := range events(out, manager.RestoreFailed) {
			if class(t, ev.Err, manager.ClassProtocol); ev.URI != "a:2" || ev.Method != "resources/subscribe" || id != 4 {
				t.Errorf("%+v", ev)
			}
		}
		if s, _ := r.m.Status("a"); (s.Condition == manager.Ready) != (id == 5) {
			t.Errorf("%v after %d", s.Condition, id)
		}
	}
	if n := len(events(r.all, manager.RestoreFailed)); n != 1 {
		t.Error(n)
	}
	if got := slices.Collect(r.m.Subscriptions("a")); !slices.Equal(got, []string{"z:1", "b:4"}) {
		t.Error(got)
	}
	// Another server under the name begins with nothing (row B25), and so does one without
	// Resubscribe.
	r.take(r.m.Disconnect(r.now, "a"))
	r.connect("a", manager.Options{Resubscribe: true})
	if s, _ := r.m.Status("a"); s.Condition != manager.Ready {
		t.Error(s.Condition)
	}
	r = one(t, manager.Options{Supervise: true})
	r.subscribe("a", "z:1")
	r.reopen("a")
	if s, _ := r.m.Status("a"); s.Condition != manager.Ready {
		t.Error(s.Condition)
	}
	for range r.m.Subscriptions("b") {
		t.Error("subscriptions of nobody")
	}
}

// A server that no longer has what is to be restored, or a level that it refuses, holds nothing
// up; one that is mute while it is restored is given up in time; one that is lost meanwhile
// keeps what there is to restore.
func TestResumeFaults(t *testing.T) {
	r := one(t, manager.Options{Supervise: true, Resubscribe: true})
	r.do(r.m.Request(r.now, "a", protocol.SetLevelParams{Level: protocol.LoggingLevel("error")}, manager.RequestOptions{}))
	r.answer("a", `"result":{}`)
	var uris []string
	for i := range 40 {
		uris = append(uris, fmt.Sprintf("a:%d", i))
	}
	r.subscribe("a", uris...)
	out := r.reopen("a")
	if n := len(sent(out, "a")); n != 1+16 {
		t.Fatalf("%d messages at a time", n)
	}
	r.sleep(10 * time.Second)
	r.say("a", `{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no level"}}`)
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
	if got := slices.Collect(r.m.Subscriptions("a")); !slices.Equal(got, uris) {
		t.Fatal(got)
	}
	r.sleep(2 * time.Second)
	r.shake("a")
	r.sleep(5 * time.Minute) // mute
	if s, _ := r.m.Status("a"); s.Condition != manager.Waiting || len(slices.Collect(r.m.Subscriptions("a"))) != 40 {
		t.Errorf("%+v", s)
	}
	r.sleep(4 * time.Second)
	out = r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
	out = r.say("a", strings.Replace(hello(lastID(t, out)), caps, `{"tools":{}}`, 1))
	if s, _ := r.m.Status("a"); s.Condition != manager.Ready || len(events(out, manager.RestoreFailed)) != 40 {
		t.Errorf("%+v", s)
	}
}

// The roots that SetRoots gave outlive the session, and are announced where that was declared
// (row B22).
func TestRoots(t *testing.T) {
	cfg := config()
	cfg.Client.Roots = []protocol.Root{{URI: "file:///a"}}
	cfg.Client.RootsListChanged = true
	r := newRig(t, cfg)
	r.connect("a", manager.Options{Supervise: true})
	r.connect("b", manager.Options{})
	out := r.do(r.m.SetRoots(r.now, "a", []protocol.Root{{URI: "file:///b"}}))
	if got := sent(out, "a"); len(got) != 1 || !strings.Contains(got[0], "roots/list_changed") {
		t.Error(got)
	}
	r.reopen("a")
	for name, want := range map[string]string{"a": "file:///b", "b": "file:///a"} {
		if got := sent(r.say(name, `{"jsonrpc":"2.0","id":"r","method":"roots/list"}`), name); len(got) != 1 || !strings.Contains(got[0], want) {
			t.Error(name, got)
		}
	}
	if got := sent(r.do(r.m.Notify(r.now, "b", protocol.RootsListChangedParams{}, manager.Call{})), "b"); len(got) != 1 {
		t.Error(got)
	}
	if _, _, err := r.m.SetRoots(r.now, "a", []protocol.Root{{URI: "https://x"}}); err == nil {
		t.Error("a root that is no file") // row B26
	}
	r = one(t, manager.Options{})
	_, _, err := r.m.Notify(r.now, "a", protocol.RootsListChangedParams{}, manager.Call{})
	class(t, err, manager.ClassUnsupported)
	_, _, err = r.m.SetRoots(r.now, "a", nil)
	class(t, err, manager.ClassUnsupported)
}
