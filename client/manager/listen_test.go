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
func newBoth(t *testing.T, interval time.Duration) *rig { return newRig(t, bothConfig(interval)) }

func bothConfig(interval time.Duration) manager.Config {
	cfg := config()
	cfg.Client.Revisions, cfg.Health.Interval = protocol.AllRevisions(), interval
	return cfg
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
	r.acknowledge(lastID(t, r.all))
	out = r.do(r.m.Request(r.now, "a", protocol.UnsubscribeParams{URI: "a:b"}, manager.RequestOptions{}))
	if got := sent(out, "a"); len(got) != 1 || strings.Contains(got[0], "a:b") {
		t.Error(got)
	}
	out = r.take(r.m.HealthCheck(r.now))
	if ev := done(t, out, out.Op); len(ev.Checkups) != 1 || ev.Checkups[0].Err != nil || len(out.Actions) > 0 {
		t.Errorf("%+v", ev)
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

// That a server has sessions can be said, by an application that knows it, and stays in a snapshot. It counts for a client
// of both eras and for the Endpoint, and no longer than until a handshake fails.
//
// rows: ERA-017
// revisions: 2026-07-28
func TestHandshakeIsKnown(t *testing.T) {
	known := manager.Options{Supervise: true, Handshake: true}
	opened := func(r *rig) string {
		t.Helper()
		out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
		return out.Actions[len(out.Actions)-1].Out.Message.Method
	}
	lost := func(r *rig) {
		r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
		r.sleep(time.Minute)
	}
	restore := func(r *rig) {
		t.Helper()
		m, err := manager.Restore(bothConfig(lifecycle.NoTimeout), r.m.Snapshot(), r.now, func(string) (manager.Options, bool) { return manager.Options{Supervise: true}, true })
		if err != nil {
			t.Fatal(err)
		}
		r.m = m
	}
	for _, restored := range []bool{false, true} {
		r := newBoth(t, lifecycle.NoTimeout)
		r.do(r.m.Connect(r.now, "a", known))
		if restored {
			restore(r)
		}
		if got := opened(r); got != protocol.MethodInitialize {
			t.Fatal(got)
		}
		r.say("a", hello(lastID(t, r.out)))
		if restored {
			restore(r)
		}
		lost(r)
		if got := opened(r); got != protocol.MethodInitialize {
			t.Errorf("lost: %s", got)
		}
		lost(r)
		if got := opened(r); got != protocol.MethodDiscover {
			t.Errorf("the handshake failed: %s", got)
		}
	}
	r := newBoth(t, lifecycle.NoTimeout)
	other := known
	other.Fallbacks = []manager.Fallback{{}}
	r.do(r.m.Connect(r.now, "a", other))
	if got := opened(r); got != protocol.MethodInitialize {
		t.Fatal(got)
	}
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
	if got := opened(r); got != protocol.MethodDiscover {
		t.Errorf("another way: %s", got)
	}
	cfg := config()
	cfg.Client.Revisions = protocol.StatelessRevisions()
	r = newRig(t, cfg)
	r.do(r.m.Connect(r.now, "a", known))
	if got := opened(r); got != protocol.MethodDiscover {
		t.Errorf("a client of one era: %s", got)
	}
	r = newRig(t, config())
	r.do(r.m.Connect(r.now, "a", known))
	opened(r)
	r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"1","capabilities":{},"serverInfo":{"name":"s","version":"2"}}}`, lastID(t, r.all)))
	if s, _ := r.m.Status("a"); s.Condition != manager.Failed {
		t.Errorf("a client of sessions: it would fail again, and is %v", s.Condition)
	}
}

// A resource that a server without sessions does not have is named by the data of its error, whose code says less.
func TestMissingResourceWithoutSession(t *testing.T) {
	r := newBoth(t, time.Minute)
	r.do(r.m.Connect(r.now, "a", manager.Options{}))
	r.meet("a")
	for data, want := range map[string]string{`,"data":{"uri":"file:///y"}`: "file:///y", ``: ""} {
		op := r.do(r.m.Request(r.now, "a", protocol.ReadResourceParams{URI: "file:///x"}, manager.RequestOptions{})).Op
		out := r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32602,"message":"no"%s}}`, lastID(t, r.all), data))
		if e := class(t, done(t, out, op).Err, manager.ClassProtocol); e.URI != want {
			t.Errorf("%q, want %q", e.URI, want)
		}
	}
}

// A server without sessions has two subscriptions at most, the one that is open and the next, however many resources
// are subscribed to and whether it answers or not. One that ends each at once, or acknowledges none, is asked again
// after a while, and not at once, even where links are not pinged, and while other messages come in.
func TestListenIsBounded(t *testing.T) {
	for _, interval := range []time.Duration{time.Minute, lifecycle.NoTimeout} {
		r := newBoth(t, interval)
		r.do(r.m.Connect(r.now, "a", manager.Options{}))
		r.meet("a")
		listens := func() (n int) {
			for _, a := range r.all.Actions {
				if a.Kind == manager.ActSend && a.Out.Message.Method == protocol.MethodListen {
					n++
				}
			}
			return n
		}
		for i := range 100 {
			r.do(r.m.Request(r.now, "a", protocol.SubscribeParams{URI: fmt.Sprintf("a:%d", i)}, manager.RequestOptions{}))
		}
		if n := listens(); n != 1 {
			t.Errorf("%d subscriptions before one is acknowledged", n)
		}
		got := sent(r.acknowledge(lastID(t, r.all)), "a")
		if len(got) != 1 || strings.Count(got[0], `"a:`) != 100 || listens() != 2 {
			t.Errorf("%d, %v", listens(), got)
		}
		r.sleep(time.Minute) // which is not acknowledged
		if n, c := listens(), r.m; n < 3 || n > 4 {
			t.Errorf("%d subscriptions of a server that acknowledges none", n)
		} else if s, _ := c.Client("a"); s.Status().Outbound > 1 {
			t.Errorf("%d requests are open", s.Status().Outbound)
		}
		r.acknowledge(lastID(t, r.all))
		before := listens()
		for range 20 {
			r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"no"}}`, lastID(t, r.all)))
			if listens() != before {
				t.Fatal("it is asked again at once")
			}
			for range 12 {
				r.sleep(5 * time.Second)
				r.say("a", `{"jsonrpc":"2.0","method":"notifications/x"}`)
			}
			if n := listens() - before; n < 1 || n > 2 {
				t.Fatalf("asked %d times in a minute", n)
			}
			before = listens()
		}
	}
}

// A server that had sessions and has none any more is asked what it is: what it says to the handshake that was
// remembered is no reason to give it up.
func TestHandshakeIsForgotten(t *testing.T) {
	r := newBoth(t, lifecycle.NoTimeout)
	r.do(r.m.Connect(r.now, "a", manager.Options{Supervise: true}))
	open := func() { r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")})) }
	open()
	r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32601,"message":"no"}}`, lastID(t, r.all)))
	r.say("a", hello(lastID(t, r.all)))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
	r.sleep(time.Minute)
	open()
	r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"protocolVersion":"2026-07-28","capabilities":{},"serverInfo":{"name":"s","version":"2"}}}`, lastID(t, r.all)))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
	r.sleep(time.Minute)
	r.meet("a")
	if s, _ := r.m.Status("a"); s.Condition != manager.Ready {
		t.Errorf("%+v", s)
	}
}

// A server that announces no list has a subscription for as long as something is subscribed to, and one that the
// table has no room for is opened later.
func TestListenForResourcesAlone(t *testing.T) {
	cfg := config()
	cfg.Client.Revisions, cfg.Health.Interval, cfg.Client.Limits.Outbound = protocol.AllRevisions(), time.Minute, 1
	r := newRig(t, cfg)
	r.do(r.m.Connect(r.now, "a", manager.Options{}))
	out := r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
	bare := strings.Replace(found(lastID(t, out)), caps, `{"tools":{},"resources":{"subscribe":true}}`, 1)
	if got := sent(r.say("a", bare), "a"); len(got) != 0 {
		t.Fatal(got)
	}
	list := r.do(r.m.Request(r.now, "a", protocol.ListToolsParams{}, manager.RequestOptions{Timeout: lifecycle.NoTimeout, Maximum: lifecycle.NoTimeout}))
	if got := sent(r.do(r.m.Request(r.now, "a", protocol.SubscribeParams{URI: "a:b"}, manager.RequestOptions{})), "a"); len(got) != 0 {
		t.Error("there is no room, and it sends", got)
	}
	r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete","tools":[]}}`, lastID(t, list)))
	before := len(r.all.Actions)
	r.sleep(time.Minute)
	if got := r.all.Actions[before:]; len(got) != 1 || !strings.Contains(got[0].Out.Message.Method, "listen") {
		t.Fatal(got)
	}
	if got := sent(r.do(r.m.Request(r.now, "a", protocol.UnsubscribeParams{URI: "a:b"}, manager.RequestOptions{})), "a"); len(got) != 0 {
		t.Error("before it is acknowledged:", got)
	}
	r.acknowledge(lastID(t, r.all))
	if last := r.all.Actions[len(r.all.Actions)-1]; last.Out.Message.Method != protocol.MethodCancelled {
		t.Error("it goes on:", last.Out.Message.Method)
	}
}
