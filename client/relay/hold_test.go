package relay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
)

// The first list waits for servers that are on their way: each in its own time, one that is mute for
// Lists.Hold, and in a later session, which is told what was learned, hardly longer than for the
// others. Those that come late are announced.
func TestStartup(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		var names []string
		for i := range 11 {
			names = append(names, fmt.Sprintf("s%02d", i))
		}
		learned := map[string]time.Duration{}
		session := func() (took time.Duration, n int, w *world) {
			w = newWorld(t, names, as, mute(names...), func(w *world) {
				for i := range w.defs {
					w.defs[i].Startup = learned[w.defs[i].Name]
				}
			})
			began := w.now
			list := w.request(protocol.ListToolsParams{}, client.RequestOptions{})
			for i, name := range names[:10] {
				w.pass(time.Duration(i) * 30 * time.Millisecond) // the last after 1.35 s
				w.speak(name)
			}
			for _, ok := w.end(list); !ok; _, ok = w.end(list) {
				w.pass(10 * time.Millisecond)
			}
			took = w.now.Sub(began)
			for _, name := range names {
				if strings.Contains(w.result(list), `"`+name+`-slow"`) {
					n++
				}
			}
			return took, n, w
		}
		took, n, w := session()
		if n != 10 || took != defaultHold {
			t.Errorf("%d servers after %v", n, took)
		}
		for i, name := range names {
			learned[name] = w.r.Startup(name)
			if d := learned[name]; i < 10 && (d <= 0 || d > 1400*time.Millisecond) || i == 10 && d != lifecycle.NoTimeout {
				t.Errorf("%s took %v", name, d)
			}
		}
		// In the same session it is waited for no more.
		if got := w.list("tools/list"); !slices.Contains(got, "s00") {
			t.Errorf("%q", got)
		}
		if took, n, w = session(); n != 10 || took > 1350*time.Millisecond {
			t.Errorf("later: %d servers after %v", n, took)
		}
		if d := w.r.Startup("s10"); d != 0 {
			t.Errorf("it is said of s10 that it took %v", d)
		}
		w.speak("s10")
		w.pass(time.Second)
		if n := w.count(toolsChanged); n != 1 {
			t.Errorf("%d announcements", n)
		}
		if d := w.r.Startup("s10"); d < time.Second || d > 2*time.Second {
			t.Errorf("it is said of s10 that it took %v", d)
		}
		if w.r.Startup("none") != 0 || (relay.Relay{}).Startup("s10") != 0 {
			t.Error("something is known of nobody")
		}
	})
}

// What was learned bounds what a list waits: twice the time and a second, and never Lists.Hold.
func TestStartupBounds(t *testing.T) {
	const hold = defaultHold
	for startup, want := range map[time.Duration]time.Duration{
		0: hold, 1: time.Second + 2, time.Second: 3 * time.Second, 2 * time.Second: hold, hold / 2: hold, hold: hold, hold + 1: 0, lifecycle.NoTimeout: 0, 1<<63 - 1: 0,
	} {
		w := newWorld(t, []string{"a", "b"}, mute("b"), func(w *world) { w.defs[1].Startup = startup })
		began := w.now
		list := w.request(protocol.ListToolsParams{}, client.RequestOptions{})
		call := w.request(protocol.CallToolParams{Name: "none"}, client.RequestOptions{})
		for _, req := range []client.Req{list, call} {
			if _, ok := w.end(req); ok != (want == 0) {
				t.Errorf("%v: ended at once: %v", startup, ok)
			}
		}
		if want > 0 {
			w.pass(want - 1)
			if _, ok := w.end(list); ok {
				t.Errorf("%v: the list waited less than %v", startup, want)
			}
			w.pass(1)
		}
		w.result(list)
		if e := w.fault(call); e.Code != -32602 || w.now.Sub(began) != want {
			t.Errorf("%v: %+v after %v", startup, e, w.now.Sub(began))
		}
	}
}

// A server that hangs in its handshake has an unknown tool, prompt, uri or ref wait for Lists.Hold
// and no longer, and then it is unknown. Later ones do not wait, whatever becomes of the server.
func TestUnknownBesideServerThatHangs(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"a", "hung"}, as, resources, mute("hung"))
		ask := func() (reqs []client.Req) {
			for method, params := range map[string]string{
				"tools/call": `{"name":"none"}`, "prompts/get": `{"name":"none"}`, "resources/read": `{"uri":"none:x"}`, "resources/subscribe": `{"uri":"none:x"}`,
				"completion/complete": `{"ref":{"type":"ref/prompt","name":"none"},"argument":{"name":"x","value":""}}`,
			} {
				reqs = append(reqs, w.request(protocol.RawRequest{Name: method, Body: protocol.Raw(params)}, noTimeout))
			}
			return reqs
		}
		unknown := func(reqs []client.Req) {
			t.Helper()
			for _, req := range reqs {
				if e := w.fault(req); e.Code != -32602 && e.Code != -32002 {
					t.Errorf("%+v", e)
				}
			}
		}
		first := ask()
		w.pass(defaultHold - 1)
		for _, req := range first {
			if ev, ok := w.end(req); ok {
				t.Fatalf("%+v", ev)
			}
		}
		w.pass(1)
		unknown(first)
		for range 10 {
			unknown(ask())
			w.pass(7 * time.Second)
		}
	})
}

// A uri that nobody lists is asked of the next server when one does not answer, and of that again
// at last. Nothing waits behind a server that has stopped.
func TestUnlistedBesideServerThatStopped(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"stopped", "other", "third"}, as, func(w *world) {
			for _, p := range w.peers {
				p.h.Offer(protocol.CapResources)
				p.cfg.Unlisted = true
				p.cfg.Serve = []string{"resources/read"}
			}
		})
		w.list("tools/list")
		w.peers["stopped"].mute = true
		read := func(uri string) client.Req {
			return w.request(protocol.ReadResourceParams{URI: uri}, noTimeout)
		}
		answer := func(name string, known bool) {
			t.Helper()
			p := w.peers[name]
			if known {
				w.on(name)(noReq(p.s.Respond(w.now, w.held(name), protocol.Raw(`{"contents":[]}`))))
			} else {
				w.on(name)(noReq(p.s.Fail(w.now, w.held(name), protocol.ResourceList.Unknown("x:y"))))
			}
		}
		// Another server has it.
		req := read("x:1")
		w.pass(defaultHold - 1)
		if w.askedFor("other", "x:1") {
			t.Error("the next was asked too early")
		}
		w.pass(1)
		answer("other", true)
		w.result(req)
		if w.askedFor("third", "x:1") {
			t.Error("a third was asked")
		}
		// Nobody has it: the one that is slow is asked again, and then it is unknown.
		req = read("x:2")
		w.pass(defaultHold)
		answer("other", false)
		answer("third", false)
		w.pass(defaultHeldTime - 1)
		if ev, ok := w.end(req); ok {
			t.Errorf("%+v", ev)
		}
		w.pass(1)
		if e := w.fault(req); e.Code != -32002 || !strings.Contains(string(e.Data), "x:2") {
			t.Errorf("%+v", e)
		}
		// It was only slow.
		w.kill("stopped")
		w.peers["stopped"].mute = false
		w.pass(time.Minute)
		w.peers["stopped"].mute = true
		req = read("x:3")
		w.pass(defaultHold)
		answer("other", false)
		w.peers["stopped"].mute = false
		answer("third", false)
		answer("stopped", true)
		w.result(req)
		// A server whose new Filter keeps the uri out is not asked.
		w.peers["stopped"].mute = true
		req = read("x:4")
		for i := range w.defs {
			if w.defs[i].Name == "other" {
				w.defs[i].Filter = catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.ResourceList, Name: "x:4"}}}
			}
		}
		r, s, eff, err := w.r.SetServers(w.s, w.now, w.defs)
		if err != nil {
			t.Fatal(err)
		}
		w.relay(r, s, eff)
		w.pass(defaultHold)
		if w.askedFor("other", "x:4") {
			t.Error("a server was asked for what its Filter keeps out")
		}
		answer("third", true)
		w.result(req)
	})
}

// A session that ends with everything under way leaves nothing for the next one of the same Relay:
// its first list waits for the servers, and nothing wakes it meanwhile.
func TestNothingSpoilsTheNextSession(t *testing.T) {
	for name, end := range map[string]func(w *world){
		"disconnected": func(w *world) {
			s, out := w.s.Disconnected(w.now, nil)
			w.relay(w.r.Handle(s, w.now, out))
		},
		"closed": func(w *world) {
			w.relay(w.r.Close(w.s, w.now))
			s, out := w.s.Disconnected(w.now, nil)
			w.relay(w.r.Handle(s, w.now, out))
		},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, as option) {
				w := newWorld(t, []string{"a", "b"}, as, resources)
				w.list("tools/list")
				w.call("a-slow")
				w.ask("resources/subscribe", `{"uri":"own://b"}`)
				for _, p := range w.peers {
					p.mute = true
				}
				w.pass(2 * time.Second)
				for _, n := range []string{"a", "b"} { // listings that do not come to an end
					w.say(n, `{"jsonrpc":"2.0","method":"`+toolsChanged+`"}`)
				}
				w.call("mcp.a.a")
				end(w) // world checks that nothing is left
				w.pass(time.Minute)
				if at, ok := w.r.NextDeadline(); ok {
					t.Errorf("it wakes in %v", at.Sub(w.now))
				}
				s, err := w.s.Reset(w.now)
				if err != nil {
					t.Fatal(err)
				}
				w.s, w.sAt = s, w.now
				if w.c, err = client.New(w.cc, w.now); err != nil {
					t.Fatal(err)
				}
				w.client(must(w.c.Initialize(w.now)))
				list := w.request(protocol.ListToolsParams{}, client.RequestOptions{})
				if ev, ok := w.end(list); ok {
					t.Errorf("it did not wait: %s", ev.Body)
				}
				w.speak("a")
				w.speak("b")
				if body := w.result(list); !strings.Contains(body, `"a"`) || !strings.Contains(body, `"b"`) {
					t.Error(body)
				}
			})
		})
	}
}

// OnDemand is no option of a server behind a Relay: it is opened with the session.
func TestNotOnDemand(t *testing.T) {
	w := newWorld(t, []string{"a"}, func(w *world) { w.defs[0].Options = manager.Options{Endpoint: "a", OnDemand: true} })
	w.result(w.call("a"))
}
