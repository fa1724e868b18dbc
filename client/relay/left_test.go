package relay_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/manager"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/lifecycle"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// An old value goes on as if nothing had happened since.
func TestOldValuesStay(t *testing.T) {
	w := busyWorld(t)
	r, s := w.r, w.s
	before := string(r.Snapshot())
	for range 5 {
		w.call("left-slow")
		w.call("mute")
		w.kill("right")
		w.pass(10 * time.Second)
		w.list("tools/list")
	}
	if after := string(r.Snapshot()); after != before {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
	if err := r.Check(s); err != nil {
		t.Error(err)
	}
}

// A thousand connects that fail, and as many sessions that come and go, leave nothing behind.
func TestNothingIsLeft(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	w.peers["left"].dead = true
	w.kill("left")
	cycle := func(n int) {
		for range n {
			w.kill("right")
			req := w.call("mcp.right.right-slow")
			w.pass(2 * time.Minute)
			w.fault(req)
			w.lines, w.got, w.seen, w.within = nil, nil, nil, nil
			for _, p := range w.peers {
				p.heard, p.got = nil, nil
			}
		}
	}
	cycle(20)
	before, size := heap(), len(w.r.Snapshot())
	cycle(300)
	if n := heap() - before; n > 200_000 {
		t.Errorf("%d bytes are left", n)
	}
	if n := len(w.r.Snapshot()) - size; n > 100 {
		t.Errorf("the snapshot has grown by %d bytes", n)
	}
	if w.peers["left"].opens < 1000 {
		t.Log(w.peers["left"].opens, "connects failed")
	}
}

// A list that waits longer than anything may is answered with what is known.
func TestListsWaitNoLongerThanHeldTime(t *testing.T) {
	w := newWorld(t, []string{"left"}, mute("left"), config(relay.Config{Held: relay.Held{Time: time.Second}, Lists: relay.Lists{Hold: time.Hour}}))
	req := w.request(protocol.ListToolsParams{}, noTimeout)
	w.pass(time.Second)
	if body := w.result(req); body != `{"tools":[]}` {
		t.Error(body)
	}
}

// Check finds what is wrong.
func TestCheck(t *testing.T) {
	w := busyWorld(t)
	w.asks("right", protocol.ListRootsParams{}, server.Call{})
	for name, r := range relay.Broken(w.r) {
		if r.Check(w.s) == nil {
			t.Errorf("%s: nothing is wrong", name)
		}
	}
	w = newWorld(t, []string{"left", "right"}, resources, func(w *world) { w.down.Revisions = protocol.AllRevisions() })
	w.raw(`{"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["own://left","nobody:x"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	broken := relay.BrokenListening(w.r)
	if len(broken) != 18 {
		t.Errorf("%d values", len(broken))
	}
	for name, r := range broken {
		if r.Check(w.s) == nil {
			t.Errorf("listening: %s: nothing is wrong", name)
		}
	}
}

// What is not the Relay's is left for others: methods that it does not offer, requests of the
// application's own, and their progress and ends.
func TestWhatIsLeftForOthers(t *testing.T) {
	w := newWorld(t, []string{"left"}, config(relay.Config{Offer: protocol.CapTools}), func(w *world) {
		w.down.Serve = []string{"resources/list", "resources/templates/list", "resources/read"}
	})
	take := func(line string) relay.Effects {
		s, out := w.s.Receive(w.now, jsonrpc.DecodeString(line))
		r, s, eff := w.r.Handle(s, w.now, out)
		w.relay(r, s, eff)
		return eff
	}
	kinds := func(eff relay.Effects) (list []lifecycle.EventKind) {
		for _, ev := range eff.Events {
			list = append(list, ev.Kind)
		}
		return list
	}
	expect := func(eff relay.Effects, want ...lifecycle.EventKind) {
		t.Helper()
		if got := kinds(eff); !slices.Equal(got, want) {
			t.Errorf("left %v, want %v", got, want)
		}
	}
	expect(take(`{"jsonrpc":"2.0","id":50,"method":"resources/list"}`), lifecycle.RequestReceived)
	expect(take(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":50}}`), lifecycle.RequestCancelled)
	s, out, err := w.s.Request(w.now, protocol.ListRootsParams{}, server.RequestOptions{Progress: true})
	if err != nil {
		t.Fatal(err)
	}
	id := out.Send[0].Message.ID
	r, s, eff := w.r.Handle(s, w.now, out)
	if len(eff.Send) != 1 {
		t.Error("the request is not sent")
	}
	w.r, w.s = r, s
	expect(take(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, id)), lifecycle.ProgressReceived)
	expect(take(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":[]}}`, id)), lifecycle.ResponseReceived)
	// An answer to the very message is marked as one, as Handlers mark theirs.
	eff = take(`{"jsonrpc":"2.0","id":51,"method":"tools/list"}`)
	if len(eff.Send) != 1 || !eff.Send[0].Direct || eff.Fate != lifecycle.FateAnswered {
		t.Errorf("%+v", eff.Output)
	}
	if eff = take(`{"jsonrpc":"2.0","id":52,"method":"tools/call","params":{"name":"left-slow"}}`); eff.Fate != lifecycle.FateAccepted || eff.Opened.IsZero() {
		t.Errorf("%+v", eff.Output)
	}
}

// Long uris and odd templates are not matched: they are asked of the servers in turn.
func TestTemplatesThatAreNotMatched(t *testing.T) {
	long := "note:///" + strings.Repeat("x", 2000)
	w := newWorld(t, []string{"left", "right"}, resources, func(w *world) {
		for _, text := range []string{"l" + strings.Repeat("o", 300) + "ng:{x}", "many:{a}{b}{c}{d}{e}{f}{g}{h}{i}"} {
			w.peers["right"].h.Template(protocol.ResourceTemplate{URITemplate: text, Name: "n"}, func(_ context.Context, _ server.Caller, q protocol.ReadResourceParams, _ uritemplate.Values) (*protocol.ReadResourceResult, error) {
				return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{}}, nil
			})
		}
	})
	for uri, want := range map[string]string{long: "left", "many:123456789": "", "l" + strings.Repeat("o", 300) + "ng:x": ""} {
		body := w.result(w.request(protocol.ReadResourceParams{URI: uri}, noTimeout))
		if !strings.Contains(body, want) {
			t.Errorf("%s: %s", uri, body)
		}
	}
}

// A server that was taken away while its lists are read is not missed.
func TestReloadWhileListsAreRead(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	w.pass(time.Minute)
	w.peers["left"].mute = true
	w.say("left", `{"jsonrpc":"2.0","method":"`+toolsChanged+`"}`)
	w.pass(time.Second)
	r, s, eff, err := w.r.SetServers(w.s, time.Time{}, w.defs[1:])
	if err != nil {
		t.Fatal(err)
	}
	w.relay(r, s, eff)
	w.pass(time.Minute)
	if got := w.list("tools/list"); !slices.Equal(got, []string{"both", "right", "right-slow"}) {
		t.Error(got)
	}
}

// A base of the sessions with servers that promises what an old client cannot have costs the
// servers, and says so.
func TestBaseThatDoesNotFit(t *testing.T) {
	cfg := relay.Config{}
	cfg.Manager.Client.Serve = []string{"elicitation/create"}
	w := newWorld(t, []string{"left"}, config(cfg), func(w *world) {
		w.cc = client.Config{Info: info, Revisions: []protocol.Revision{protocol.Revision20241105}}
	})
	if st := w.r.Statuses(); st[0].Condition != manager.Failed {
		t.Errorf("%+v", st)
	}
	if _, _, _, err := w.r.Restart(w.s, w.now, "left"); err == nil {
		t.Error("restarted")
	}
	if got := w.list("tools/list"); len(got) != 0 {
		t.Error(got)
	}
	w.fault(w.call("left"))
}

// Times may be as long as they like, and the last answer of a drain ends everything.
func TestLongTimes(t *testing.T) {
	w := newWorld(t, []string{"left", "mute"}, mute("mute"), config(relay.Config{Held: relay.Held{Time: 1<<63 - 1}, CallTimeout: lifecycle.NoTimeout}))
	req := w.call("mcp.mute.mute")
	w.pass(10 * time.Second)
	if _, ok := w.end(req); ok {
		t.Error("ended")
	}
	c, out, err := w.c.Cancel(w.now, req, "")
	if err != nil {
		t.Fatal(err)
	}
	w.client(c, out)
	w.call("left-slow")
	s, down := w.s.Shutdown(w.now, time.Hour)
	w.relay(w.r.Handle(s, w.now, down))
	w.on("left")(noReq(w.peers["left"].s.Respond(w.now, w.held("left"), protocol.TextResult("x"))))
	if w.peers["left"].open {
		t.Error("left is open")
	}
	fresh, err := relay.New(w.cfg, w.defs, t0)
	if err != nil {
		t.Fatal(err)
	}
	fresh, s, _ = fresh.Close(w.s, t0)
	fresh.Report(s, t0, manager.Report{Kind: manager.Received, Link: manager.Link{}, Message: jsonrpc.Message{}})
	relay.Relay{}.Report(s, t0, manager.Report{Kind: manager.Received, Link: manager.Link{}, Message: jsonrpc.Message{}})
}

// What only one server could have is refused while that is away.
func TestOnlyServerIsAway(t *testing.T) {
	w := newWorld(t, []string{"left"})
	w.peers["left"].dead = true
	w.kill("left")
	if e := w.fault(w.call("nope")); e.Code != jsonrpc.CodeInternalError || !strings.Contains(string(e.Data), `"state":"waiting"`) {
		t.Errorf("%+v", e)
	}
}
