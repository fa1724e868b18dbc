package relay_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/server"
)

// Of strangers, nobody is asked what another one's call led to, nor told what its server logs: not when that call
// waits for its answer, and not when it has ended meanwhile.
func TestStrangersAreApart(t *testing.T) {
	form := protocol.RawRequest{Name: protocol.MethodElicitationCreate, Body: askName}
	for _, strangers := range []bool{false, true} {
		w, _, _ := parked(t, func(w *world) {
			w.cfg.Strangers = strangers
			w.peers["left"].cfg.Logging = true
		})
		first := w.peers["left"].calls[0].Call
		other := w.raw(`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"left-slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/logLevel":"debug"}}}`)
		if other != "" {
			t.Fatal(other)
		}
		n := len(w.lines)
		heard := func() bool {
			for _, line := range w.lines[n:] {
				if strings.HasPrefix(line, "relay>client ") {
					return true
				}
			}
			return false
		}
		w.on("left")(w.peers["left"].s.Notify(w.now, protocol.LoggingMessageParams{Level: "error", Data: `"secret"`}, first))
		if heard() == strangers {
			t.Errorf("strangers %t: log %t", strangers, heard())
		}
		n = len(w.lines)
		w.asks("left", form, first)
		if heard() == strangers {
			t.Errorf("strangers %t: asked %t", strangers, heard())
		}
	}

	w, _, _ := parked(t, func(w *world) { w.cfg.Strangers = true })
	w.call("left-slow")
	n := len(w.lines)
	w.on("left")(w.peers["left"].s.Respond(w.now, w.peers["left"].calls[0].Call, protocol.TextResult("early")))
	for _, line := range w.lines[n:] {
		if strings.HasPrefix(line, "relay>client ") {
			t.Error("asked in place of another:", line)
		}
	}
}

// A call whose client does not come back is given up even where calls may take for ever.
func TestParkedExpiresWithoutTimeout(t *testing.T) {
	w, _, _ := parked(t, func(w *world) { w.cfg.CallTimeout = lifecycle.NoTimeout })
	w.pass(10*time.Minute - 1)
	if strings.Contains(strings.Join(w.lines, "\n"), "notifications/cancelled") {
		t.Fatal("too early")
	}
	w.pass(2)
	w.last("relay>left", "notifications/cancelled")
}

// A server is subscribed to as long as anything of the client's names the resource: a session, a subscription without
// one, under the one name or the other.
func TestSubscribedUnderSeveralNames(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as, resources, func(w *world) { w.down.Revisions = protocol.AllRevisions() })
		listen := func(id, uri string) {
			w.raw(`{"jsonrpc":"2.0","id":"` + id + `","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["` + uri + `"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
		}
		stop := func(id string) {
			w.raw(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"` + id + `"}}`)
		}
		updates := func() int {
			n := len(w.lines)
			w.on("left")(w.peers["left"].s.Notify(w.now, protocol.ResourceUpdatedParams{URI: "own://left"}, server.Call{}))
			return strings.Count(strings.Join(w.lines[n:], "\n"), "relay>client ")
		}
		w.ask("resources/subscribe", `{"uri":"own://left"}`)
		listen("a", "own://left")
		w.ask("resources/unsubscribe", `{"uri":"own://left"}`)
		if n := updates(); n != 1 {
			t.Errorf("%d after the session has left", n)
		}
		listen("b", "left+own://left")
		stop("a")
		if n := updates(); n != 1 {
			t.Errorf("%d under the other name", n)
		}
		stop("b")
		w.last("relay>left", `resources/unsubscribe`)
		if n := updates(); n != 0 {
			t.Errorf("%d with nobody left", n)
		}
	})
}

// Members that carry answers are those of requests within which a server may ask. A custom method may have its own,
// and what a client says of itself does not reach the server with a notification either.
func TestCustomMethodsWithAnEnvelope(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"me","version":"7"},"keep":1}`
	for _, cell := range []string{"stateless to sessions", "stateless to stateless"} {
		w := newWorld(t, []string{"left"}, append(cells[cell], func(w *world) { w.peers["left"].cfg.ServeUnknown = true })...)
		w.list("tools/list")
		w.raw(`{"jsonrpc":"2.0","id":"x","method":"acme/do","params":{"requestState":"mine","inputResponses":{"a":1},` + meta + `}}`)
		if got := w.last("relay>left", "acme/do"); !strings.Contains(got, `"requestState":"mine"`) || !strings.Contains(got, `"inputResponses":{"a":1}`) || strings.Contains(got, `"me"`) {
			t.Error(cell, got)
		}
	}
	w := newWorld(t, []string{"left"}, func(w *world) { w.down.Revisions = protocol.AllRevisions() })
	w.list("tools/list")
	w.feed(jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/acme","params":{"a":1,` + meta + `}}`))
	if got := w.last("relay>left", "notifications/acme"); strings.Contains(got, `"me"`) || !strings.Contains(got, `"keep":1`) {
		t.Error(got)
	}
}

// A resource that no server lists, as far as Filters let it be seen, is listened to at the one server that may have it,
// and at its own server once that is known: in the Relay that guessed, and in one that was restored.
func TestListenMovesToWhoHasIt(t *testing.T) {
	for cell, options := range cells {
		if !strings.HasPrefix(cell, "stateless") {
			continue
		}
		for _, restored := range []bool{false, true} {
			w := newWorld(t, []string{"left", "right"}, append(options[:len(options):len(options)], resources)...)
			all := w.defs
			updates := func(name string) (n int) {
				w.got = nil
				w.on(name)(w.peers[name].s.Notify(w.now, protocol.ResourceUpdatedParams{URI: "own://right"}, server.Call{}))
				for _, ev := range w.got {
					if ev.Method == "notifications/resources/updated" {
						n++
					}
				}
				return n
			}
			w.list("tools/list")
			hidden := slices.Clone(all)
			hidden[1].Filter = catalog.Filter{Allow: []catalog.Rule{{ReadOnly: protocol.Ptr(true)}}}
			w.setServers(hidden)
			w.request(protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ResourceSubscriptions: []string{"own://right"}}}, noTimeout)
			if restored {
				w.move()
			}
			w.last("relay>left", "own://right")
			w.setServers(all)
			w.pass(time.Minute)
			if n := updates("right"); n != 1 {
				t.Errorf("%s, restored %v: %d updates of the one that has it", cell, restored, n)
			}
			if left := strings.Join(w.lines, "\n"); strings.Count(left, `relay>left {"jsonrpc":"2.0","method":"notifications/cancelled"`)+strings.Count(left, `resources/unsubscribe","params":{"uri":"own://right"}`) == 0 {
				t.Errorf("%s, restored %v: the one that has it not is subscribed to still\n%s", cell, restored, left)
			}
		}
	}
}

// A subscription that a Filter hides ends also if the Filter came while its server was starting, so that a Relay that is
// restored then has the same ones.
func TestFilterDuringAStart(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as, resources)
		w.ask("resources/subscribe", `{"uri":"own://left"}`)
		hidden := slices.Clone(w.defs)
		hidden[0].Filter = catalog.Filter{Deny: []catalog.Rule{{}}}
		r, state, eff, err := w.r.Restart(w.s, w.now, "left")
		if err != nil {
			t.Fatal(err)
		}
		r, state, more, err := r.SetServers(state, w.now, hidden)
		if err != nil {
			t.Fatal(err)
		}
		eff.Output.Merge(more.Output)
		eff.Actions, eff.Servers, w.defs = append(eff.Actions, more.Actions...), append(eff.Servers, more.Servers...), hidden
		w.relay(r, state, eff)
		w.pass(time.Minute)
		if text := string(w.r.Snapshot()); strings.Contains(text, `"subscriptions":[{"uri":"own://left","server":`) {
			t.Errorf("it is kept: %s", text)
		}
	})
}
