package relay_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sansmcp/mcp/client"
	"github.com/sansmcp/mcp/client/catalog"
	"github.com/sansmcp/mcp/client/naming"
	"github.com/sansmcp/mcp/client/relay"
	"github.com/sansmcp/mcp/jsonrpc"
	"github.com/sansmcp/mcp/protocol"
	"github.com/sansmcp/mcp/protocol/uritemplate"
	"github.com/sansmcp/mcp/server"
)

// resources gives the servers a resource of their own, one that they share, a template of their
// own and one that they share, a prompt, and completions.
func resources(w *world) {
	for name, p := range w.peers {
		read := func(_ context.Context, _ server.Caller, q protocol.ReadResourceParams) (*protocol.ReadResourceResult, error) {
			return &protocol.ReadResourceResult{Contents: []protocol.ResourceContents{protocol.TextResource(q.URI, "", name)}}, nil
		}
		matched := func(ctx context.Context, c server.Caller, q protocol.ReadResourceParams, _ uritemplate.Values) (*protocol.ReadResourceResult, error) {
			return read(ctx, c, q)
		}
		for _, uri := range []string{"own://" + name, "file:///both"} {
			p.h.Resource(protocol.Resource{URI: uri, Name: uri}, read)
		}
		for _, text := range []string{"t-" + name + "://{x}", "note:///{x}"} {
			p.h.Template(protocol.ResourceTemplate{URITemplate: text, Name: text}, matched)
		}
		for _, prompt := range []string{"p-" + name, "both"} {
			p.h.Prompt(protocol.Prompt{Name: prompt}, func(context.Context, server.Caller, protocol.GetPromptParams) (*protocol.GetPromptResult, error) {
				return &protocol.GetPromptResult{Description: name, Messages: []protocol.PromptMessage{}}, nil
			})
		}
		p.h.Complete(func(_ context.Context, _ server.Caller, q protocol.CompleteParams) (*protocol.CompleteResult, error) {
			return &protocol.CompleteResult{Completion: protocol.Completion{Values: []string{name, q.Ref.Name + q.Ref.URI}}}, nil
		})
		p.cfg.Subscribe = true
	}
}

// Section F, name precedence, for resources, templates and prompts: and each request reaches the
// server of what it names.
func TestResourcesAndPrompts(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "Right_2"}, as, resources)
		const q = "q.52ight.5f2+"
		for method, want := range map[string][]string{
			"resources/list":           {"file:///both", "own://left", q + "file:///both", "own://Right_2"},
			"resources/templates/list": {"note:///{x}", "t-left://{x}", q + "note:///{x}", "t-Right_2://{x}"},
			"prompts/list":             {"both", "p-left", "mcp.Right_2.both", "p-Right_2"},
		} {
			if got := w.list(method); !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", method, got, want)
			}
		}
		for uri, want := range map[string][2]string{ // who answers, and which uri it was asked for
			"file:///both":             {"left", "file:///both"},
			"left+file:///both":        {"left", "file:///both"},
			q + "file:///both":         {"Right_2", "file:///both"},
			strings.ToUpper(q) + "x:y": {"", "x:y"},
			"own://Right_2":            {"Right_2", "own://Right_2"},
			"note:///1":                {"left", "note:///1"},
			q + "note:///1":            {"Right_2", "note:///1"},
			"t-left://9":               {"left", "t-left://9"},
		} {
			req := w.request(protocol.ReadResourceParams{URI: uri}, client.RequestOptions{})
			if want[0] == "" {
				if e := w.fault(req); e.Code != protocol.CodeResourceNotFound || !strings.Contains(string(e.Data), want[1]) {
					t.Errorf("%s: %+v", uri, e)
				}
				continue
			}
			if body := w.result(req); body != `{"contents":[{"uri":"`+want[1]+`","text":"`+want[0]+`"}]}` {
				t.Errorf("%s: %s", uri, body)
			}
		}
		for prompt, want := range map[string]string{"both": "left", "mcp.Right_2.both": "Right_2", "p-Right_2": "Right_2"} {
			if body := w.ask("prompts/get", `{"name":"`+prompt+`"}`); !strings.Contains(body, `"description":"`+want+`"`) {
				t.Errorf("%s: %s", prompt, body)
			}
		}
		for ref, want := range map[string]string{
			`{"type":"ref/prompt","name":"mcp.Right_2.both"}`:        `"Right_2","both"`,
			`{"type":"ref/prompt","name":"p-left"}`:                  `"left","p-left"`,
			`{"type":"ref/resource","uri":"` + q + `note:///{x}"}`:   `"Right_2","note:///{x}"`,
			`{"type":"ref/resource","uri":"note:///{x}"}`:            `"left","note:///{x}"`,
			`{"type":"ref/resource","uri":"own://Right_2"}`:          `"Right_2","own://Right_2"`,
			`{"type":"ref/resource","uri":"` + q + `own://Right_2"}`: `"Right_2","own://Right_2"`,
		} {
			body := w.ask("completion/complete", `{"ref":`+ref+`,"argument":{"name":"x","value":""}}`)
			if !strings.Contains(body, want) {
				t.Errorf("%s: %s", ref, body)
			}
		}
		e := w.fault(w.request(protocol.RawRequest{Name: "completion/complete", Body: `{"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"x","value":""}}`}, client.RequestOptions{}))
		if e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%+v", e)
		}
	})
}

// A uri that no server lists, as of a link in a result, is asked of one server after the other.
func TestUnlistedResources(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		asked := []string{}
		w := newWorld(t, []string{"a", "b", "c", "none"}, as, func(w *world) {
			for _, name := range []string{"a", "b", "c"} {
				p := w.peers[name]
				p.h.Offer(protocol.CapResources)
				p.cfg.Unlisted = true
				p.cfg.Serve = []string{"resources/read", "resources/subscribe", "resources/unsubscribe"}
			}
		})
		reply := func(name string, ok bool) {
			p := w.peers[name]
			asked = append(asked, name)
			if ok {
				w.on(name)(noReq(p.s.Respond(w.now, w.held(name), jsonrpc.Raw(`{"contents":[]}`))))
			} else {
				w.on(name)(noReq(p.s.Fail(w.now, w.held(name), jsonrpc.Error{Code: -32002, Message: name})))
			}
		}
		req := w.request(protocol.ReadResourceParams{URI: "x:1"}, client.RequestOptions{})
		reply("a", false)
		reply("b", true)
		if body := w.result(req); body != `{"contents":[]}` || len(w.peers["c"].calls) != 0 {
			t.Error(body)
		}
		req = w.request(protocol.ReadResourceParams{URI: "x:2"}, client.RequestOptions{})
		for _, name := range []string{"a", "b", "c"} {
			reply(name, false)
		}
		if e := w.fault(req); e.Code != -32002 || e.Message != "c" {
			t.Errorf("%+v", e)
		}
		// The server that agrees to a subscription is the one whose news counts.
		req = w.request(protocol.SubscribeParams{URI: "x:3"}, client.RequestOptions{})
		reply("a", false)
		w.on("b")(noReq(w.peers["b"].s.Respond(w.now, w.held("b"), jsonrpc.Raw(`{}`))))
		w.result(req)
		for _, name := range []string{"a", "b", "c"} {
			w.say(name, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:3","n":"`+name+`"}}`)
		}
		if n, last := w.count("notifications/resources/updated"), w.got[len(w.got)-1]; n != 1 || last.Body != `{"uri":"x:3","n":"b"}` {
			t.Errorf("%d updates, %s", n, last.Body)
		}
		req = w.request(protocol.UnsubscribeParams{URI: "x:3"}, client.RequestOptions{})
		if len(w.peers["b"].calls) != 4 {
			t.Fatal("the server that agreed was not asked")
		}
		w.on("b")(noReq(w.peers["b"].s.Respond(w.now, w.held("b"), jsonrpc.Raw(`{}`))))
		w.result(req)
		w.say("b", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:3"}}`)
		if n := w.count("notifications/resources/updated"); n != 1 {
			t.Errorf("%d updates after the end", n)
		}
	})
}

// News of a resource comes under the uri that the client subscribed to, of the server that it
// subscribed at, also after that was away (B17).
func TestSubscriptions(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as, resources)
		w.list("resources/list")
		for _, uri := range []string{"file:///both", "right+file:///both", "own://left"} {
			if body := w.ask("resources/subscribe", `{"uri":"`+uri+`"}`); body != "{}" {
				t.Error(body)
			}
		}
		update := func(name, uri string) []string {
			w.got = nil
			w.on(name)(w.peers[name].s.Notify(w.now, protocol.ResourceUpdatedParams{URI: uri}, server.Call{}))
			var told []string
			for _, ev := range w.got {
				if ev.Method == "notifications/resources/updated" {
					told = append(told, string(ev.Body))
				}
			}
			return told
		}
		expect := func(name, uri string, want ...string) {
			t.Helper()
			for i, uri := range want {
				want[i] = `{"uri":"` + uri + `"}`
			}
			if got := update(name, uri); !slices.Equal(got, want) {
				t.Errorf("%s, %s: %q, want %q", name, uri, got, want)
			}
		}
		expect("left", "file:///both", "file:///both")
		expect("right", "file:///both", "right+file:///both")
		expect("left", "own://left", "own://left")
		w.say("right", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"own://left"}}`)
		if w.count("notifications/resources/updated") != 1 {
			t.Error("a server gives news of what another has")
		}
		w.kill("right")
		w.pass(time.Minute)
		expect("right", "file:///both", "right+file:///both")
		w.ask("resources/unsubscribe", `{"uri":"right+file:///both"}`)
		expect("right", "file:///both")
		expect("left", "file:///both", "file:///both")
		// The end of a subscription at a server that is away is no fault.
		w.peers["left"].dead = true
		w.kill("left")
		w.ask("resources/unsubscribe", `{"uri":"own://left"}`)
		w.ask("resources/unsubscribe", `{"uri":"file:///both"}`)
	})
}

// Where all uris are qualified, those in results and requests of servers are as well, and all else
// is byte for byte.
func TestQualifiedURIs(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"left", "right"}, as, resources, config(relay.Config{Naming: naming.Policy{URIs: naming.Always}}))
		if got := w.list("resources/list"); !slices.Equal(got, []string{"left+file:///both", "left+own://left", "right+file:///both", "right+own://right"}) {
			t.Errorf("%q", got)
		}
		if body := w.ask("resources/read", `{"uri":"right+own://right"}`); body != `{"contents":[{"uri":"right+own://right","text":"right"}]}` {
			t.Error(body)
		}
		// What is not qualified belongs to no server, though one lists it, has a template for it,
		// or might know it.
		before := len(w.peers["left"].got) + len(w.peers["right"].got)
		for _, uri := range []string{"own://left", "note:///1", "file:///both", "other:x"} {
			w.fault(w.request(protocol.ReadResourceParams{URI: uri}, client.RequestOptions{}))
			w.fault(w.request(protocol.SubscribeParams{URI: uri}, client.RequestOptions{}))
		}
		if n := len(w.peers["left"].got) + len(w.peers["right"].got); n != before {
			t.Errorf("servers were asked %d times", n-before)
		}
		w.ask("resources/subscribe", `{"uri":"left+own://left"}`)
		w.on("left")(w.peers["left"].s.Notify(w.now, protocol.ResourceUpdatedParams{URI: "own://left"}, server.Call{}))
		if last := w.got[len(w.got)-1]; last.Body != `{"uri":"left+own://left"}` {
			t.Error(last.Body)
		}
		for result, want := range map[string]string{
			`{"content":[{"type":"text","uri":"x:"},{ "type":"resource_link","uri":"a:b" , "n":1.0},{"type":"resource","resource":{"uri":"c:d","text":""}},7]}`: `{"content":[{"type":"text","uri":"x:"},{ "type":"resource_link","uri":"left+a:b" , "n":1.0},{"type":"resource","resource":{"uri":"left+c:d","text":""}},7]}`,
			`{"content":[ {"type":"text","text":""} ] , "x":{"uri":"a:b"}}`:                                                                                     `{"content":[ {"type":"text","text":""} ] , "x":{"uri":"a:b"}}`,
			`{"content":7,"contents":{},"messages":[1]}`:                                                                                                        `{"content":7,"contents":{},"messages":[1]}`,
			`{"content":[{"type":"resource","resource":1},{"type":"resource_link","uri":1},{"type":"resource"}]}`:                                               `{"content":[{"type":"resource","resource":1},{"type":"resource_link","uri":1},{"type":"resource"}]}`,
		} {
			req := w.call("left-slow")
			w.on("left")(noReq(w.peers["left"].s.Respond(w.now, w.held("left"), jsonrpc.Raw(result))))
			if got := w.result(req); got != want {
				t.Errorf("got\n%s, want\n%s", got, want)
			}
		}
		w.asks("left", protocol.RawRequest{Name: "sampling/createMessage", Body: `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"resource_link","uri":"a:b"}},` +
			`{"role":"user","content":[{"type":"tool_result","content":[{"type":"resource_link","uri":"c:d"},{"type":"tool_result","content":[]}]},{"type":"tool_result","content":[{"type":"text"}]}]}]}`}, server.Call{})
		if body := string(w.asked().Body); !strings.Contains(body, `"left+a:b"`) || !strings.Contains(body, `"left+c:d"`) {
			t.Error(body)
		}
	})
}

// No more subscriptions are kept than Limits say, and the same one counts once.
func TestSubscriptionsAreBounded(t *testing.T) {
	cfg := relay.Config{}
	cfg.Manager.Client.Limits.Subscriptions = 3
	w := newWorld(t, []string{"left"}, resources, config(cfg), func(w *world) { w.down.Limits.Subscriptions = 10 })
	for i := range 5 {
		req := w.request(protocol.SubscribeParams{URI: fmt.Sprintf("note:///%d", i)}, client.RequestOptions{})
		if i < 3 {
			w.result(req)
			w.result(w.request(protocol.SubscribeParams{URI: "note:///0"}, client.RequestOptions{}))
		} else if e := w.fault(req); e.Code != jsonrpc.CodeInternalError {
			t.Errorf("%+v", e)
		}
	}
}

// A directory that was subscribed to stands for what is below it.
func TestSubscriptionsAbove(t *testing.T) {
	w := newWorld(t, []string{"left"}, func(w *world) {
		p := w.peers["left"]
		p.h.Offer(protocol.CapResources)
		p.cfg.Unlisted, p.cfg.Serve, p.cfg.Declare = true, []string{"resources/read", "resources/subscribe", "resources/unsubscribe"}, 0
	})
	req := w.request(protocol.SubscribeParams{URI: "file:///a/"}, client.RequestOptions{})
	w.on("left")(noReq(w.peers["left"].s.Respond(w.now, w.held("left"), jsonrpc.Raw(`{}`))))
	w.result(req)
	for uri, want := range map[string]int{"file:///a/b": 1, "file:///b/a/": 0, "file:///a": 0} {
		w.got = nil
		w.say("left", `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"`+uri+`"}}`)
		if n := w.count("notifications/resources/updated"); n != want {
			t.Errorf("%s: %d updates", uri, n)
		}
	}
}

// What a new Filter keeps out is subscribed to no more: not now, and not in the next session of its server either.
func TestFilterEndsSubscriptions(t *testing.T) {
	for _, name := range []string{"ready", "away", "on its way"} {
		for cell, options := range map[string][]option{"session": nil, "stateless client": {statelessClient}} {
			t.Run(name+"/"+cell, func(t *testing.T) {
				both(t, func(t *testing.T, as option) {
					w := newWorld(t, []string{"a"}, append(options[:len(options):len(options)], as, resources)...)
					w.list("tools/list")
					if cell == "session" {
						w.ask("resources/subscribe", `{"uri":"own://a"}`)
					} else {
						w.request(protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ResourceSubscriptions: []string{"own://a"}}}, noTimeout)
					}
					w.last("relay>a", "resources/subscribe")
					set := func() {
						w.defs = slices.Clone(w.defs)
						w.defs[0].Filter = catalog.Filter{Deny: []catalog.Rule{{Kind: protocol.ResourceList, Name: "own:*"}}}
						r, s, eff, err := w.r.SetServers(w.s, w.now, w.defs)
						if err != nil {
							t.Fatal(err)
						}
						w.relay(r, s, eff)
					}
					p, n := w.peers["a"], 0
					switch name {
					case "ready":
						set()
						w.last("relay>a", "resources/unsubscribe")
						n = len(w.lines)
						w.kill("a")
					case "away":
						p.dead = true
						w.kill("a")
						set()
						p.dead, n = false, len(w.lines)
					default:
						p.slow, n = "initialize", len(w.lines)
						w.kill("a")
						w.pass(2 * time.Second)
						set()
						p.slow = ""
						w.server(p, p.h, p.late[0])
					}
					w.pass(time.Minute)
					if got := strings.Join(w.lines[n:], "\n"); !strings.Contains(got, `"method":"initialize"`) || strings.Contains(got, "resources/subscribe") {
						t.Error(got)
					}
				})
			})
		}
	}
}

// A subscription that ends while its server is away is not made again when it is back.
func TestSubscriptionEndsWhileAway(t *testing.T) {
	both(t, func(t *testing.T, as option) {
		w := newWorld(t, []string{"a"}, statelessClient, as, resources)
		w.list("tools/list")
		req := w.request(protocol.ListenParams{Notifications: protocol.SubscriptionFilter{ResourceSubscriptions: []string{"own://a"}}}, noTimeout)
		w.last("relay>a", "resources/subscribe")
		w.peers["a"].dead = true
		w.kill("a")
		c, out, err := w.c.Cancel(w.now, req, "enough")
		if err != nil {
			t.Fatal(err)
		}
		w.client(c, out)
		w.peers["a"].dead = false
		n := len(w.lines)
		w.pass(time.Minute)
		if got := strings.Join(w.lines[n:], "\n"); !strings.Contains(got, `"method":"initialize"`) || strings.Contains(got, "resources/subscribe") {
			t.Error(got)
		}
	})
}
