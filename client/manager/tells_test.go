package manager_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// What a server tells of is what it declared, in a session, and what it agreed to, without one: for as long as the
// subscription is open.
//
// rows: SUBS-009
// revisions: 2026-07-28
func TestTells(t *testing.T) {
	lists := func(r *rig) (list string) {
		for _, l := range protocol.Lists() {
			if r.m.Tells("a", l) {
				list += l.Member + " "
			}
		}
		return list
	}
	const all = "tools resources resourceTemplates "
	r := newBoth(t, time.Minute)
	if lists(r) != "" {
		t.Error("of no server:", lists(r))
	}
	r.do(r.m.Connect(r.now, "a", manager.Options{}))
	r.meet("a")
	if lists(r) != "" {
		t.Error("before it agrees:", lists(r))
	}
	ack := func(granted string) {
		r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{%s},"_meta":{"io.modelcontextprotocol/subscriptionId":%d}}}`, granted, lastID(t, r.all)))
	}
	ack(`"toolsListChanged":true`)
	if lists(r) != "tools " || r.m.Tells("a", new(protocol.List)) {
		t.Error(lists(r))
	}
	if got := events(r.out, manager.SessionEvent); len(got) != 1 || got[0].Session.Kind != lifecycle.Downgraded || string(got[0].Session.Body) != `{"resourcesListChanged":true}` {
		t.Errorf("%+v", got)
	}
	m, err := manager.Restore(bothConfig(time.Minute), r.m.Snapshot(), r.now, func(string) (manager.Options, bool) { return manager.Options{}, true })
	if err != nil {
		t.Fatal(err)
	}
	if r.m = m; lists(r) != "tools " {
		t.Error("restored:", lists(r))
	}
	r.do(r.m.Request(r.now, "a", protocol.SubscribeParams{URI: "a:b"}, manager.RequestOptions{}))
	ack(`"toolsListChanged":true,"resourcesListChanged":true,"promptsListChanged":true`)
	if lists(r) != all+"prompts " { // which it did not declare, and tells of all the same
		t.Error(lists(r))
	}
	r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"resultType":"complete"}}`, lastID(t, r.all)))
	if lists(r) != "" {
		t.Error("after its end:", lists(r))
	}
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Ended, Link: r.link("a")}))
	r = newBoth(t, time.Minute)
	r.do(r.m.Connect(r.now, "a", manager.Options{Handshake: true}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
	if r.say("a", hello(lastID(t, r.out))); lists(r) != all {
		t.Error("a session:", lists(r))
	}
}

// A list is fresh until its first page is not, by what a server without sessions says: at most a day. A session says nothing.
//
// rows: CACH-018
// revisions: 2026-07-28
func TestFreshUntil(t *testing.T) {
	for _, c := range []struct {
		first, second string
		want          time.Duration
	}{
		{`,"ttlMs":5000`, `,"ttlMs":3000`, 4 * time.Second}, // the second comes a second later
		{`,"ttlMs":3000`, `,"ttlMs":5000`, 3 * time.Second},
		{`,"ttlMs":1.5`, `,"ttlMs":1e300`, 1500 * time.Microsecond},
		{`,"ttlMs":1e300`, `,"ttlMs":9223372036854775807`, 24 * time.Hour},
		{`,"ttlMs":5000`, ``, time.Second},
		{`,"ttlMs":-5000`, `,"ttlMs":5000`, 0},
	} {
		for _, restored := range []bool{false, true} {
			r := newBoth(t, lifecycle.NoTimeout)
			r.do(r.m.Connect(r.now, "a", manager.Options{}))
			r.meet("a")
			began := r.now
			out := r.do(r.m.List(r.now, "a", "tools/list", manager.Budget{}))
			r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[],"nextCursor":"2"%s}}`, lastID(t, out), c.first))
			id := lastID(t, r.out)
			r.sleep(time.Second)
			if r.take(r.m.Tick(r.now)); restored { // a snapshot counts from the last step
				m, err := manager.Restore(bothConfig(lifecycle.NoTimeout), r.m.Snapshot(), r.now, func(string) (manager.Options, bool) { return manager.Options{}, true })
				if err != nil {
					t.Fatal(err)
				}
				r.m = m
			}
			ev := done(t, r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[]%s}}`, id, c.second)), out.Op)
			if got := ev.FreshUntil.Sub(began); ev.Err != nil || got != c.want {
				t.Errorf("%s and %s: %v, want %v", c.first, c.second, got, c.want)
			}
		}
	}
	r := newBoth(t, lifecycle.NoTimeout)
	r.do(r.m.Connect(r.now, "a", manager.Options{Handshake: true}))
	r.take(r.m.Report(r.now, manager.Report{Kind: manager.Opened, Link: r.link("a")}))
	r.say("a", hello(lastID(t, r.out)))
	out := r.do(r.m.List(r.now, "a", "tools/list", manager.Budget{}))
	if ev := done(t, r.say("a", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"tools":[],"ttlMs":5000}}`, lastID(t, out))), out.Op); !ev.FreshUntil.IsZero() {
		t.Error("of a session:", ev.FreshUntil)
	}
}
