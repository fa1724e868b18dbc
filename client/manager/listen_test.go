package manager_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// found is the answer to server/discover.
func found(id int64) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":%s,"ttlMs":0,"cacheScope":"private"}}`, id, caps)
}

// newBoth returns a rig of a Manager that speaks both eras.
func newBoth(t *testing.T, interval time.Duration) *rig {
	cfg := config()
	cfg.Client.Revisions, cfg.Health.Interval = protocol.AllRevisions(), interval
	return newRig(t, cfg)
}

// meet opens the transport of a server that has no sessions. It returns what was sent.
func (r *rig) meet(name string) []string {
	r.t.Helper()
	out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link(name)}))
	return sent(r.say(name, found(lastID(r.t, out))), name)
}

// acknowledge acknowledges the subscription that was opened last.
func (r *rig) acknowledge(id int64) manager.Effects {
	r.t.Helper()
	return r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourcesListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":%d}}}`, id))
}

// changes returns the methods of the notifications that a step tells of.
func changes(out manager.Effects) (list []string) {
	for _, ev := range events(out, manager.SessionEvent) {
		if ev.Session.Kind == lifecycle.NotificationReceived {
			list = append(list, ev.Session.Method)
		}
	}
	return list
}

// A server without sessions has one subscription, to the lists that it announces and to the resources that
// were subscribed to. A newer one ends the older when it is open, and what may have been missed between two
// counts as changed.
//
// rows: SUBS-001
// revisions: 2026-07-28
func TestListen(t *testing.T) {
	r := newBoth(t, time.Minute)
	r.do(r.m.Connect(r.now, "a", manager.Options{}))
	if got := r.meet("a"); len(got) != 1 || !strings.Contains(got[0], `"method":"subscriptions/listen"`) ||
		!strings.Contains(got[0], `{"notifications":{"toolsListChanged":true,"resourcesListChanged":true}`) {
		t.Fatal(got)
	}
	first := lastID(t, r.out)
	if out := r.acknowledge(first); len(changes(out)) > 0 || len(out.Actions) > 0 {
		t.Error(render(out, t0))
	}
	changed := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%d}}}`, first)
	if got := changes(r.say("a", changed)); !slices.Equal(got, []string{"notifications/tools/list_changed"}) {
		t.Error(got)
	}

	out := r.do(r.m.Request(r.now, "a", protocol.SubscribeParams{URI: "a:b"}, manager.RequestOptions{}))
	if ev := done(t, out, out.Op); ev.Err != nil || string(ev.Session.Body) != "{}" {
		t.Errorf("%+v", ev)
	}
	if got := sent(out, "a"); len(got) != 1 || !strings.Contains(got[0], `"resourceSubscriptions":["a:b"]`) {
		t.Error(got)
	}
	second := lastID(t, out)
	if got := sent(r.acknowledge(second), "a"); len(got) != 1 || !strings.Contains(got[0], fmt.Sprintf(`"notifications/cancelled","params":{"requestId":%d`, first)) {
		t.Error(got)
	}
	if got := changes(r.out); len(got) > 0 {
		t.Error("nothing was missed:", got)
	}

	// The server ends it.
	r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete"}}`, second))
	before := len(r.all.Actions)
	r.sleep(time.Minute)
	if got := r.all.Actions[before:]; len(got) != 1 || !strings.Contains(got[0].Out.Message.Method, "listen") {
		t.Fatal(got)
	}
	if got := changes(r.acknowledge(lastID(t, r.all))); !slices.Equal(got, []string{"notifications/tools/list_changed", "notifications/resources/list_changed"}) {
		t.Error(got)
	}

	// A server that comes back has all of it at once.
	r.do(r.m.Reconnect(r.now, "a"))
	if got := r.meet("a"); len(got) != 1 || !strings.Contains(got[0], `"resourceSubscriptions":["a:b"]`) {
		t.Error(got)
	}
	r.acknowledge(lastID(t, r.out))
	out = r.do(r.m.Request(r.now, "a", protocol.UnsubscribeParams{URI: "a:b"}, manager.RequestOptions{}))
	if got := sent(out, "a"); len(got) != 1 || strings.Contains(got[0], "a:b") {
		t.Error(got)
	}
	out = r.take(r.m.HealthCheck(r.now))
	if ev := done(t, out, out.Op); len(ev.Checkups) != 1 || ev.Checkups[0].Err != nil || len(out.Actions) > 0 {
		t.Errorf("%+v", ev)
	}
}

// However many resources are subscribed to at once, a server has two subscriptions open at most, the last of which is
// to all of them; and one that ends is opened again also where nothing is pinged, or where the server is never silent.
func TestListenToMany(t *testing.T) {
	for _, interval := range []time.Duration{time.Minute, lifecycle.NoTimeout} {
		r := newBoth(t, interval)
		r.do(r.m.Connect(r.now, "a", manager.Options{}))
		r.meet("a")
		first := lastID(t, r.out)
		for i := range 100 {
			if out := r.do(r.m.Request(r.now, "a", protocol.SubscribeParams{URI: fmt.Sprint("a:", i)}, manager.RequestOptions{})); len(out.Actions) > 0 {
				t.Fatal(render(out, t0))
			}
		}
		got := sent(r.acknowledge(first), "a")
		if len(got) != 1 || !strings.Contains(got[0], `"a:0"`) || !strings.Contains(got[0], `"a:99"`) {
			t.Fatal(got)
		}
		second := lastID(t, r.out)
		if got := sent(r.acknowledge(second), "a"); len(got) != 1 || !strings.Contains(got[0], fmt.Sprintf(`"requestId":%d`, first)) {
			t.Error(got)
		}
		r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32603,"message":"no"}}`, second))
		before := len(r.all.Actions)
		for range 60 { // it is never silent
			r.sleep(time.Second)
			r.say("a", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`)
		}
		if got := r.all.Actions[before:]; len(got) != 1 || !strings.Contains(got[0].Out.Message.Method, "listen") {
			t.Errorf("interval %v: %v", interval, got)
		}
	}
}

// A server that had a session is not asked again what it is, until a handshake fails. One that dies of the
// question is opened again for a handshake, once.
//
// rows: ERA-018
// revisions: 2026-07-28
func TestHandshakeIsRemembered(t *testing.T) {
	method := func(out manager.Effects) string {
		t.Helper()
		for _, a := range out.Actions {
			if a.Kind == manager.ActSend {
				return a.Out.Message.Method
			}
		}
		return ""
	}
	open := func(r *rig) string {
		return method(r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")})))
	}
	r := newBoth(t, lifecycle.NoTimeout)
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
	if got := open(r); got != protocol.MethodDiscover {
		t.Fatal(got)
	}
	died := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a"), Err: errors.New("it died")}))
	if len(died.Actions) != 1 || died.Actions[0].Kind != manager.ActOpen {
		t.Fatal(render(died, t0))
	}
	if got := open(r); got != protocol.MethodInitialize {
		t.Fatal(got)
	}
	r.say("a", hello(lastID(t, r.out)))
	for _, want := range []string{protocol.MethodInitialize, protocol.MethodDiscover} {
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
		r.sleep(time.Minute)
		if got := open(r); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	// It died within initialize, and then of the question again.
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
	if got := open(r); got != protocol.MethodInitialize {
		t.Error(got)
	}
	if out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")})); len(out.Actions) > 0 {
		t.Error("it is opened again at once:", render(out, t0))
	}
}
