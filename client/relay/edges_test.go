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

// What is not offered is not declared, not read and not answered.
func TestOffer(t *testing.T) {
	w := newWorld(t, []string{"left"}, resources, config(relay.Config{Offer: protocol.CapTools}))
	if got := w.c.PeerCapabilities(); got != protocol.CapTools|protocol.CapToolsListChanged {
		t.Error(got)
	}
	w.list("tools/list")
	for _, m := range w.peers["left"].got {
		if m.Method == "resources/list" || m.Method == "prompts/list" {
			t.Error("the server was asked for", m.Method)
		}
	}
	w.feed(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":77,"method":"resources/list"}`))
	if last := w.lines[len(w.lines)-1]; !strings.Contains(last, `"id":77,"error":{"code":-32601`) {
		t.Error(last)
	}
}

// A request that a server cannot take costs an error that says so, and names the server.
func TestRefusals(t *testing.T) {
	limited := relay.Config{}
	limited.Manager.Client.Limits.Outbound = 2
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, config(limited), as)
		w.list("tools/list")
		w.call("left-slow")
		w.call("left-slow")
		w.say("left", `{"jsonrpc":"2.0","method":"`+toolsChanged+`"}`) // there is no room to read it
		w.pass(2 * time.Second)
		for req, want := range map[client.Req]jsonrpc.Error{
			w.call("left"): {Code: jsonrpc.CodeInternalError, Data: `{"server":"left"}`},
			w.request(protocol.ReadResourceParams{URI: "right+x:y"}, noTimeout):      {Code: jsonrpc.CodeMethodNotFound, Data: `{"server":"right"}`},
			w.request(protocol.SubscribeParams{URI: "right+x:y"}, noTimeout):         {Code: jsonrpc.CodeMethodNotFound, Data: `{"server":"right"}`},
			w.request(protocol.ReadResourceParams{URI: "x:y"}, noTimeout):            {Code: protocol.CodeResourceNotFound, Data: `{"uri":"x:y"}`},
			w.request(protocol.GetPromptParams{Name: "mcp.left.nothing"}, noTimeout): {Code: jsonrpc.CodeMethodNotFound, Data: `{"server":"left"}`},
		} {
			if e := w.fault(req); e.Code != want.Code || e.Data != want.Data {
				t.Errorf("%+v, want %+v", e, want)
			}
		}
		w.result(w.call("right"))
	})
	w := newWorld(t, []string{"left"})
	w.feed(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":78,"method":"notifications/odd","params":{}}`))
	if last := w.lines[len(w.lines)-1]; !strings.Contains(last, `"id":78,"error":{"code":-32603`) {
		t.Error(last)
	}
}

// A list that changes while it is read is read once more.
func TestListChangesWhileItIsRead(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as)
		w.pass(time.Minute)
		w.list("tools/list")
		l := w.peers["left"]
		l.mute = true
		changed := `{"jsonrpc":"2.0","method":"` + toolsChanged + `"}`
		w.say("left", changed)
		w.say("left", changed)
		w.pass(10 * time.Millisecond)
		l.h.Tool(protocol.Tool{Name: "new", InputSchema: `{"type":"object"}`}, nil)
		// The answer is that of the old catalog; what comes then has the new one.
		w.speak("left")
		if got := w.list("tools/list"); slices.Contains(got, "new") {
			t.Error(got)
		}
		catalog, err := l.h.Catalog()
		if err != nil {
			t.Fatal(err)
		}
		s, _, err := l.s.SetCatalog(w.now, catalog) // its own announcement is never delivered
		if err != nil {
			t.Fatal(err)
		}
		l.s = s
		w.pass(2 * time.Second)
		if got := w.list("tools/list"); !slices.Contains(got, "new") || w.count(toolsChanged) != 1 {
			t.Errorf("%q, %d announcements", got, w.count(toolsChanged))
		}
	})
}

// A completion waits for a server that is starting. Where nobody lists what it is for it goes to
// the only server, if there is but one: not to one that is the only one up, for it was meant for
// another.
func TestCompletions(t *testing.T) {
	completes := func(w *world) {
		for _, p := range w.peers {
			p.h.Complete(func(_ context.Context, _ server.Caller, _ protocol.CompleteParams) (*protocol.CompleteResult, error) {
				return &protocol.CompleteResult{Completion: protocol.Completion{Values: []string{p.name}}}, nil
			})
			p.h.Offer(protocol.CapPrompts)
		}
	}
	w := newWorld(t, []string{"left", "mute"}, mute("mute"), completes)
	body := jsonrpc.Raw(`{"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"x","value":""}}`)
	req := w.request(protocol.RawRequest{Name: "completion/complete", Body: body}, noTimeout)
	if _, ok := w.end(req); ok {
		t.Error("did not wait")
	}
	w.kill("mute")
	w.fault(req)
	if got := w.peers["left"].got; got[len(got)-1].Method == "completion/complete" {
		t.Error("another server was asked")
	}
	w = newWorld(t, []string{"left"}, completes)
	w.fault(w.request(protocol.RawRequest{Name: "completion/complete", Body: body}, noTimeout)) // which is that of left
	if got := w.peers["left"].got; got[len(got)-1].Method != "completion/complete" {
		t.Error("the server was not asked")
	}
}

// Of the servers that are asked in turn one that goes away is left out.
func TestAskedInTurn(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"a", "b", "c"}, as, func(w *world) {
			for _, p := range w.peers {
				p.h.Offer(protocol.CapResources)
				p.cfg.Unlisted = true
				p.cfg.Serve = []string{"resources/read", "resources/subscribe", "resources/unsubscribe"}
			}
		})
		fail := func(name string) {
			w.on(name)(noReq(w.peers[name].s.Fail(w.now, w.held(name), jsonrpc.Error{Code: -32002, Message: name})))
		}
		req := w.request(protocol.ReadResourceParams{URI: "x:1"}, noTimeout)
		w.peers["b"].dead = true
		w.kill("b")
		fail("a")
		fail("c")
		if e := w.fault(req); e.Message != "c" {
			t.Errorf("%+v", e)
		}
		req = w.request(protocol.UnsubscribeParams{URI: "x:2"}, noTimeout)
		w.kill("c")
		fail("a")
		if e := w.fault(req); e.Message != "a" {
			t.Errorf("%+v", e)
		}
	})
}

// A reload forgets the subscriptions at servers that are gone.
func TestReloadForgetsSubscriptions(t *testing.T) {
	cfg := relay.Config{}
	cfg.Manager.Client.Limits.Subscriptions = 2
	w := newWorld(t, []string{"left", "right"}, resources, config(cfg), func(w *world) { w.down.Limits.Subscriptions = 100 })
	for _, uri := range []string{"left+note:///1", "left+note:///2"} {
		w.result(w.request(protocol.SubscribeParams{URI: uri}, noTimeout))
	}
	r, s, eff, err := w.r.SetServers(w.s, w.now, w.defs[1:])
	if err != nil {
		t.Fatal(err)
	}
	w.relay(r, s, eff)
	for _, uri := range []string{"right+note:///1", "right+note:///2"} {
		w.result(w.request(protocol.SubscribeParams{URI: uri}, noTimeout))
	}
}

// A client that takes no more requests costs the server an error.
func TestClientThatCannotBeAsked(t *testing.T) {
	w := newWorld(t, []string{"left"}, func(w *world) { w.down.Limits.Outbound = 1 })
	w.asks("left", protocol.ListRootsParams{}, server.Call{})
	req := w.asks("left", protocol.ListRootsParams{}, server.Call{})
	if got := w.answered("left", req); got.Err == nil || got.Err.Code != jsonrpc.CodeInternalError {
		t.Errorf("%+v", got)
	}
	// Progress of what was never asked, or is no progress, changes nothing.
	s, out := w.s.Receive(w.now, jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":99,"progress":1}}`))
	w.relay(w.r.Handle(s, w.now, out))
}

// What changes before the client is ready is announced when it is; a time that is zero or early
// counts as the latest seen; before the begin there is nothing to restart.
func TestBeforeTheClientIsReady(t *testing.T) {
	w := newWorld(t, []string{"left", "right"})
	fresh, err := relay.New(w.cfg, w.defs, t0)
	if err != nil {
		t.Fatal(err)
	}
	if st := fresh.Statuses(); len(st) != 2 || st[0].Link.Server != "left" || st[0].Condition != manager.Idle {
		t.Errorf("%+v", st)
	}
	s, err := server.New(w.down, t0)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, eff, err := fresh.Restart(s, t0, "left"); err != nil || len(eff.Actions) != 0 {
		t.Error(err, eff)
	}
	for _, p := range w.peers {
		p.open = false
	}
	w.r, w.s, w.lines = fresh, s, nil
	w.feed(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	w.feed(jsonrpc.DecodeString(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	w.pass(time.Second)
	w.peers["left"].dead = true
	w.kill("left")
	w.pass(time.Second)
	told := func() (n int) {
		for _, line := range w.lines {
			if strings.HasPrefix(line, "relay>client") && strings.Contains(line, toolsChanged) {
				n++
			}
		}
		return n
	}
	if told() != 0 {
		t.Error("announced to a client that is not ready")
	}
	w.feed(jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	w.relay(w.r.Tick(w.s, time.Time{}))
	w.relay(w.r.Tick(w.s, t0))
	w.pass(time.Second)
	if told() != 1 {
		t.Errorf("announced %d times", told())
	}
	w.relay(w.r.Tick(w.s, t0.Add(1<<62)))
	if _, ok := w.r.NextDeadline(); !ok {
		t.Log("nothing is due any more")
	}
}

// Lists that wait are bounded as calls are.
func TestHeldListsAreBounded(t *testing.T) {
	w := newWorld(t, []string{"left"}, mute("left"), config(relay.Config{Held: relay.Held{Requests: 3}}))
	var reqs []client.Req
	for range 5 {
		reqs = append(reqs, w.request(protocol.ListToolsParams{}, noTimeout))
	}
	for i, req := range reqs {
		if _, ok := w.end(req); ok != (i >= 3) {
			t.Errorf("request %d ended: %v", i, ok)
		}
	}
	w.pass(relay.DefaultHold)
	for _, req := range reqs[:3] {
		w.result(req)
	}
}

// What comes of incarnations that are over, and of servers that there are not, changes nothing.
func TestStrangers(t *testing.T) {
	w := newWorld(t, []string{"left"})
	before := string(w.r.Snapshot())
	for _, link := range []manager.Link{{}, {Server: "left", Epoch: 99}, {Server: "nobody", Epoch: 1}} {
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Opened, Link: link}))
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.OpenFailed, Link: link}))
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Received, Link: link, Message: jsonrpc.DecodeString(`{"jsonrpc":"2.0","method":"` + toolsChanged + `"}`)}))
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.SendFailed, Link: link, Req: lifecycle.Req{}}))
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.ResponseLost, Link: link, Req: lifecycle.Req{}}))
		w.relay(w.r.Report(w.s, w.now, manager.Report{Kind: manager.Ended, Link: link}))
	}
	strip := func(s string) string { // counters of the Manager
		i := strings.Index(s, `"manager":{`)
		return s[:i]
	}
	if after := string(w.r.Snapshot()); strip(after) != strip(before) {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
	w.result(w.call("left"))
}

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
