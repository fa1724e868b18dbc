package relay_test

import (
	"context"
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
	"github.com/sansmcp/mcp/protocol/toolerror"
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
		tells(t, w.fault(w.call("left")), "left", toolerror.Unavailable)
		for req, want := range map[client.Req]jsonrpc.Error{
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
	w.pass(defaultHold)
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
